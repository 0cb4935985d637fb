//! One request to the model, from its head to its answer.

use std::cell::RefCell;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::body::Body;
use crate::clock::monotonic_ns;
use crate::connection::Connection;
use crate::control::takes;
use crate::exchange::Exchange;
use crate::faults::{self, Kind};
use crate::metrics::model::ModelMetrics;
use crate::query::Query;
use crate::web::Reply;
use crate::wire::Abandoned;

use super::completion::{Completion, Schedule};
use super::fate::{Fate, Fates, Outcome};
use super::pace::Pacer;
use super::refusal::Refusal;
use super::request::{self, Chat, Embeddings};
use super::routes::Route;
use super::seen::Seen;
use super::stream::Events;
use super::vector::embed;
use super::{Behaviour, MODELS, STAMP_FIELD};

/// Most bytes of a request.
const MAX_BODY: usize = 8 * 1024 * 1024;

/// The model behind its API.
#[derive(Debug)]
pub(crate) struct Model {
    behaviour: Behaviour,
    metrics: Rc<ModelMetrics>,
    pacer: Rc<Pacer>,
    fates: RefCell<Fates>,
    seen: RefCell<Seen>,
}

impl Model {
    /// A model that nobody has asked anything yet.
    pub(crate) fn new(behaviour: Behaviour, metrics: Rc<ModelMetrics>) -> Self {
        let fates = Fates::new(behaviour.seed, behaviour.error_rate, behaviour.timeout_rate);
        let (fates, seen) = (RefCell::new(fates), RefCell::default());
        Self { behaviour, metrics, pacer: Pacer::new(), fates, seen }
    }

    /// True for the paths that are the model's where it shares a listener.
    pub(crate) fn owns(path: &str) -> bool {
        path == "/seen" || path == "/v1" || path.starts_with("/v1/")
    }

    /// Answers one request. Faults set for the whole stub befall it where it is `exposed` to them. An error ends its
    /// connection.
    pub(crate) async fn handle(
        &self,
        connection: &Rc<Connection>,
        request: Request<Incoming>,
        exposed: bool,
    ) -> Result<Response<Body>, Abandoned> {
        let start = Instant::now();
        let route = Route::of(request.uri().path());
        let mut exchange = connection.arrive(route.pattern(), &request);
        let fate = if exposed { exchange.next_fate() } else { faults::Fate::default() };
        let (parts, incoming) = request.into_parts();
        let body = exchange.receive(incoming, true, MAX_BODY).await?;
        exchange.suffer(fate).await?;
        // Otherwise tokens that were due during the wait would all come at its end.
        let start = start + fate.wait;
        let answered = match (check(route, &parts), body) {
            (Err(refusal), _) => Err(refusal),
            (Ok(()), None) => Err(Refusal::too_large(MAX_BODY)),
            (Ok(()), Some(body)) => match route {
                Route::Chat => return self.chat(&body, &parts, start, exchange).await,
                Route::Embeddings => return self.embeddings(&body, exchange).await,
                Route::Models => Ok(models()),
                Route::Model => model(parts.uri.path()),
                Route::Seen => self.seen(parts.uri.query()),
                Route::Unknown => Err(Refusal::unknown_url(parts.method.as_str(), parts.uri.path())),
            },
        };
        Ok(answered.map_or_else(Reply::from, ok).answer(exchange))
    }

    async fn chat(
        &self,
        body: &[u8],
        parts: &Parts,
        start: Instant,
        mut exchange: Exchange,
    ) -> Result<Response<Body>, Abandoned> {
        let chat = match request::object(body).and_then(|object| Chat::read(&object)) {
            Ok(chat) => chat,
            Err(refusal) => return Ok(Reply::from(refusal).answer(exchange)),
        };
        self.seen.borrow_mut().keep(chat.text.clone());
        let fate = match self.meet_fate(body, exchange).await {
            Ok((fate, back)) => {
                exchange = back;
                fate
            }
            Err(failed) => return Ok(failed),
        };
        let stamped = parts.headers.get(STAMP_FIELD).is_some_and(|value| value == "1");
        let completion = Completion::new(&chat, fate, &self.behaviour);
        let mut schedule = Schedule::new(start, fate, &self.behaviour);
        let pace = self.pacer.pace();
        if chat.stream {
            let wanted = (chat.include_usage, stamped);
            let events = Events::new(completion, schedule, pace, wanted, Rc::clone(&self.metrics));
            return Ok(streamed(events, exchange));
        }
        for _ in 1..completion.tokens {
            schedule.advance();
        }
        pace.until(schedule.due()).await;
        let mut whole = completion.whole();
        if stamped {
            whole["sent_ns"] = monotonic_ns().into();
        }
        Ok(ok(whole).answer(exchange))
    }

