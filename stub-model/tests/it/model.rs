//! The model behind its API. What the official client thinks of it is in `tests/openai.rs`.

use std::time::Duration;

use serde_json::{Value, json};
use stub_model::model::{Behaviour, Settings, bind, start};
use stub_model::server::{Handle, StartError};

use crate::client::{Answer, Client, server, until};

const CHAT: &str = "/v1/chat/completions";

/// A model that answers 4 tokens at once.
pub(crate) fn quick() -> Behaviour {
    Behaviour { tokens: 4, first_token: Duration::ZERO, token: Duration::ZERO, ..Behaviour::default() }
}

pub(crate) fn model(behaviour: Behaviour) -> Handle {
    start(&Settings { server: server(), behaviour }).unwrap()
}

async fn post(stub: &Handle, path: &str, body: &Value) -> Answer {
    Client::to(stub).await.ask("POST", path, &[], body.to_string().as_bytes()).await
}

fn message(text: &str) -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": text}]})
}

fn stream(text: &str) -> Value {
    let mut body = message(text);
    body["stream"] = true.into();
    body
}

/// The data of the events of an answer.
fn events(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.field("content-type"), Some("text/event-stream; charset=utf-8"));
    let text = std::str::from_utf8(&answer.body).unwrap();
    let events = text.strip_suffix("\n\n").unwrap().split("\n\n");
    events.map(|event| event.strip_prefix("data: ").unwrap().to_owned()).collect()
}

fn parsed(events: &[String]) -> Vec<Value> {
    events.iter().map(|event| serde_json::from_str(event).unwrap()).collect()
}

async fn metrics(stub: &Handle) -> String {
    String::from_utf8(Client::to(stub).await.get("/metrics").await.body).unwrap()
}

#[tokio::test]
async fn a_stream_is_role_tokens_reason_usage_and_done() {
    let stub = model(quick());
    let mut body = stream("hi");
    body["stream_options"] = json!({"include_usage": true});
    let answer = post(&stub, CHAT, &body).await;
    let mut events = events(&answer);
    assert_eq!(events.pop().as_deref(), Some("[DONE]"));
    let events = parsed(&events);
    assert_eq!(events.len(), 7);
    let deltas: Vec<&Value> = events[..6].iter().map(|event| &event["choices"][0]["delta"]).collect();
    assert_eq!(*deltas[0], json!({"role": "assistant", "content": "", "refusal": null}));
    assert!(deltas[1..5].iter().all(|delta| delta["content"].as_str().is_some_and(|text| !text.is_empty())));
    assert_eq!(*deltas[5], json!({}));
    let reasons: Vec<&Value> = events[..6].iter().map(|event| &event["choices"][0]["finish_reason"]).collect();
    assert!(reasons[..5].iter().all(|reason| reason.is_null()) && *reasons[5] == "stop");
    assert!(events[..6].iter().all(|event| event["usage"].is_null() && event["sent_ns"].is_null()));
    assert_eq!(events[6]["choices"], json!([]));
    assert_eq!(events[6]["usage"], json!({"prompt_tokens": 5, "completion_tokens": 4, "total_tokens": 9}));
    for event in &events {
        assert_eq!((&event["object"], &event["model"]), (&json!("chat.completion.chunk"), &json!("m")));
        assert_eq!((&event["id"], &event["created"]), (&events[0]["id"], &events[0]["created"]));
    }
}

#[tokio::test]
async fn without_being_asked_for_there_is_no_usage() {
    let stub = model(quick());
    let answer = post(&stub, CHAT, &stream("hi")).await;
    let mut events = events(&answer);
    assert_eq!(events.pop().as_deref(), Some("[DONE]"));
    assert_eq!(events.len(), 6);
    assert!(events.iter().all(|event| !event.contains("usage")));
}

#[tokio::test]
async fn a_stream_and_a_whole_answer_say_the_same_and_a_bound_shortens_both() {
    let (one, other) = (model(quick()), model(quick()));
    for (bound, tokens, reason) in [(None, 4, "stop"), (Some(2), 2, "length"), (Some(4), 4, "stop")] {
        let mut body = message("hi");
        body["max_tokens"] = bound.into();
        let whole = post(&one, CHAT, &body).await.json();
        assert_eq!(whole["usage"]["completion_tokens"], tokens);
        assert_eq!(whole["choices"][0]["finish_reason"], reason);
        let content = whole["choices"][0]["message"]["content"].as_str().unwrap();
        assert_eq!(content.split(' ').count(), tokens);
        body["stream"] = true.into();
        let answer = post(&other, CHAT, &body).await;
        let streamed = parsed(&events(&answer)[..tokens + 2]);
        let pieces: Vec<&str> =
            streamed.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!((pieces.len(), pieces[0]), (tokens + 1, ""));
        assert_eq!(streamed[tokens + 1]["choices"][0]["finish_reason"], reason);
    }
}

