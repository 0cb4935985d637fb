//! Talks to an agent over a WebSocket and reads the answer as it is made.
//!
//! Each arrival opens `/api/v1/ws/agent?organization_id=…` and offers the subprotocols `access_token.<token>` and
//! `chat`, as a browser does, which can set no `Authorization`. It sends one message and reads frames: `text_delta`,
//! `error`, `complete`; other types are passed over. The answer is right when text came and then `complete`. Everything
//! else is a failure: an error frame (`check: error frame: …`), a close before `complete`, a connection that broke (the
//! engine's reason).
//!
//! Every fifth arrival has seen enough after its first token: it sends `{"type":"stop"}`, waits for `complete` and counts
//! as cancelled, which is no failure.
//!
//! ```toml
//! [[setup]]
//! plugin = "login"
//! config = { email = "${EMAIL}", password = "${PASSWORD}" }
//!
//! [[workload]]
//! name = "chat_stream"
//! share = 1
//! ```

mod frame;

use engine_sdk::{Context, Metric, Shared, Since, Socket, Stop, Verdict, Workload, percent_encode};
use platform::{Access, Given, Session, texts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use frame::Frame;

/// Ends an answer early.
const STOP: &str = r#"{"type":"stop"}"#;

/// Whom to talk to, and what to say.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The bearer token; that of `login` where absent.
    token: Option<String>,
    /// The organization's id; that of `login` where absent.
    organization: Option<String>,
    /// The agent's id; that of `login` where absent.
    agent: Option<String>,
    /// Messages to choose from, by the arrival's seed; questions of the plugin's own where empty.
    #[serde(default)]
    messages: Vec<String>,
    /// Every so many arrivals one stops the answer after its first token; 0 for never.
    #[serde(default = "default_cancel_every")]
    cancel_every: u32,
}

fn default_cancel_every() -> u32 {
    5
}

engine_sdk::metrics! {
    /// From due to the first text of the answer that is not empty.
    mark FIRST_TOKEN = "first_token";
    /// Between texts of the answer; of several in one read each has an equal part.
    mark TOKEN_GAP = "token_gap";
    /// Texts received that were not empty.
    counter DELTAS = "deltas" in "deltas";
}

/// A conversation, ready to be begun.
struct ChatStream {
    path: String,
    subprotocol: String,
    access: Access,
    agent: String,
    messages: Vec<String>,
    cancel_every: u64,
}

/// What begins a conversation.
#[derive(Serialize)]
struct Opening<'a> {
    message: &'a str,
    conversation_id: Option<&'a str>,
    agent_id: &'a str,
}

impl Workload for ChatStream {
    type Config = Config;
    const NAME: &str = "chat_stream";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Talks to an agent over a WebSocket and reads the answer as it is made";
    const METRICS: &[Metric] = METRICS;

    fn configure(config: Config, shared: Shared) -> Result<Self, String> {
        let session: Session = shared.read()?;
        let access = Access::new(config.token, config.organization, &session)?;
        let agent = Given::ByLogin.take("agent", config.agent, session.agent.as_deref())?;
        let subprotocol = format!("access_token.{}", access.token());
        // RFC 6455 wants a token of HTTP here (RFC 9110, 5.6.2).
        if !subprotocol.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)) {
            return Err("config.token: has characters that a WebSocket's subprotocol cannot carry".to_owned());
        }
        Ok(Self {
            path: format!("/api/v1/ws/agent?organization_id={}", percent_encode(access.organization())),
            subprotocol,
            access,
            agent,
            messages: config.messages,
            cancel_every: config.cancel_every.into(),
        })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let socket = ctx.socket(&self.path).name("chat").subprotocol(&self.subprotocol).subprotocol("chat");
        let mut socket = socket.open().await?;
        socket.send_text(&self.opening(&ctx)?);
        // The fifth, the tenth, …: never where it is 0.
        let stops = (ctx.arrival().index + 1).checked_rem(self.cancel_every) == Some(0);
        let mut spoke = false;
        while let Some(batch) = socket.next_batch().await? {
            let mut deltas = 0;
            let mut complete = false;
            for message in &batch {
                match Frame::read(message)? {
                    Frame::Text => deltas += 1,
                    Frame::Complete => complete = true,
                    Frame::Error(text) => return Err(Stop::quoting("error frame", &self.access.hide(&text))),
                    Frame::Other => {}
                }
            }
            if deltas > 0 {
                ctx.lap(TOKEN_GAP, deltas);
                ctx.count(DELTAS, deltas.into());
                if !spoke {
                    spoke = true;
                    ctx.mark(FIRST_TOKEN, Since::Due);
                    if stops && !complete {
                        socket.send_text(STOP);
                    }
                }
            }
            if complete {
                return match (spoke, stops) {
                    (false, _) => Err(Stop::failed("complete without text")),
                    (true, true) => Err(Stop::Cancelled),
                    (true, false) => Ok(()),
                };
            }
        }
        Err(closed(&socket))
    }
}

impl ChatStream {
    fn opening(&self, ctx: &Context) -> Result<String, Stop> {
        let message = texts::one_of(&self.messages, &mut ctx.rng());
        let opening = Opening { message: &message, conversation_id: None, agent_id: &self.agent };
        serde_json::to_string(&opening).map_err(|_| Stop::failed("message has no JSON form"))
    }
}

/// The verdict on a socket that was closed before its answer was complete.
fn closed(socket: &Socket) -> Stop {
    match socket.close_info() {
        Some(info) => Stop::quoting(&format!("closed without complete, code {}", info.code), &info.reason),
        None => Stop::failed("closed without complete"),
    }
}

engine_sdk::plugin!(ChatStream);

#[cfg(test)]
mod tests;
