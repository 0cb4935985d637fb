//! Texts of others' making, fit for a terminal.

use std::borrow::Cow;

/// A text of others' making without what a terminal would obey: control characters but line ends and tabs are escaped.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let escaped = text.chars().map(|c| if obeyed(c) { c.escape_default().to_string() } else { c.to_string() });
    Cow::Owned(escaped.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_nothing_else() {
        assert!(matches!(printable("two\n\tlines, größer"), Cow::Borrowed(_)));
        assert_eq!(printable("\u{1b}[31mred\r\u{9b}2J"), "\\u{1b}[31mred\\r\\u{9b}2J");
    }
}