    async fn embeddings(&self, body: &[u8], exchange: Exchange) -> Result<Response<Body>, Abandoned> {
        let asked = request::object(body).and_then(|object| Embeddings::read(&object));
        let places = self.behaviour.embedding_dim;
        let asked = asked.and_then(|asked| match asked.dimensions.map(usize::try_from) {
            None => Ok((asked, places)),
            Some(Ok(fewer)) if fewer <= places => Ok((asked, fewer)),
            Some(_) => Err(Refusal::field("dimensions", format!("'dimensions' may be {places} at most."))),
        });
        let (asked, places) = match asked {
            Ok(asked) => asked,
            Err(refusal) => return Ok(Reply::from(refusal).answer(exchange)),
        };
        self.seen.borrow_mut().keep(asked.inputs.join("\n"));
        match self.meet_fate(body, exchange).await {
            Ok((_, exchange)) => Ok(embedded(&asked, places).answer(exchange)),
            Err(failed) => Ok(failed),
        }
    }

    /// Decides about a request. One that is to be answered comes back; one that fails has its answer; one that times
    /// out never ends before its connection.
    async fn meet_fate(&self, body: &[u8], mut exchange: Exchange) -> Result<(Fate, Exchange), Response<Body>> {
        let fate = self.fates.borrow_mut().next(body);
        match fate.outcome {
            Outcome::Answer => Ok((fate, exchange)),
            Outcome::Error => {
                self.metrics.failed();
                exchange.note(Kind::Error);
                Err(Reply::from(Refusal::server()).answer(exchange))
            }
            Outcome::Timeout => {
                self.metrics.held();
                exchange.note(Kind::Timeout);
                std::future::pending().await
            }
        }
    }

    fn seen(&self, query: Option<&str>) -> Result<Value, Refusal> {
        let query = Query::parse(query);
        match query.text("text") {
            Ok(Some(text)) if !text.is_empty() => Ok(json!({"seen": self.seen.borrow().count(text)})),
            Ok(_) => Err(Refusal::missing("text")),
            Err(bad) => Err(Refusal::field("text", bad.to_string())),
        }
    }
}

/// Whether the route takes the request's method.
fn check(route: Route, parts: &Parts) -> Result<(), Refusal> {
    match route.methods() {
        Some(methods) if !takes(methods, &parts.method) => {
            Err(Refusal::method(parts.method.as_str(), parts.uri.path(), methods))
        }
        _ => Ok(()),
    }
}

fn ok(body: impl Into<Value>) -> Reply {
    Reply::json(StatusCode::OK, body.into().to_string())
}

fn streamed(events: Events, mut exchange: Exchange) -> Response<Body> {
    exchange.set_status(200);
    let mut response = Response::new(Body::made(Box::new(events), exchange));
    let fields = response.headers_mut();
    fields.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    fields.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn described(id: &str) -> Value {
    // A fixed day, 2024-01-01: a model does not change because its stub was started again.
    json!({"id": id, "object": "model", "created": 1_704_067_200, "owned_by": "stub-model"})
}

fn models() -> Value {
    json!({"object": "list", "data": MODELS.map(described)})
}

fn model(path: &str) -> Result<Value, Refusal> {
    let id = path.rsplit('/').next().unwrap_or_default();
    if MODELS.contains(&id) { Ok(described(id)) } else { Err(Refusal::unknown_model(id)) }
}

/// One vector of an answer, written with single precision.
#[derive(Debug, Serialize)]
struct Embedded {
    object: &'static str,
    index: usize,
    embedding: Encoded,
}

/// A vector as numbers or packed.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Encoded {
    Floats(Vec<f32>),
    Base64(String),
}

/// The answer to a request for embeddings, as JSON.
fn embedded(asked: &Embeddings, places: usize) -> Reply {
    #[derive(Serialize)]
    struct Answer<'a> {
        object: &'static str,
        data: Vec<Embedded>,
        model: &'a str,
        usage: Value,
    }
    let embed = |(index, input): (usize, &String)| {
        let vector = embed(input, places);
        let embedding = if asked.base64 {
            let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
            Encoded::Base64(STANDARD.encode(bytes))
        } else {
            Encoded::Floats(vector)
        };
        Embedded { object: "embedding", index, embedding }
    };
    let tokens: u64 = asked.inputs.iter().map(|input| request::tokens(input)).sum();
    let usage = json!({"prompt_tokens": tokens, "total_tokens": tokens});
    let data = asked.inputs.iter().enumerate().map(embed).collect();
    let answer = Answer { object: "list", data, model: &asked.model, usage };
    // Cannot fail: it has nothing that JSON lacks.
    Reply::json(StatusCode::OK, serde_json::to_vec(&answer).unwrap_or_default())
}
