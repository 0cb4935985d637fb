//! Chat turns over a WebSocket.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use hyper::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use serde_json::{Value, json};
use stub_model::journal::Entry;
use stub_model::model::Behaviour;
use stub_model::platform::{PoolSettings, Settings, start};
use stub_model::server::Handle;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_websockets::{ClientBuilder, Message, WebSocketStream};

use crate::client::{Client, PATIENCE};
use crate::model::{model, quick};
use crate::platform::{User, settings, shown};

struct Chat {
    socket: WebSocketStream<TcpStream>,
    protocol: Option<HeaderValue>,
}

impl Chat {
    async fn open(platform: &Handle, organisation: &str) -> Self {
        let stream = TcpStream::connect(platform.address()).await.unwrap();
        let url = format!("ws://{}/api/v1/ws/agent?organization_id={organisation}", platform.address());
        let protocols = HeaderValue::from_static("access_token.stub-token, chat");
        let builder = ClientBuilder::new().uri(&url).unwrap().add_header(SEC_WEBSOCKET_PROTOCOL, protocols).unwrap();
        let (socket, response) = timeout(PATIENCE, builder.connect_on(stream)).await.unwrap().unwrap();
        Self { socket, protocol: response.headers().get(SEC_WEBSOCKET_PROTOCOL).cloned() }
    }

    /// A socket of somebody who is logged in, and its agent.
    async fn of(platform: &Handle) -> (Self, String) {
        let mut user = User::of(platform).await;
        (Self::open(platform, &user.organisation).await, user.agent(0).await)
    }

    async fn send(&mut self, body: &Value) {
        self.socket.send(Message::text(body.to_string())).await.unwrap();
    }

    async fn ask(&mut self, agent: &str, text: &str) {
        self.send(&json!({"message": text, "conversation_id": null, "agent_id": agent})).await;
    }

    async fn message(&mut self) -> Message {
        timeout(PATIENCE, self.socket.next()).await.unwrap().unwrap().unwrap()
    }

    async fn frame(&mut self) -> Value {
        serde_json::from_str(self.message().await.as_text().unwrap()).unwrap()
    }

    /// The code of the close that comes next, and nothing after it.
    async fn close(&mut self) -> u16 {
        let message = self.message().await;
        let code = message.as_close().unwrap().0;
        assert!(!matches!(timeout(PATIENCE, self.socket.next()).await.unwrap(), Some(Ok(_))));
        code.into()
    }
}

/// What the journal has of the one socket there was.
async fn socket(platform: &Handle) -> Entry {
    let journal = platform.journal().await.unwrap();
    journal.into_iter().find(|entry| entry.status == Some(101)).unwrap()
}

#[tokio::test]
async fn a_turn_is_deltas_the_end_and_a_close() {
    let platform = start(&settings()).unwrap();
    let (mut chat, agent) = Chat::of(&platform).await;
    assert_eq!(chat.protocol, Some(HeaderValue::from_static("chat")));
    chat.ask(&agent, "MARK").await;
    for k in 0..4 {
        let frame = chat.frame().await;
        assert_eq!(frame["type"], "text_delta");
        assert_eq!(frame["delta"].as_str().unwrap().starts_with(' '), k > 0);
    }
    let end = chat.frame().await;
    assert_eq!((&end["type"], end.get("stopped")), (&json!("complete"), None));
    assert_eq!(end["conversation_id"].as_str().unwrap().len(), 36);
    assert_eq!(chat.close().await, 1000);
    assert_eq!(Client::to(&platform).await.get("/seen?text=MARK").await.json(), json!({"seen": 1}));
    for line in [
        "stub_requests_total{path=\"/api/v1/ws/agent\",status=\"101\"} 1",
        "stub_platform_chat_turns_total{outcome=\"complete\"} 1",
        "stub_platform_model_calls_total{outcome=\"ok\"} 1",
        "stub_platform_pool_in_use 0",
    ] {
        shown(&platform, line).await;
    }
    let entry = socket(&platform).await;
    assert!([entry.arrived_ns, entry.sent_ns.unwrap(), entry.finished_ns.unwrap()].is_sorted(), "{entry:?}");
    // The handshake, four pieces, the end and the close.
    assert!(entry.complete && entry.wire_bytes > 300, "{entry:?}");
}

