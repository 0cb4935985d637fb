//! One request, from its head to its answer.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use tokio::sync::Notify;

use crate::body::{Body, Source};
use crate::query::{BadParameter, Query};
use crate::traffic::{Exchange, Traffic};
use crate::wire::{Abandoned, Line};

use super::answer::{JSON, Reply, Shape};
use super::faults::{Fault, MAX_MS};
use super::fields;
use super::lists::Lists;
use super::routes::Route;

/// Most bytes of a request body that are kept.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// What all connections share.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) traffic: Rc<Traffic>,
    lists: Lists,
    stopping: Cell<bool>,
    stop: Notify,
}

impl Target {
    pub(super) fn new(traffic: Rc<Traffic>, seed: u64, token: &str) -> Self {
        Self { traffic, lists: Lists::new(seed, token), stopping: Cell::new(false), stop: Notify::new() }
    }

    /// Tells all connections to end after what they are doing.
    pub(super) fn stop(&self) {
        self.stopping.set(true);
        self.stop.notify_waiters();
    }

    /// Waits until connections are to end.
    pub(super) async fn stopped(&self) {
        if !self.stopping.get() {
            self.stop.notified().await;
        }
    }
}

/// Answers one request. An error ends its connection.
pub(super) async fn handle(
    target: Rc<Target>,
    line: Rc<Line>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Abandoned> {
    line.head_parsed();
    let route = Route::of(request.uri().path());
    if route.is_control() {
        return Ok(control(&target.traffic, route, request, line).await);
    }
    let id = request.headers().get("x-request-id").and_then(|value| value.to_str().ok());
    let exchange = target.traffic.arrive(route.pattern(), request.method(), request.uri(), id);
    let (parts, incoming) = request.into_parts();
    let received = receive(incoming, route.wants_body(), &exchange).await?;
    let query = Query::parse(parts.uri.query());
    if route == Route::Fault {
        return match Fault::parse(&query) {
            Ok(fault) => Box::pin(fault.play(exchange, line)).await,
            Err(bad) => Shape::default().answer(Reply::bad_parameter(&bad), &parts, exchange, line).await,
        };
    }
    let (reply, shape) = match reply(&target, route, &parts, &query, received, &line).await {
        Ok(answer) => answer,
        Err(refusal) => (*refusal, Shape::default()),
    };
    shape.answer(reply, &parts, exchange, line).await
}

/// Reads a request's body to its end, so that the connection can be used again. The bytes are kept where they are
/// wanted; none where they are more than is kept.
async fn receive(mut incoming: Incoming, wanted: bool, exchange: &Exchange) -> Result<Option<Bytes>, Abandoned> {
    if incoming.is_end_stream() {
        return Ok(Some(Bytes::new()));
    }
    let mut kept = BytesMut::new();
    let mut fits = true;
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame.map_err(|_| Abandoned)?.into_data() else { continue };
        exchange.traffic().metrics.received(data.len());
        fits = fits && kept.len() + data.len() <= MAX_BODY;
        if wanted && fits {
            kept.extend_from_slice(&data);
        }
    }
    Ok(fits.then(|| kept.freeze()))
}

/// What a request gets to hear; an error is a refusal that the query cannot reshape.
async fn reply(
    target: &Target,
    route: Route,
    parts: &Parts,
    query: &Query<'_>,
    received: Option<Bytes>,
    line: &Line,
) -> Result<(Reply, Shape), Box<Reply>> {
    let bad = |bad: BadParameter| Box::new(Reply::bad_parameter(&bad));
    if let Some(methods) = route.methods()
        && !route.takes(&parts.method)
    {
        return Err(Box::new(Reply::method_not_allowed(methods)));
    }
    let body = received.ok_or_else(|| {
        let message = "a request body may have 64 MiB at most";
        Box::new(Reply::error(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message))
    })?;
    let shape = Shape::parse(query).map_err(bad)?;
    let reply = match route {
        Route::Small => Reply::small(),
        Route::Slow => {
            let ms = query.number("ms", 0..=MAX_MS).map_err(bad)?;
            let ms = ms.ok_or_else(|| bad(BadParameter::new("ms", "is missing: the milliseconds to wait")))?;
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Reply::small()
        }
        Route::Echo if query.flag("fields").map_err(bad)? => Reply::json(fields::describe(parts, &line.head(), &body)),
        Route::Echo => {
            let content_type = parts.headers.get(CONTENT_TYPE).cloned();
            Reply { content_type, ..Reply::json(body) }
        }
        Route::Login => target.lists.login(&body),
        Route::Organisations => target.lists.organisations(&parts.headers),
        Route::List(list) => target.lists.list(list, &parts.headers, query),
        Route::Fault | Route::Health | Route::Metrics | Route::Journal | Route::JournalReset | Route::Unknown => {
            let message = "there is nothing at this path";
            return Err(Box::new(Reply::error(StatusCode::NOT_FOUND, "not_found", message)));
        }
    };
    Ok((reply, shape))
}

/// Answers the paths that look at the stub itself; nothing of it is on the books.
async fn control(traffic: &Rc<Traffic>, route: Route, request: Request<Incoming>, line: Rc<Line>) -> Response<Body> {
    let mut response = match (route, route.methods()) {
        (_, Some(methods)) if !route.takes(request.method()) => {
            let reply = Reply::method_not_allowed(methods);
            let mut response = Response::new(Body::plain(reply.content, None, line));
            *response.status_mut() = reply.status;
            response.headers_mut().extend(reply.field);
            response
        }
        (Route::Journal, _) => {
            let dropped = traffic.with_journal(crate::journal::Journal::dropped);
            let mut response = Response::new(Body::journal(Rc::clone(traffic), line));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
            response.headers_mut().insert("x-journal-dropped", HeaderValue::from(dropped));
            response
        }
        (Route::Metrics, _) => {
            let text = traffic.metrics.text().unwrap_or_default();
            let mut response = Response::new(Body::plain(Source::Whole(text.into()), None, line));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(crate::metrics::CONTENT_TYPE));
            response
        }
        (other, _) => {
            if other == Route::JournalReset {
                traffic.reset_journal();
            }
            let body = Bytes::from_static(br#"{"status":"ok"}"#);
            Response::new(Body::plain(Source::Whole(body), None, line))
        }
    };
    response.headers_mut().entry(CONTENT_TYPE).or_insert(JSON);
    // What a client sends along is of no use but must be out of the way; a client that breaks off ends it by itself.
    let mut incoming = request.into_body();
    while let Some(Ok(_)) = incoming.frame().await {}
    response
}