#[tokio::test]
async fn times_are_kept_and_every_event_tells_when_it_left() {
    let behaviour = Behaviour { first_token: Duration::from_millis(60), token: Duration::from_millis(10), ..quick() };
    let stub = model(behaviour);
    let before = stub_model::clock::monotonic_ns();
    let fields = [("x-stub-sent-ns", "1")];
    let answer = Client::to(&stub).await.ask("POST", CHAT, &fields, stream("hi").to_string().as_bytes()).await;
    let after = stub_model::clock::monotonic_ns();
    let mut events = events(&answer);
    events.pop();
    let stamps: Vec<u64> = parsed(&events).iter().map(|event| event["sent_ns"].as_u64().unwrap()).collect();
    assert!(stamps.is_sorted() && stamps[0] > before && stamps[5] < after);
    // At least 0.7 times as long as is set, which is what the jitter leaves.
    for (k, stamp) in (0..).zip(&stamps[1..5]) {
        assert!(stamp - before >= 42_000_000 + k * 7_000_000, "token {k} after {} ns", stamp - before);
    }
    let whole = Client::to(&stub).await.ask("POST", CHAT, &fields, message("hi").to_string().as_bytes()).await;
    assert!(whole.json()["sent_ns"].as_u64().unwrap() - after >= 62_000_000);
}

#[tokio::test]
async fn many_streams_at_a_time_all_end() {
    let behaviour =
        Behaviour { tokens: 20, first_token: Duration::from_millis(20), token: Duration::from_millis(3), ..quick() };
    let stub = model(behaviour);
    let mut streams = tokio::task::JoinSet::new();
    for k in 0..100 {
        let mut client = Client::to(&stub).await;
        streams.spawn(async move {
            let answer = client.ask("POST", CHAT, &[], stream(&format!("hi {k}")).to_string().as_bytes()).await;
            events(&answer).len()
        });
    }
    assert!(streams.join_all().await.into_iter().all(|events| events == 23));
    let shown = metrics(&stub).await;
    for line in
        ["stub_model_tokens_total 2000", "stub_model_streams_open 0", "stub_model_token_late_seconds_count 2000"]
    {
        assert!(shown.lines().any(|found| found == line), "{line} is not in\n{shown}");
    }
}

#[tokio::test]
async fn a_stream_ends_with_its_client() {
    let stub = model(Behaviour { token: Duration::from_mins(10), ..quick() });
    let mut client = Client::to(&stub).await;
    client.request("POST", CHAT, &[], stream("hi").to_string().as_bytes()).await;
    assert_eq!(client.head().await.status, 200);
    assert!(metrics(&stub).await.contains("stub_model_streams_open 1\n"));
    drop(client);
    until(async || metrics(&stub).await.contains("stub_model_streams_open 0\n")).await;
}

#[tokio::test]
async fn an_error_is_a_500_with_the_body_of_openai() {
    let stub = model(Behaviour { error_rate: 1.0, ..quick() });
    for (path, body) in
        [(CHAT, message("hi")), (CHAT, stream("hi")), ("/v1/embeddings", json!({"model": "m", "input": "a"}))]
    {
        let answer = post(&stub, path, &body).await;
        let error = &answer.json()["error"];
        assert_eq!((answer.status, &error["type"], &error["param"]), (500, &json!("server_error"), &Value::Null));
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()) && error["code"].is_null());
    }
    assert!(metrics(&stub).await.contains("stub_model_faults_total{kind=\"error\"} 3\n"));
    // What is no request for an answer meets no fault.
    assert_eq!(post(&stub, CHAT, &json!({})).await.status, 400);
    assert_eq!(Client::to(&stub).await.get("/v1/models").await.status, 200);
}

#[tokio::test]
async fn a_time_out_holds_the_connection_until_the_client_goes() {
    let stub = model(Behaviour { timeout_rate: 1.0, ..quick() });
    let mut client = Client::to(&stub).await;
    client.request("POST", CHAT, &[], message("hi").to_string().as_bytes()).await;
    until(async || metrics(&stub).await.contains("stub_model_faults_total{kind=\"timeout\"} 1\n")).await;
    assert_eq!(stub.counters().await.unwrap().answered, 0);
    drop(client);
    until(async || stub.counters().await.unwrap().answered == 1).await;
    assert_eq!(stub.journal().await.unwrap()[0].status, None);
}

#[tokio::test]
async fn faults_are_those_of_the_seed() {
    let statuses = async |seed| {
        let stub = model(Behaviour { error_rate: 0.4, seed, ..quick() });
        let mut client = Client::to(&stub).await;
        let mut statuses = Vec::new();
        for k in 0..40 {
            // Every second one repeats the one before.
            let body = message(&format!("hi {}", k / 2)).to_string();
            statuses.push(client.ask("POST", CHAT, &[], body.as_bytes()).await.status);
        }
        statuses
    };
    let one = statuses(1).await;
    assert!(one.contains(&500) && one.contains(&200));
    assert_eq!(one, statuses(1).await);
    assert_ne!(one, statuses(2).await);
}

