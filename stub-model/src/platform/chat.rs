//! A chat turn over a WebSocket: one message, its answer as it comes from the model, the end.

use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_websockets::{CloseCode, Limits, Message, ServerBuilder, WebSocketStream};

use crate::draw::id;
use crate::exchange::Exchange;
use crate::server::Stop;

use super::agents::published;
use super::client::{Deltas, ModelError};
use super::handler::Platform;
use super::pool::PoolTimeout;

/// How long the message may take to come.
const FIRST_MESSAGE: Duration = Duration::from_mins(1);

/// How long the other side may take to answer a close.
const CLOSE: Duration = Duration::from_secs(2);

/// Most bytes of a message.
const MAX_MESSAGE: usize = 1024 * 1024;

/// Keeps the ids of conversations made here apart from all others.
const CONVERSATIONS: u64 = 7_000;

type Socket = WebSocketStream<TokioIo<Upgraded>>;
type Sender = SplitSink<Socket, Message>;
type Receiver = SplitStream<Socket>;

/// A WebSocket that is about to be: what its handshake decided.
#[derive(Debug)]
pub(super) struct Session {
    /// The connection, once hyper gives it away.
    pub(super) upgrade: OnUpgrade,
    /// The position of the caller's organisation.
    pub(super) organisation: usize,
    /// On the books until the socket has ended.
    pub(super) exchange: Exchange,
}

/// How a turn ends.
#[derive(Debug)]
enum End {
    /// The answer has been sent.
    Complete { stopped: bool, conversation: String },
    /// There is no answer; the text says why.
    Failed(String),
    /// What the client sent is no message that can be answered.
    Refused(String),
    /// The client is gone.
    Gone,
    /// The server is stopping.
    Stopping,
}

