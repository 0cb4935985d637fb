//! One request, from its head to its answer.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};

use crate::body::Body;
use crate::control::Control;
use crate::directory::Directory;
use crate::query::{BadParameter, Query};
use crate::wire::{Abandoned, Line};

use super::answer::{Reply, Shape};
use super::faults::{Fault, MAX_MS};
use super::routes::Route;
use super::{fields, lists};

/// Most bytes of a request body that are kept.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// What all connections share.
#[derive(Debug)]
pub(super) struct Target {
    directory: Directory,
}

impl Target {
    pub(super) fn new(seed: u64, token: &str) -> Self {
        Self { directory: Directory::new(seed, token, None) }
    }
}

/// Answers one request. An error ends its connection.
pub(super) async fn handle(
    target: Rc<Target>,
    line: Rc<Line>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Abandoned> {
    line.head_parsed();
    if let Some(control) = Control::of(request.uri().path()) {
        return Ok(control.answer(&Rc::clone(line.connection()), request, Some(line)).await);
    }
    let route = Route::of(request.uri().path());
    let mut exchange = line.connection().arrive(route.pattern(), &request);
    let fate = exchange.next_fate();
    let (parts, incoming) = request.into_parts();
    let received = exchange.receive(incoming, route.wants_body(), MAX_BODY).await?;
    exchange.suffer(fate).await?;
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
        Route::Login => lists::login(&target.directory, &body),
        Route::Organisations => lists::organisations(&target.directory, &parts.headers),
        Route::List(list) => lists::list(&target.directory, list, &parts.headers, query),
        Route::Fault | Route::Unknown => {
            let message = "there is nothing at this path";
            return Err(Box::new(Reply::error(StatusCode::NOT_FOUND, "not_found", message)));
        }
    };
    Ok((reply, shape))
}
