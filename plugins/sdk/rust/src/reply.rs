//! Answers.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use serde::de::DeserializeOwned;

use crate::bindings::engine::workload::types::{FieldsResult as Fields, Level, Response};
use crate::{Exchange, Stop, backend};

/// Status and fields of an answer.
pub(crate) struct Head {
    pub(crate) exchange: Exchange,
    pub(crate) status: u16,
    pub(crate) fields: Fields,
}

impl Head {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        find(&self.fields, name)
    }

    pub(crate) fn expect_status(&self, expected: &impl Statuses) -> Result<(), Stop> {
        if expected.accept(self.status) { Ok(()) } else { Err(Stop::FailedBy(self.exchange)) }
    }
}

/// The first value of this name, in whatever capitalisation it is asked for.
pub(crate) fn find<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// A whole answer.
pub struct Reply {
    head: Head,
    body: Vec<u8>,
    size: u64,
}

impl Reply {
    pub(crate) fn new(exchange: Exchange, response: Response) -> Self {
        let head = Head { exchange, status: response.status, fields: response.fields };
        Self { head, body: response.body, size: response.size }
    }

    /// The exchange, for marks and verdicts.
    pub fn exchange(&self) -> Exchange {
        self.head.exchange
    }

    /// The status, 100 to 999.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// The first response field of this name, in any capitalisation.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.head.field(name)
    }

    /// All wanted response fields in order; names in lower case.
    pub fn fields(&self) -> &[(String, String)] {
        &self.head.fields
    }

    /// The body after decompression; empty where it was only counted.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body, to keep.
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// Bytes of the body as they came off the wire.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The body as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// The body as JSON of this shape.
    ///
    /// # Errors
    /// [`Stop::Failed`] with `unexpected JSON`; the log says what is wrong with it.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        serde_json::from_slice(&self.body).map_err(|error| {
            backend::log(Level::Debug, &format!("unexpected JSON: {error}"));
            Stop::failed("unexpected JSON")
        })
    }

    /// Stops the iteration unless the status is an expected one: `200`, `200..=299`, `[200, 404]`. The failure is the
    /// engine's `http_<status>`.
    ///
    /// # Errors
    /// [`Stop::FailedBy`] this exchange.
    #[allow(clippy::needless_pass_by_value)] // so that a call reads `expect_status(200)`
    pub fn expect_status(&self, expected: impl Statuses) -> Result<&Self, Stop> {
        self.head.expect_status(&expected).map(|()| self)
    }

    /// The verdict that blames this exchange, with the engine's reason: `http_<status>`.
    pub fn failed(&self) -> Stop {
        Stop::FailedBy(self.head.exchange)
    }
}

/// Statuses that are right.
pub trait Statuses {
    /// Whether this one is.
    fn accept(&self, status: u16) -> bool;
}

impl Statuses for u16 {
    fn accept(&self, status: u16) -> bool {
        *self == status
    }
}

impl Statuses for Range<u16> {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}

impl Statuses for RangeInclusive<u16> {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}

impl<const N: usize> Statuses for [u16; N] {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}

impl Statuses for &[u16] {
    fn accept(&self, status: u16) -> bool {
        self.contains(&status)
    }
}