impl From<PoolTimeout> for End {
    fn from(error: PoolTimeout) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<ModelError> for End {
    fn from(error: ModelError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// What a client wants while its answer is coming.
#[derive(Debug)]
enum Wish {
    Stop,
    Leave,
}

impl Session {
    /// Serves the socket to its end.
    pub(super) async fn run(mut self, platform: &Platform, stop: &Stop) {
        // The client left before the handshake was answered.
        let Ok(upgraded) = self.upgrade.await else { return };
        let limits = Limits::default().max_payload_len(Some(MAX_MESSAGE));
        let socket = ServerBuilder::new().limits(limits).serve(TokioIo::new(upgraded));
        let (mut sender, mut receiver) = socket.split();
        let end = tokio::select! {
            end = turn(platform, self.organisation, &mut sender, &mut receiver) => end.unwrap_or_else(|end| end),
            () = stop.told() => End::Stopping,
        };
        if close(platform, end, &mut sender, &mut receiver).await {
            self.exchange.set_complete();
        }
        drop(self.exchange);
    }
}

/// One turn. Keeps a connection of the pool while the model answers, and needs a second one for its row.
async fn turn(
    platform: &Platform,
    organisation: usize,
    sender: &mut Sender,
    receiver: &mut Receiver,
) -> Result<End, End> {
    let asked = timeout(FIRST_MESSAGE, first(receiver)).await;
    let asked = asked.map_err(|_| End::Refused("no message came in time".to_owned()))??;
    published(platform, organisation, &asked.agent).map_err(|reply| End::Refused(reason(&reply.body)))?;
    let answer = async {
        let kept = platform.pool.connection().await?;
        let deltas = platform.model.stream(&asked.text).await?;
        Ok::<_, End>((kept, deltas))
    };
    // Reading goes on all the time: for the client's wish, and for pings, which the reading answers.
    let (kept, stopped) = tokio::select! {
        answer = answer => {
            let (kept, mut deltas) = answer?;
            tokio::select! {
                done = forward(&mut deltas, sender) => { done?; (Some(kept), false) }
                wish = wish(receiver) => match wish {
                    Wish::Stop => (Some(kept), true),
                    Wish::Leave => return Err(End::Gone),
                }
            }
        }
        wish = wish(receiver) => match wish {
            Wish::Stop => (None, true),
            Wish::Leave => return Err(End::Gone),
        }
    };
    platform.pool.briefly(platform.holds.write).await?;
    drop(kept);
    let conversation = asked.conversation.unwrap_or_else(|| id(platform.seed, CONVERSATIONS, platform.next_number()));
    Ok(End::Complete { stopped, conversation })
}

/// Sends the model's pieces as they come. An error of the sending is the client's leaving.
async fn forward(deltas: &mut Deltas, sender: &mut Sender) -> Result<(), End> {
    while let Some(delta) = deltas.next().await? {
        let frame = json!({"type": "text_delta", "delta": delta});
        sender.send(Message::text(frame.to_string())).await.map_err(|_| End::Gone)?;
    }
    Ok(())
}

/// What a client asks.
#[derive(Debug)]
struct Asked {
    text: String,
    agent: String,
    conversation: Option<String>,
}

/// The first message.
async fn first(receiver: &mut Receiver) -> Result<Asked, End> {
    let refused = |text: &str| End::Refused(text.to_owned());
    loop {
        let message = receiver.next().await.and_then(Result::ok).ok_or(End::Gone)?;
        if message.is_close() {
            return Err(End::Gone);
        }
        if message.is_ping() || message.is_pong() {
            continue;
        }
        let object: Option<Value> = message.as_text().and_then(|text| serde_json::from_str(text).ok());
        let object = object.filter(Value::is_object).ok_or_else(|| refused("a message is a JSON object"))?;
        let text = |name: &str| object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let conversation = match object.get("conversation_id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(_) => return Err(refused("conversation_id is a string or null")),
        };
        return Ok(Asked {
            text: text("message").ok_or_else(|| refused("message is a string that is not empty"))?.to_owned(),
            agent: text("agent_id").ok_or_else(|| refused("agent_id is the id of an agent"))?.to_owned(),
            conversation,
        });
    }
}

/// Waits until the client wants something. What is neither a stop nor a close is ignored.
async fn wish(receiver: &mut Receiver) -> Wish {
    loop {
        let Some(Ok(message)) = receiver.next().await else { return Wish::Leave };
        if message.is_close() {
            return Wish::Leave;
        }
        let object: Option<Value> = message.as_text().and_then(|text| serde_json::from_str(text).ok());
        if object.is_some_and(|object| object.get("type").is_some_and(|kind| kind == "stop")) {
            return Wish::Stop;
        }
    }
}

/// Tells the client how it ended and closes. True where all there was to say has been sent.
async fn close(platform: &Platform, end: End, sender: &mut Sender, receiver: &mut Receiver) -> bool {
    let error = |message: String| Some(json!({"type": "error", "message": message}));
    let gone = matches!(end, End::Gone);
    let (outcome, frame, code) = match end {
        End::Complete { stopped, conversation } => {
            let mut frame = json!({"type": "complete", "conversation_id": conversation});
            if stopped {
                frame["stopped"] = true.into();
            }
            (if stopped { "stopped" } else { "complete" }, Some(frame), CloseCode::NORMAL_CLOSURE)
        }
        End::Failed(text) => ("failed", error(text), CloseCode::INTERNAL_SERVER_ERROR),
        End::Refused(text) => ("failed", error(text), CloseCode::POLICY_VIOLATION),
        End::Stopping => ("failed", None, CloseCode::GOING_AWAY),
        End::Gone => ("gone", None, CloseCode::NORMAL_CLOSURE),
    };
    platform.metrics.turn_ended(outcome);
    let mut said = false;
    let farewell = async {
        if let Some(frame) = frame
            && sender.send(Message::text(frame.to_string())).await.is_err()
        {
            return;
        }
        if sender.send(Message::close(Some(code), "")).await.is_ok() {
            said = !gone;
            while let Some(Ok(_)) = receiver.next().await {}
        }
    };
    // A client that does not answer the close is left.
    let _ = timeout(CLOSE, farewell).await;
    said
}

/// The text of a refusal's `detail`.
fn reason(body: &[u8]) -> String {
    let body: Option<Value> = serde_json::from_slice(body).ok();
    body.and_then(|body| Some(body.get("detail")?.as_str()?.to_owned())).unwrap_or_default()
}
