//! The id that a request carries on the wire, so that both sides write down the same one.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use crate::client::{MOST_FIELD_BYTES, MOST_FIELDS};

/// The field that carries it.
pub const FIELD: &str = "x-request-id";

/// Names a run among all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunId(Arc<str>);

impl RunId {
    /// A fresh one.
    pub fn fresh() -> Self {
        // The keys of a hasher come from the operating system: two runs of one seed must not share their ids.
        let random = RandomState::new().build_hasher().finish();
        Self(format!("{:012x}", random >> 16).into())
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of an arrival's exchange with that number.
    pub fn request(&self, sequence: u64, exchange: u32) -> String {
        format!("{}-{sequence}-{exchange}", self.0)
    }
}

/// By which id a request goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Id {
    /// By none: it was never to be sent, or its head has no room for one.
    #[default]
    None,
    /// By the run's, its arrival's and its own number.
    Own,
    /// By the one that its plugin gave it.
    Given(Box<str>),
}

impl Id {
    /// Gives a request its id, unless its plugin has.
    pub fn label(run: &RunId, sequence: u64, exchange: u32, fields: &mut Vec<(String, String)>) -> Self {
        if let Some((_, value)) = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(FIELD)) {
            // As a server reads it. What is not visible ASCII it may not tell.
            let value = value.trim_matches([' ', '\t']);
            let readable = !value.is_empty() && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
            return if readable { Self::Given(value.into()) } else { Self::None };
        }
        let id = run.request(sequence, exchange);
        let bytes: usize = fields.iter().map(|(name, value)| name.len() + value.len()).sum();
        // A request that can just be sent must not fail because it is watched.
        if fields.len() >= MOST_FIELDS || bytes + FIELD.len() + id.len() > MOST_FIELD_BYTES {
            return Self::None;
        }
        fields.push((FIELD.to_owned(), id));
        Self::Own
    }
}
