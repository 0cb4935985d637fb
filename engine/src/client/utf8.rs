//! Text out of bytes that should be UTF-8.

use std::borrow::Cow;

/// The text of these bytes, with a replacement character for each sequence that is none. Well-formed bytes, the usual
/// case, are checked a word at a time, which [`String::from_utf8_lossy`] does not do.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
