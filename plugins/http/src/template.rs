//! Text with the arrival's numbers in it.

use std::borrow::Cow;
use std::fmt::Write;

use engine_sdk::Arrival;

/// The placeholders that are known.
const NAMES: &[(&str, Number)] = &[
    ("index", |arrival| arrival.index),
    ("sequence", |arrival| arrival.sequence),
    ("client", |arrival| arrival.client),
    ("seed", |arrival| arrival.seed),
];

/// The number that a placeholder stands for.
type Number = fn(&Arrival) -> u64;

/// A parsed text. One without placeholders costs nothing to render.
#[derive(Debug)]
pub(crate) struct Template {
    /// The text, where there is no placeholder; else what stands before the first one.
    first: String,
    /// Each placeholder with the text after it.
    rest: Vec<(Number, String)>,
}

impl Template {
    /// Parses a text. `{{` is a brace; a brace that no lower-case word in braces begins with is itself, so that JSON
    /// needs no escaping.
    ///
    /// # Errors
    /// A text for people, where a word in braces is no known placeholder.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut template = Self { first: String::new(), rest: Vec::new() };
        let mut left = text;
        while let Some(at) = left.find('{') {
            template.tail().push_str(&left[..at]);
            left = &left[at + 1..];
            if let Some(after) = left.strip_prefix('{') {
                template.tail().push('{');
                left = after;
            } else if let Some((word, after)) = word(left) {
                let Some((_, number)) = NAMES.iter().find(|(name, _)| *name == word) else {
                    let known: Vec<String> = NAMES.iter().map(|(name, _)| format!("{{{name}}}")).collect();
                    return Err(format!(
                        "unknown placeholder {{{word}}}; known are {}; write {{{{ for a brace",
                        known.join(", ")
                    ));
                };
                template.rest.push((*number, String::new()));
                left = after;
            } else {
                template.tail().push('{');
            }
        }
        template.tail().push_str(left);
        Ok(template)
    }

    /// The text without placeholders; `None` where it has some.
    pub(crate) fn constant(&self) -> Option<&str> {
        self.rest.is_empty().then_some(&self.first)
    }

    /// The text for this arrival.
    pub(crate) fn render(&self, arrival: &Arrival) -> Cow<'_, str> {
        if self.rest.is_empty() {
            return Cow::Borrowed(&self.first);
        }
        // A number has at most 20 digits: one allocation.
        let room = self.first.len() + self.rest.iter().map(|(_, text)| text.len() + 20).sum::<usize>();
        let mut text = String::with_capacity(room);
        text.push_str(&self.first);
        for (number, after) in &self.rest {
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", number(arrival));
            text.push_str(after);
        }
        Cow::Owned(text)
    }

    /// Where literal text goes.
    fn tail(&mut self) -> &mut String {
        self.rest.last_mut().map_or(&mut self.first, |(_, text)| text)
    }
}

/// A lower-case word up to its closing brace, and what follows that.
fn word(text: &str) -> Option<(&str, &str)> {
    let (word, after) = text.split_once('}')?;
    let plain = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    plain.then_some((word, after))
}
