//! The configuration as a user writes it, and checked.

use platform::Trigger;
use schemars::JsonSchema;
use serde::Deserialize;

/// Who logs in, and what the workloads are to use.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// Who logs in: `"${EMAIL}"`.
    email: String,
    /// The password: `"${PASSWORD}"`.
    password: String,
    /// The organization's id; the first one of the account where absent.
    organization: Option<String>,
    /// The agent's id; the first published one where absent.
    agent: Option<String>,
    /// The name of a collection that has documents, for `rag_query` and `ingest`.
    collection: Option<String>,
    /// The source of the trigger that `trigger_fire` fires; with `trigger_id`.
    trigger_source: Option<String>,
    /// The trigger's id; with `trigger_source`.
    trigger_id: Option<String>,
    /// What signs the trigger's bodies: `"${WEBHOOK_SECRET}"`.
    webhook_secret: Option<String>,
    /// At whom to look whether the platform reaches its model: `"none"`, `"target"`, or the model as `"host:port"`.
    #[serde(default = "default_model")]
    model: String,
}

fn default_model() -> String {
    "none".to_owned()
}

/// The checked configuration. It has no debug form: it holds a password.
pub(crate) struct Plan {
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) organization: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) collection: Option<String>,
    pub(crate) trigger: Option<Trigger>,
    pub(crate) webhook_secret: Option<String>,
    pub(crate) model: Model,
}

/// At whom to look for the probe.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// At nobody: there is no probe.
    None,
    /// At the target, if it knows the question.
    Target,
    /// At this host.
    Host(String),
}

impl Plan {
    /// Checks a configuration. No text of a refusal holds a value of it but the model's host.
    pub(crate) fn new(config: Config) -> Result<Self, String> {
        for (key, value) in [("email", &config.email), ("password", &config.password)] {
            if value.is_empty() {
                return Err(format!("config.{key}: must not be empty"));
            }
        }
        let optional = [
            ("organization", &config.organization),
            ("agent", &config.agent),
            ("collection", &config.collection),
            ("trigger_source", &config.trigger_source),
            ("trigger_id", &config.trigger_id),
            ("webhook_secret", &config.webhook_secret),
        ];
        if let Some((key, _)) = optional.iter().find(|(_, value)| value.as_ref().is_some_and(String::is_empty)) {
            return Err(format!("config.{key}: must not be empty; leave it out where there is none"));
        }
        let trigger = match (config.trigger_source, config.trigger_id) {
            (Some(source), Some(id)) => Some(Trigger { source, id }),
            (None, None) => None,
            _ => return Err("config: give `trigger_source` and `trigger_id` together".to_owned()),
        };
        Ok(Self {
            email: config.email,
            password: config.password,
            organization: config.organization,
            agent: config.agent,
            collection: config.collection,
            trigger,
            webhook_secret: config.webhook_secret,
            model: Model::parse(config.model)?,
        })
    }
}

impl Model {
    fn parse(text: String) -> Result<Self, String> {
        match text.as_str() {
            "none" => return Ok(Self::None),
            "target" => return Ok(Self::Target),
            _ => {}
        }
        let authority = text.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && !host.contains(['/', '@']) && host.is_ascii() && port.parse::<u16>().is_ok()
        });
        if authority {
            Ok(Self::Host(text))
        } else {
            Err(format!("config.model: {text:?} is neither \"none\" nor \"target\" nor the model as \"host:port\""))
        }
    }
}