#[tokio::test]
async fn a_conversation_that_is_named_goes_on() {
    let platform = start(&settings()).unwrap();
    let (mut chat, agent) = Chat::of(&platform).await;
    chat.send(&json!({"message": "hi", "conversation_id": "c-1", "agent_id": agent})).await;
    let mut frame = chat.frame().await;
    while frame["type"] != "complete" {
        frame = chat.frame().await;
    }
    assert_eq!(frame["conversation_id"], "c-1");
}

/// A model that says one word and then nothing for ten minutes.
fn endless() -> Behaviour {
    Behaviour { token: Duration::from_mins(10), ..quick() }
}

#[tokio::test]
async fn a_stop_ends_the_models_answer_and_the_turn_in_order() {
    let elsewhere = model(endless());
    let platform = start(&Settings { model_url: Some(elsewhere.url()), ..settings() }).unwrap();
    let (mut chat, agent) = Chat::of(&platform).await;
    chat.ask(&agent, "hi").await;
    assert_eq!(chat.frame().await["type"], "text_delta");
    shown(&elsewhere, "stub_model_streams_open 1").await;
    shown(&platform, "stub_platform_pool_in_use 1").await;
    chat.send(&json!({"type": "something else"})).await;
    chat.send(&json!({"type": "stop"})).await;
    let end = chat.frame().await;
    assert_eq!((&end["type"], &end["stopped"]), (&json!("complete"), &json!(true)));
    assert_eq!(chat.close().await, 1000);
    shown(&elsewhere, "stub_model_streams_open 0").await;
    shown(&platform, "stub_platform_pool_in_use 0").await;
    shown(&platform, "stub_platform_chat_turns_total{outcome=\"stopped\"} 1").await;
}

#[tokio::test]
async fn a_ping_is_answered_while_the_model_answers() {
    let platform = start(&Settings { behaviour: endless(), ..settings() }).unwrap();
    let (mut chat, agent) = Chat::of(&platform).await;
    chat.ask(&agent, "hi").await;
    assert_eq!(chat.frame().await["type"], "text_delta");
    chat.socket.send(Message::ping("are you there")).await.unwrap();
    let pong = chat.message().await;
    assert!(pong.is_pong() && pong.as_payload().as_ref() == b"are you there");
}

#[tokio::test]
async fn a_client_that_leaves_frees_its_connection_and_the_model() {
    let platform = start(&Settings { behaviour: endless(), ..settings() }).unwrap();
    let (mut chat, agent) = Chat::of(&platform).await;
    chat.ask(&agent, "hi").await;
    assert_eq!(chat.frame().await["type"], "text_delta");
    shown(&platform, "stub_model_streams_open 1").await;
    drop(chat);
    for line in [
        "stub_model_streams_open 0",
        "stub_platform_pool_in_use 0",
        "stub_platform_chat_turns_total{outcome=\"gone\"} 1",
        "stub_requests_total{path=\"/api/v1/ws/agent\",status=\"101\"} 1",
    ] {
        shown(&platform, line).await;
    }
    assert!(!socket(&platform).await.complete);
}

