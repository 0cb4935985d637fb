//! Secrets never leave the engine in a text.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde_json::Value;

use crate::printable::CUT;

use super::{ReportError, RunResult};

/// What stands in a secret's place.
const STARS: &str = "***";

/// Shorter values are not masked: they would take half of every text with them and protect nothing.
const SHORTEST: usize = 4;

/// Words that settings are made of: masking them would take them out of every other sentence.
const HARMLESS: [&str; 6] = ["none", "null", "true", "false", "auto", "default"];

/// Values of fewer bytes are masked only where they stand alone: `chat` is a word of many names.
const LONG: usize = 8;

/// No text that was cut is longer than a log line: the beginning of a secret is looked for in so many bytes before a cut.
const LONGEST_CUT: usize = 4 << 10;

/// Keys of the result whose values are words of a fixed list, and no texts.
const CLOSED: [&str; 6] = ["format", "verdict", "applies", "unit", "op", "at_least"];

/// Replaces secret values by `***`. Apply it to every text before it leaves: results, reports, logs, errors.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    secrets: Option<Secrets>,
    too_short: usize,
}

#[derive(Clone, Debug)]
struct Secrets {
    search: AhoCorasick,
    /// Each in all its forms, sorted.
    forms: Arc<[String]>,
}

impl Mask {
    /// A mask for these values, for their percent-encoded forms and for their forms as JSON strings.
    ///
    /// # Errors
    /// Where there are more secrets than the searcher can hold: gigabytes.
    pub fn new<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Result<Self, ReportError> {
        let mut forms = Vec::new();
        let mut too_short = 0;
        for secret in secrets {
            let secret = secret.as_ref();
            if HARMLESS.contains(&secret) {
                continue;
            }
            if secret.len() < SHORTEST {
                too_short += usize::from(!secret.is_empty());
                continue;
            }
            let json = Value::from(secret).to_string();
            forms.extend([secret.to_owned(), percent_encoded(secret), json[1..json.len() - 1].to_owned()]);
        }
        forms.sort_unstable();
        forms.dedup();
        if forms.is_empty() {
            return Ok(Self { secrets: None, too_short });
        }
        // Not the automaton it would choose for few patterns: making that takes time that grows with the square of a long
        // secret, and secrets are of others' making, too.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let search = AhoCorasick::builder().kind(kind).build(&forms);
        let search = search.map_err(|error| ReportError::Render(error.to_string()))?;
        Ok(Self { secrets: Some(Secrets { search, forms: forms.into() }), too_short })
    }

    /// How many values were too short to mask (1 to 3 bytes): worth a warning.
    pub fn too_short(&self) -> usize {
        self.too_short
    }

    /// The text without secrets.
    pub fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(secrets) = &self.secrets else {
            return Cow::Borrowed(text);
        };
        // Secrets may overlap or hold one another: whatever any of them covers goes.
        let whole = secrets.search.find_overlapping_iter(text);
        let mut found: Vec<_> = whole.map(|found| (found.start(), found.end())).collect();
        found.extend(text.match_indices(CUT).filter_map(|(end, _)| Some((secrets.begun(&text[..end])?, end))));
        found.sort_unstable();
        let mut covered: Vec<(usize, usize)> = Vec::new();
        for (start, end) in found {
            match covered.last_mut() {
                Some((_, last)) if start < *last => *last = end.max(*last),
                _ => covered.push((start, end)),
            }
        }
        covered.retain(|&(start, end)| end - start >= LONG || stands_alone(text, start, end));
        if covered.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end) in covered {
            masked.push_str(&text[from..start]);
            masked.push_str(STARS);
            from = end;
        }
        masked.push_str(&text[from..]);
        Cow::Owned(masked)
    }

    /// The result without secrets in any of its texts.
    ///
    /// # Errors
    /// None that a result can cause; those of turning it into JSON and back.
    pub fn apply_to_result(&self, result: &RunResult) -> Result<RunResult, ReportError> {
        if self.secrets.is_none() {
            return Ok(result.clone());
        }
        let render = |error: serde_json::Error| ReportError::Render(error.to_string());
        let mut value = serde_json::to_value(result).map_err(render)?;
        self.walk(&mut value);
        serde_json::from_value(value).map_err(render)
    }

    fn walk(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(masked) = self.apply(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.walk(item)),
            Value::Object(entries) => {
                let open = entries.iter_mut().filter(|(key, _)| !CLOSED.contains(&key.as_str()));
                open.for_each(|(_, item)| self.walk(item));
            }
            _ => {}
        }
    }
}

impl Secrets {
    /// Where the beginning of a secret starts that a text was cut within: the longest such beginning.
    fn begun(&self, text: &str) -> Option<usize> {
        let first = text.floor_char_boundary(text.len().saturating_sub(LONGEST_CUT));
        let last = text.len().checked_sub(SHORTEST)?;
        (first..=last).filter(|&start| text.is_char_boundary(start)).find(|&start| {
            let part = &text[start..];
            let next = self.forms.partition_point(|form| form.as_str() < part);
            self.forms.get(next).is_some_and(|form| form.starts_with(part))
        })
    }
}

/// Whether neither side of a part of a text goes on with a letter, a digit or `_`.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    !text[..start].ends_with(goes_on) && !text[end..].starts_with(goes_on)
}

/// A value as it stands in a query: every byte encoded but letters, digits and `-._~` (RFC 3986, section 2.3).
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
