//! The configuration as a user writes it. [`crate::plan`] checks what these types cannot.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What to ask, and of whom.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The model's name.
    pub(crate) model: String,
    /// What stands before `/chat/completions`.
    #[serde(default = "default_base_path")]
    pub(crate) base_path: String,
    /// Sent as `Authorization: Bearer`; nothing is sent where absent or empty.
    pub(crate) api_key: Option<String>,
    /// Further request fields, such as `api-key`.
    #[serde(default)]
    pub(crate) fields: BTreeMap<String, String>,
    /// What to say. Give this or `prompts`; a short question of the plugin's own where neither is given.
    pub(crate) prompt: Option<String>,
    /// What to say; arrival i takes prompt i % n.
    #[schemars(length(min = 1))]
    pub(crate) prompts: Option<Vec<String>>,
    /// What the model is told before the prompt.
    pub(crate) system: Option<String>,
    /// Begins each prompt with the arrival's seed, so that no cache of prompts answers.
    #[serde(default)]
    pub(crate) vary: bool,
    /// Whether to have the answer streamed.
    #[serde(default = "yes")]
    pub(crate) stream: bool,
    /// The most tokens of an answer, from 1; the server's own limit where absent.
    #[schemars(range(min = 1))]
    pub(crate) max_tokens: Option<u32>,
    /// Whether to ask a stream for its count of tokens. For servers that refuse to be asked: `false`.
    #[serde(default = "yes")]
    pub(crate) include_usage: bool,
    /// Further entries of the request's body, such as `temperature`. A `stream_options` here takes the place of the
    /// plugin's.
    #[serde(default)]
    pub(crate) extra: Map<String, Value>,
}

fn default_base_path() -> String {
    "/v1".to_owned()
}

fn yes() -> bool {
    true
}
