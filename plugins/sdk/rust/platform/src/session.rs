//! What `login` shares and every other plugin of the platform reads.

use serde::{Deserialize, Serialize};

/// What `login` has found, under the keys in which it is shared. Other keys are left alone: other setup plugins may
/// share as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The bearer token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_token: Option<String>,
    /// The organization's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
    /// The id of a published agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The name of a collection that has documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The webhook to fire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// What signs the webhook's bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_secret: Option<String>,
}

/// A webhook of the platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    /// The kind of sender, the first part of its path.
    pub source: String,
    /// Its id, the second part.
    pub id: String,
}
