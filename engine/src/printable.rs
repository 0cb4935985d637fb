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

/// What stands at the end of a text that was cut. The mask looks there for secrets that are no longer whole.
pub(crate) const CUT: char = '…';

/// At most so many bytes of a text of others' making, cut visibly.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}{CUT}", &text[..text.floor_char_boundary(most)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_nothing_else() {
        assert!(matches!(printable("two\n\tlines, größer"), Cow::Borrowed(_)));
        assert_eq!(printable("\u{1b}[31mred\r\u{9b}2J"), "\\u{1b}[31mred\\r\\u{9b}2J");
    }

    #[test]
    fn a_text_is_cut_between_characters_and_shows_it() {
        assert!(matches!(cut("größe", 7), Cow::Borrowed(_)));
        assert_eq!(cut("größe", 3), "gr…");
        assert_eq!(cut("größe", 4), "grö…");
    }
}
