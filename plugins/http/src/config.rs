//! The configuration as a user writes it. [`crate::plan`] checks what these types cannot.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// One HTTP request, or several that differ in their path.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The method as sent.
    #[serde(default = "default_method")]
    pub(crate) method: String,
    /// Path and query. Give this or `paths`.
    pub(crate) path: Option<String>,
    /// Paths with their queries; arrival i takes path i % n.
    #[schemars(length(min = 1))]
    pub(crate) paths: Option<Vec<String>>,
    /// Request fields: an object (sent sorted by name), or a list of pairs (sent in order).
    #[serde(default)]
    pub(crate) fields: Fields,
    /// The body as text.
    pub(crate) body: Option<String>,
    /// The body as JSON, sent with `content-type: application/json` unless `fields` has another.
    pub(crate) body_json: Option<serde_json::Value>,
    /// The body as base64, sent without placeholders.
    pub(crate) body_base64: Option<String>,
    /// Statuses that are right: `204`, `"2xx"`, `"200-299"`.
    #[serde(default = "default_expect")]
    #[schemars(length(min = 1))]
    pub(crate) expect: Vec<Status>,
    /// How the answer's body is read: `count` (cheapest) or `whole` (decompressed and handed over). `whole` where the
    /// body is looked at or limited, else `count`.
    pub(crate) read: Option<Read>,
    /// The most bytes of an answer's body, after decompression; larger ones fail as `body_too_large`. 16 MiB where
    /// absent.
    #[schemars(range(min = 1, max = 67_108_864))]
    pub(crate) max_body: Option<u32>,
    /// Text that the answer's body must hold.
    pub(crate) expect_body_contains: Option<String>,
    /// The most redirects to follow; the workload's setting where absent.
    #[schemars(range(max = 20))]
    pub(crate) follow_redirects: Option<u32>,
    /// Names the series in the report; the method and the path without its query where absent.
    #[schemars(length(min = 1, max = 128))]
    pub(crate) name: Option<String>,
}

fn default_method() -> String {
    "GET".to_owned()
}

fn default_expect() -> Vec<Status> {
    vec![Status::Pattern("2xx".to_owned())]
}

/// Request fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected an object { name = \"value\" } or a list of pairs [\"name\", \"value\"]")]
pub(crate) enum Fields {
    /// Sent sorted by name.
    Object(BTreeMap<String, String>),
    /// Sent in this order; a name may repeat.
    Pairs(Vec<(String, String)>),
}

impl Default for Fields {
    fn default() -> Self {
        Self::Pairs(Vec::new())
    }
}

impl Fields {
    /// As a list of pairs.
    pub(crate) fn into_pairs(self) -> Vec<(String, String)> {
        match self {
            Self::Object(object) => object.into_iter().collect(),
            Self::Pairs(pairs) => pairs,
        }
    }
}

/// A status or a pattern of statuses.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a status such as 204, \"2xx\" or \"200-299\"")]
pub(crate) enum Status {
    /// One status.
    Code(u16),
    /// A class such as `2xx`, a range such as `200-299`, or one status.
    Pattern(String),
}

/// How an answer's body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Read {
    /// Counted and dropped.
    Count,
    /// Handed over whole.
    Whole,
}
