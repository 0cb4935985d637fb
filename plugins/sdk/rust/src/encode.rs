//! Text where only few characters stand for themselves.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but what is unreserved (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as one segment of a path, a value of a query or of a form: every byte encoded but letters, digits and `-._~`.
///
/// ```
/// use engine_sdk::percent_encode;
///
/// assert_eq!(format!("/search?q={}", percent_encode("green tea?")), "/search?q=green%20tea%3F");
/// ```
pub fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_unreserved_stands_for_itself() {
        assert_eq!(percent_encode("a-b_c.d~1"), "a-b_c.d~1");
        assert_eq!(percent_encode("a b/é?#%+*"), "a%20b%2F%C3%A9%3F%23%25%2B%2A");
    }
}
