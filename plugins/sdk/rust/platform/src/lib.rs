//! What the plugins of one platform have in common: who asks ([`Access`]), what `login` has found ([`Session`]), how ids
//! stand in paths ([`segment`]), and texts to send ([`texts`]).
//!
//! Every workload takes what it needs from its configuration or else from the session; what neither has is refused with
//! one wording ([`Given`]).

mod access;
mod given;
mod session;
pub mod texts;

pub use access::Access;
pub use given::Given;
pub use session::{Session, Trigger};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stands for itself in a path segment or a query value (RFC 3986, 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An id or a name as one segment of a path, or as a value of a query: percent-encoded.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

#[cfg(test)]
mod tests;