#[tokio::test]
async fn embeddings_are_the_same_in_both_encodings() {
    use base64::Engine;

    let stub = model(Behaviour { embedding_dim: 64, ..quick() });
    let ask = async |body: Value| post(&stub, "/v1/embeddings", &body).await;
    let plain = ask(json!({"model": "m", "input": ["one", "two"]})).await.json();
    let packed = ask(json!({"model": "m", "input": ["one", "two"], "encoding_format": "base64"})).await.json();
    for k in 0..2 {
        let floats: Vec<f32> = serde_json::from_value(plain["data"][k]["embedding"].clone()).unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(packed["data"][k]["embedding"].as_str().unwrap());
        let unpacked: Vec<f32> =
            bytes.unwrap().chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect();
        assert_eq!((floats.len(), &floats), (64, &unpacked));
        assert_eq!((&plain["data"][k]["index"], &plain["data"][k]["object"]), (&json!(k), &json!("embedding")));
    }
    assert_eq!((&plain["object"], &plain["model"]), (&json!("list"), &json!("m")));
    assert_eq!(plain["usage"], json!({"prompt_tokens": 2, "total_tokens": 2}));
    let short = ask(json!({"model": "m", "input": "one", "dimensions": 3})).await.json();
    assert_eq!(short["data"][0]["embedding"].as_array().unwrap().len(), 3);
    assert_eq!(ask(json!({"model": "m", "input": "one", "dimensions": 65})).await.status, 400);
}

#[tokio::test]
async fn models_are_listed_and_found() {
    let stub = model(quick());
    let mut client = Client::to(&stub).await;
    let list = client.get("/v1/models").await.json();
    assert_eq!((&list["object"], &list["data"][0]["id"]), (&json!("list"), &json!("stub-chat")));
    assert_eq!(client.get("/v1/models/stub-embedding").await.json()["object"], "model");
    assert_eq!(client.get("/v1/models/other").await.error_code(), "model_not_found");
}

#[tokio::test]
async fn wrong_requests_get_an_error_in_the_form_of_openai() {
    let stub = model(quick());
    let mut client = Client::to(&stub).await;
    for (method, path, body, status, code, param) in [
        ("GET", "/v1/nowhere", "", 404, json!("unknown_url"), Value::Null),
        ("POST", "/", "", 404, json!("unknown_url"), Value::Null),
        ("GET", CHAT, "", 405, json!("method_not_supported"), Value::Null),
        ("DELETE", "/v1/models", "", 405, json!("method_not_supported"), Value::Null),
        ("POST", CHAT, "", 400, Value::Null, Value::Null),
        ("POST", CHAT, "{", 400, Value::Null, Value::Null),
        ("POST", CHAT, "{\"model\":\"m\"}", 400, json!("missing_required_parameter"), json!("messages")),
        ("POST", "/v1/embeddings", "{\"model\":\"m\"}", 400, json!("missing_required_parameter"), json!("input")),
    ] {
        let answer = client.ask(method, path, &[], body.as_bytes()).await;
        let error = &answer.json()["error"];
        assert_eq!((answer.status, &error["code"], &error["param"]), (status, &code, &param), "{method} {path} {body}");
        assert_eq!(error["type"], "invalid_request_error");
        assert_eq!(answer.field("allow").is_some(), status == 405);
    }
    let long = vec![b' '; 8 * 1024 * 1024 + 1];
    assert_eq!(client.ask("POST", CHAT, &[], &long).await.status, 413);
}

#[tokio::test]
async fn what_was_said_can_be_looked_for() {
    let stub = model(quick());
    post(&stub, CHAT, &message("look for \"MARK 1\" é")).await;
    post(&stub, "/v1/embeddings", &json!({"model": "m", "input": ["a", "MARK 1"]})).await;
    let mut client = Client::to(&stub).await;
    let seen = async |client: &mut Client, text: &str| client.get(&format!("/seen?text={text}")).await.json();
    assert_eq!(seen(&mut client, "MARK+1").await, json!({"seen": 2}));
    assert_eq!(seen(&mut client, "%22MARK+1%22+%C3%A9").await, json!({"seen": 1}));
    assert_eq!(seen(&mut client, "MARK+2").await, json!({"seen": 0}));
    assert_eq!(client.get("/seen").await.status, 400);
    assert_eq!(client.get("/seen?text=").await.status, 400);
}

#[tokio::test]
async fn settings_out_of_range_are_told() {
    for behaviour in [
        Behaviour { jitter: 1.5, ..quick() },
        Behaviour { error_rate: 0.6, timeout_rate: 0.6, ..quick() },
        Behaviour { error_rate: f64::NAN, ..quick() },
        Behaviour { tokens: 0, ..quick() },
        Behaviour { embedding_dim: 0, ..quick() },
        Behaviour { first_token: Duration::MAX, ..quick() },
    ] {
        let bound = bind(&Settings { server: server(), behaviour });
        assert!(matches!(bound, Err(StartError::Setting(_))));
    }
}
