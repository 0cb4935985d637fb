//! Why a run is refused, and what to do. At most 200 bytes each, and without values: what was asked and answered stands
//! below it in the engine's text.

use engine_sdk::Stop;

pub(crate) const PASSWORD: &str =
    "the platform refuses this e-mail and password; correct `email` and `password`, or the target's URL";
pub(crate) const NO_LOGIN: &str =
    "there is no log-in at /api/v1/auth/login; is the target's URL that of the platform, with its path?";
pub(crate) const LOGIN: &str = "the log-in did not answer 200; see to it that the platform is up and healthy";
pub(crate) const NO_TOKEN: &str =
    "the log-in answered without an `access_token`; is the target's URL that of the platform?";
pub(crate) const BAD_ANSWER: &str =
    "the token or the organization's id that the platform gave cannot stand in a request field; is it the platform?";
pub(crate) const ORGANIZATIONS: &str =
    "the list of organizations could not be read; see to it that this account may read it";
pub(crate) const NO_ORGANIZATION: &str =
    "this account belongs to no organization; make one in the platform, or log in as somebody else";
pub(crate) const UNKNOWN_ORGANIZATION: &str =
    "this account does not belong to the configured organization; correct `organization`, or leave it out";
pub(crate) const AGENTS: &str = "the list of agents could not be read; see to it that this account may read it";
pub(crate) const UNKNOWN_AGENT: &str =
    "the organization has no such agent; correct `agent`, or leave it out to use the first published one";
pub(crate) const UNPUBLISHED_AGENT: &str =
    "the configured agent is not published; publish it in the platform, or configure another as `agent`";
pub(crate) const NO_AGENT: &str =
    "the organization has no published agent; publish one in the platform, or configure another `organization`";
pub(crate) const COLLECTION: &str =
    "the collection could not be read; see to it that this account may read it, or leave out `collection`";
pub(crate) const UNKNOWN_COLLECTION: &str =
    "the organization has no such collection; correct `collection`, or make it and ingest documents";
pub(crate) const EMPTY_COLLECTION: &str =
    "the collection is empty, so that every search would find nothing; ingest documents, or configure another";
pub(crate) const UNKNOWN_TRIGGER: &str =
    "the platform has no such trigger; correct `trigger_source` and `trigger_id`, or leave them out";
pub(crate) const NOT_ALLOWED: &str =
    "the model may not be asked; add its host and port to `allowed_hosts` under [limits]";
pub(crate) const NO_MODEL: &str =
    "the model does not answer at /seen; start the stub model there, correct `model`, or set it to \"none\"";
pub(crate) const RUN: &str = "the agent's run failed, so that the platform may not reach its model; start the model and correct its address there";
pub(crate) const NOT_REACHED: &str =
    "the platform does not reach this model: a run was not seen there; correct the model's address in the platform";

/// The refusal for one of these texts.
pub(crate) fn refuse<T>(text: &'static str) -> Result<T, Stop> {
    Err(Stop::failed(text))
}
