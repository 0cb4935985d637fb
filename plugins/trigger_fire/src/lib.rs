//! Fires a webhook with a signed body.
//!
//! Each arrival posts JSON to `/api/v1/webhooks/triggers/{source}/{id}` with `X-Signature-256: sha256=<hex>`, the
//! HMAC-SHA256 of the raw body. A platform answers a body it has seen before as a duplicate, so each one differs: it
//! holds the arrival's numbers and its time. The answer is right when it is a 202 whose `status` is `accepted`; a 200
//! with `duplicate` is the failure `check: duplicate`.
//!
//! ```toml
//! [[setup]]
//! plugin = "login"
//! [setup.config]
//! email = "${EMAIL}"
//! password = "${PASSWORD}"
//! trigger_source = "github"
//! trigger_id = "t-1"
//! webhook_secret = "${WEBHOOK_SECRET}"
//!
//! [[workload]]
//! name = "trigger_fire"
//! share = 1
//! ```

use std::fmt::Write;

use engine_sdk::{Context, Reply, Shared, Stop, Verdict, Workload, percent_encode};
use hmac::{Hmac, KeyInit, Mac};
use platform::{Access, Given, Session, texts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::Sha256;

/// The names a body has of its own.
const OWN: [&str; 6] = ["event", "index", "sequence", "seed", "time_ns", "text"];

/// Which webhook to fire, and with what.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The bearer token; that of `login` where absent.
    token: Option<String>,
    /// The organization's id; that of `login` where absent.
    organization: Option<String>,
    /// The trigger's source, the first part of its path; that of `login` where absent.
    source: Option<String>,
    /// The trigger's id; that of `login` where absent.
    id: Option<String>,
    /// What signs the bodies; that of `login` where absent.
    webhook_secret: Option<String>,
    /// The body's `event`.
    #[serde(default = "default_event")]
    event: String,
    /// Further entries of the body.
    #[serde(default)]
    payload: Map<String, Value>,
}

fn default_event() -> String {
    "load_test".to_owned()
}

/// A webhook, ready to be fired.
struct TriggerFire {
    path: String,
    access: Access,
    /// The key's part of the signature is done.
    signer: Hmac<Sha256>,
    event: String,
    payload: Map<String, Value>,
}

#[derive(Serialize)]
struct Body<'a> {
    event: &'a str,
    index: u64,
    sequence: u64,
    seed: u64,
    time_ns: u64,
    text: String,
    #[serde(flatten)]
    payload: &'a Map<String, Value>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    status: String,
}

impl Workload for TriggerFire {
    type Config = Config;
    const NAME: &str = "trigger_fire";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Fires a webhook with a signed body";

    fn configure(config: Config, shared: Shared) -> Result<Self, String> {
        let session: Session = shared.read()?;
        let access = Access::new(config.token, config.organization, &session)?;
        let trigger = session.trigger.as_ref();
        let from = Given::ByLoginWith("trigger_source");
        let source = from.take("source", config.source, trigger.map(|trigger| trigger.source.as_str()))?;
        let id = Given::ByLoginWith("trigger_id").take("id", config.id, trigger.map(|trigger| trigger.id.as_str()))?;
        let from = Given::ByLoginWith("webhook_secret");
        let secret = from.take("webhook_secret", config.webhook_secret, session.webhook_secret.as_deref())?;
        if let Some(name) = OWN.iter().find(|name| config.payload.contains_key(**name)) {
            return Err(format!("config.payload.{name}: the plugin sets this itself"));
        }
        // A key of any length will do.
        let signer = Hmac::new_from_slice(secret.as_bytes()).map_err(|_| "config.webhook_secret: no key".to_owned())?;
        Ok(Self {
            path: format!("/api/v1/webhooks/triggers/{}/{}", percent_encode(&source), percent_encode(&id)),
            access,
            signer,
            event: config.event,
            payload: config.payload,
        })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let body = self.body(&ctx)?;
        let signature = sign(&self.signer, &body);
        let request = ctx.post(&self.path).name("trigger").fields(self.access.fields()).wanted_fields(&[]);
        let request = request.field("Content-Type", "application/json").field("X-Signature-256", signature);
        judge(&request.body(body).send().await?)
    }
}

impl TriggerFire {
    fn body(&self, ctx: &Context) -> Result<Vec<u8>, Stop> {
        let arrival = ctx.arrival();
        let body = Body {
            event: &self.event,
            index: arrival.index,
            sequence: arrival.sequence,
            seed: arrival.seed,
            time_ns: arrival.wall_time,
            text: texts::question(&mut ctx.rng()),
            payload: &self.payload,
        };
        serde_json::to_vec(&body).map_err(|_| Stop::failed("body has no JSON form"))
    }
}

/// `sha256=` and the code in lower-case hexadecimal.
fn sign(signer: &Hmac<Sha256>, body: &[u8]) -> String {
    let mut signer = signer.clone();
    signer.update(body);
    let mut signature = String::with_capacity(7 + 64);
    signature.push_str("sha256=");
    for byte in signer.finalize().into_bytes() {
        // Writing to a string cannot fail.
        let _ = write!(signature, "{byte:02x}");
    }
    signature
}

fn judge(reply: &Reply) -> Verdict {
    reply.expect_status([200, 202])?;
    let answer: Answer = reply.json()?;
    match (reply.status(), answer.status.as_str()) {
        (202, "accepted") => Ok(()),
        (_, "duplicate") => Err(Stop::failed("duplicate")),
        (202, _) => Err(Stop::failed("not accepted")),
        _ => Err(reply.failed()),
    }
}

engine_sdk::plugin!(TriggerFire);

#[cfg(test)]
mod tests;
