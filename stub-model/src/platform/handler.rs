//! One request to the platform, from its head to its answer.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode};
use percent_encoding::percent_decode_str;
use serde_json::json;

use crate::body::Body;
use crate::connection::Connection;
use crate::control::{Control, takes};
use crate::directory::{DEFAULT_LIMIT, Directory, List, MAX_LIMIT};
use crate::metrics::platform::PlatformMetrics;
use crate::model::Model;
use crate::query::Query;
use crate::web::Reply;
use crate::wire::Abandoned;

use super::access::{self, User};
use super::agents::{self, Agent};
use super::chat::Session;
use super::client::ModelClient;
use super::collections::Collections;
use super::handshake::Handshake;
use super::pool::Pool;
use super::routes::Route;
use super::webhooks::{Bodies, Triggers};
use super::{Holds, rag, refusal};

/// Most bytes of a request.
const MAX_BODY: usize = 8 * 1024 * 1024;

/// The platform and everything it has.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) seed: u64,
    pub(super) user: User,
    pub(super) directory: Directory,
    /// By organisation, then by id.
    pub(super) agents: Vec<HashMap<String, Agent>>,
    pub(super) pool: Pool,
    pub(super) holds: Holds,
    pub(super) model: ModelClient,
    /// The model that shares the listener, where the platform has one of its own.
    pub(super) own_model: Option<Model>,
    pub(super) collections: Collections,
    pub(super) triggers: Triggers,
    pub(super) bodies: RefCell<Bodies>,
    /// Ingest jobs that have not ended.
    pub(super) jobs: Cell<usize>,
    pub(super) numbers: Cell<u64>,
    pub(super) metrics: Rc<PlatformMetrics>,
}

impl Platform {
    /// A number that nothing else here has.
    pub(super) fn next_number(&self) -> u64 {
        self.numbers.replace(self.numbers.get() + 1)
    }
}

/// Answers one request. A WebSocket that it becomes is left in `socket`. An error ends the connection.
pub(super) async fn handle(
    platform: &Rc<Platform>,
    connection: &Rc<Connection>,
    mut request: Request<Incoming>,
    socket: &RefCell<Option<Session>>,
) -> Result<Response<Body>, Abandoned> {
    let path = request.uri().path();
    if let Some(control) = Control::of(path) {
        return Ok(control.answer(connection, request, None).await);
    }
    if let Some(model) = &platform.own_model
        && Model::owns(path)
    {
        // The faults set are those of the platform, not of what it calls.
        return model.handle(connection, request, false).await;
    }
    let uri = request.uri().clone();
    let route = Route::of(uri.path());
    let mut exchange = connection.arrive(route.pattern(), &request);
    let fate = exchange.next_fate();
    if route == Route::Chat && request.method() == hyper::Method::GET {
        exchange.suffer(fate).await?;
        let handshake = match Handshake::check(&platform.directory, request.headers(), uri.query()) {
            Ok(handshake) => handshake,
            Err(refusal) => return Ok(refusal.answer(exchange)),
        };
        exchange.set_status(StatusCode::SWITCHING_PROTOCOLS.as_u16());
        let upgrade = hyper::upgrade::on(&mut request);
        let organisation = handshake.organisation;
        socket.replace(Some(Session { upgrade, organisation, exchange }));
        return Ok(handshake.answer());
    }
    let (parts, incoming) = request.into_parts();
    let body = exchange.receive(incoming, true, MAX_BODY).await?;
    exchange.suffer(fate).await?;
    let reply = match (route.methods(), body) {
        (Some(methods), _) if !takes(methods, &parts.method) => refusal::method_not_allowed(methods),
        (_, None) => refusal::detail(StatusCode::PAYLOAD_TOO_LARGE, "Request body is too large"),
        (_, Some(body)) => reply(platform, route, &parts, body).await.unwrap_or_else(|refusal| refusal),
    };
    Ok(reply.answer(exchange))
}

/// What a request gets to hear.
async fn reply(platform: &Rc<Platform>, route: Route<'_>, parts: &Parts, body: Bytes) -> Result<Reply, Reply> {
    let fields = &parts.headers;
    let decoded = |part| percent_decode_str(part).decode_utf8_lossy();
    match route {
        Route::Health => Ok(Reply::json(StatusCode::OK, r#"{"status":"ok"}"#)),
        Route::Login => {
            let reply = access::login(&platform.user, &platform.directory, &body)?;
            platform.pool.briefly(platform.holds.read).await?;
            Ok(reply)
        }
        Route::Organisations => {
            access::authorised(&platform.directory, fields)?;
            platform.pool.briefly(platform.holds.read).await?;
            Ok(Reply::json(StatusCode::OK, platform.directory.organisations()))
        }
        Route::List(list) => items(platform, list, parts).await,
        Route::Run { agent } => agents::run(platform, fields, &decoded(agent), &body).await,
        Route::Search => rag::search(platform, fields, &body).await,
        Route::Collections => rag::list(platform, fields).await,
        Route::Collection { name } => rag::one(platform, fields, &decoded(name)).await,
        Route::Ingest { collection } => rag::ingest(platform, fields, &decoded(collection), body).await,
        Route::Triggers => {
            access::organisation(&platform.directory, fields)?;
            platform.pool.briefly(platform.holds.read).await?;
            Ok(Reply::json(StatusCode::OK, platform.triggers.list().to_string()))
        }
        Route::Trigger { source, id } => {
            let (source, id) = (decoded(source), decoded(id));
            platform.triggers.check(&source, &id, fields, &body)?;
            refusal::object(&body)?;
            platform.pool.briefly(platform.holds.write).await?;
            // Only now, so that a body which got no connection can come again.
            let new = platform.bodies.borrow_mut().is_new(&id, &body);
            let (status, said) = if new { (StatusCode::ACCEPTED, "accepted") } else { (StatusCode::OK, "duplicate") };
            Ok(Reply::json(status, json!({"status": said}).to_string()))
        }
        Route::Chat | Route::Unknown => Err(refusal::not_found("Not Found")),
    }
}

/// `GET /api/v1/{agents,runs,conversations}?limit=`.
async fn items(platform: &Platform, list: List, parts: &Parts) -> Result<Reply, Reply> {
    let organisation = access::organisation(&platform.directory, &parts.headers)?;
    let query = Query::parse(parts.uri.query());
    let limit = query.number("limit", 1..=MAX_LIMIT);
    let limit = limit.map_err(|bad| refusal::unprocessable("int_range", &["query", "limit"], &bad.problem))?;
    platform.pool.briefly(platform.holds.read).await?;
    let items = platform.directory.list(list, organisation, limit.unwrap_or(DEFAULT_LIMIT));
    Ok(Reply::json(StatusCode::OK, items))
}
