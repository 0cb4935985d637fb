//! Prometheus' text format, as far as a probe needs it: the samples, line by line.
//!
//! The parsers there are split label values at commas and braces inside the quotes, so that `{path="/users/{id}"}` is lost.

/// Names and values of labels, unescaped.
type Labels<'a> = Vec<(&'a str, String)>;

/// One sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample<'a> {
    pub(super) name: &'a str,
    pub(super) labels: Labels<'a>,
    pub(super) value: f64,
}

/// The sample of a line; none for comments, empty lines and what is no sample.
pub(super) fn sample(line: &str) -> Option<Sample<'_>> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let (name, labels, rest) = series(line)?;
    // The value, and perhaps a time stamp.
    let value = match rest.split_whitespace().next()? {
        "+Inf" | "Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        number => number.parse().ok()?,
    };
    Some(Sample { name, labels, value })
}

/// The name and labels at the beginning of a text, and the rest of it.
pub(super) fn series(text: &str) -> Option<(&str, Labels<'_>, &str)> {
    let (name, rest) = word(text, |c| c.is_ascii_alphanumeric() || c == '_' || c == ':')?;
    let after_name = rest.trim_start();
    match after_name.strip_prefix('{') {
        Some(inside) => {
            let (labels, rest) = labels(inside)?;
            Some((name, labels, rest))
        }
        None => Some((name, Vec::new(), rest)),
    }
}

/// A word of these characters that does not begin with a digit, and the rest.
fn word(text: &str, is_part: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (!word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit())).then_some((word, rest))
}

/// What stands after `{`, up to and with `}`.
fn labels(mut text: &str) -> Option<(Labels<'_>, &str)> {
    let mut labels = Vec::new();
    loop {
        text = text.trim_start();
        if let Some(rest) = text.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (name, rest) = word(text, |c| c.is_ascii_alphanumeric() || c == '_')?;
        let rest = rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        let (value, rest) = quoted(rest)?;
        labels.push((name, value));
        text = rest.trim_start();
        text = match text.strip_prefix(',') {
            Some(rest) => rest,
            None if text.starts_with('}') => text,
            None => return None,
        };
    }
}

/// What stands after a quote, up to the one that ends it, and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}