#[tokio::test]
async fn a_model_that_fails_and_a_pool_that_is_empty_end_the_turn_with_an_error() {
    let failing = Settings { behaviour: Behaviour { error_rate: 1.0, ..quick() }, ..settings() };
    let silent = Settings {
        behaviour: Behaviour { timeout_rate: 1.0, ..quick() },
        model_timeout: Duration::from_millis(30),
        ..settings()
    };
    let pool = PoolSettings { size: 1, overflow: 0, timeout: Duration::from_millis(40) };
    let small = Settings { pool, ..settings() };
    let of_pool = "QueuePool limit of size 1 overflow 0 reached, connection timed out, timeout 0.04";
    for (settings, deltas, text) in [
        (failing, 0, "the model answered 500"),
        (silent, 0, "the model did not answer within 0.03 s"),
        (small, 4, of_pool),
    ] {
        let platform = start(&settings).unwrap();
        let (mut chat, agent) = Chat::of(&platform).await;
        chat.ask(&agent, "hi").await;
        for _ in 0..deltas {
            assert_eq!(chat.frame().await["type"], "text_delta");
        }
        assert_eq!(chat.frame().await, json!({"type": "error", "message": text}));
        assert_eq!(chat.close().await, 1011);
        shown(&platform, "stub_platform_chat_turns_total{outcome=\"failed\"} 1").await;
        shown(&platform, "stub_platform_pool_in_use 0").await;
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_answered_is_told_and_closed_on() {
    let platform = start(&settings()).unwrap();
    let mut user = User::of(&platform).await;
    let (good, draft) = (user.agent(0).await, user.agent(1).await);
    for (body, text) in [
        (json!([]), "a message is a JSON object"),
        (json!({"agent_id": good}), "message is a string that is not empty"),
        (json!({"message": "hi"}), "agent_id is the id of an agent"),
        (json!({"message": "hi", "agent_id": good, "conversation_id": 3}), "conversation_id is a string or null"),
        (json!({"message": "hi", "agent_id": "other"}), "Agent not found"),
        (json!({"message": "hi", "agent_id": draft}), "Agent is not published"),
    ] {
        let mut chat = Chat::open(&platform, &user.organisation).await;
        chat.send(&body).await;
        assert_eq!(chat.frame().await, json!({"type": "error", "message": text}));
        assert_eq!(chat.close().await, 1008);
    }
}

#[tokio::test]
async fn a_stop_of_the_platform_closes_its_sockets() {
    let platform = start(&Settings { behaviour: endless(), ..settings() }).unwrap();
    let (mut chat, agent) = Chat::of(&platform).await;
    chat.ask(&agent, "hi").await;
    assert_eq!(chat.frame().await["type"], "text_delta");
    let (stopped, code) = tokio::join!(platform.stop(), chat.close());
    stopped.unwrap();
    assert_eq!(code, 1001);
}

#[tokio::test]
async fn a_handshake_that_is_wrong_is_refused() {
    let platform = start(&settings()).unwrap();
    let organisation = User::of(&platform).await.organisation;
    let path = format!("/api/v1/ws/agent?organization_id={organisation}");
    let good = [
        ("connection", "keep-alive, Upgrade"),
        ("upgrade", "WebSocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("sec-websocket-protocol", "chat, access_token.stub-token"),
    ];
    let ask = async |path: &str, name: &str, value: Option<&str>| {
        let fields: Vec<(&str, &str)> = good
            .into_iter()
            .filter_map(|(known, usual)| Some((known, if known == name { value? } else { usual })))
            .collect();
        let mut client = Client::to(&platform).await;
        client.request("GET", path, &fields, b"").await;
        client.head().await
    };
    let accepted = ask(&path, "", None).await;
    // The example of RFC 6455.
    assert_eq!((accepted.status, accepted.field("sec-websocket-accept")), (101, Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")));
    for (name, value, status) in [
        ("connection", None, 426),
        ("upgrade", Some("h2c"), 426),
        ("sec-websocket-version", Some("8"), 426),
        ("sec-websocket-key", None, 422),
        ("sec-websocket-key", Some("short"), 422),
        ("sec-websocket-protocol", None, 401),
        ("sec-websocket-protocol", Some("chat"), 401),
        ("sec-websocket-protocol", Some("chat, access_token.wrong"), 401),
        ("sec-websocket-protocol", Some("access_token.stub-token"), 422),
    ] {
        assert_eq!(ask(&path, name, value).await.status, status, "{name}: {value:?}");
    }
    assert_eq!(ask("/api/v1/ws/agent", "", None).await.status, 422);
    assert_eq!(ask("/api/v1/ws/agent?organization_id=other", "", None).await.status, 403);
    let mut client = Client::to(&platform).await;
    assert_eq!(client.ask("POST", &path, &[], b"").await.status, 405);
}
