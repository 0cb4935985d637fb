//! The paths that look at a stub itself, the same on all stubs. Nothing of it is on the books.

use std::rc::Rc;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;

use crate::body::{Body, Source};
use crate::connection::Connection;
use crate::journal::Journal;
use crate::metrics;
use crate::traffic::Traffic;
use crate::wire::Line;

/// The media type of most answers.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A path that looks at the stub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Whether it is there.
    Health,
    /// Its figures.
    Metrics,
    /// What arrived.
    Journal,
    /// Forgetting what arrived.
    JournalReset,
}

impl Control {
    /// What a path without its query is; none where it is another one.
    pub fn of(path: &str) -> Option<Self> {
        match path {
            "/health" => Some(Self::Health),
            "/metrics" => Some(Self::Metrics),
            "/journal" => Some(Self::Journal),
            "/journal/reset" => Some(Self::JournalReset),
            _ => None,
        }
    }

    /// The methods it takes, as in the field `allow`.
    fn methods(self) -> &'static str {
        if self == Self::JournalReset { "GET, HEAD, POST" } else { "GET, HEAD" }
    }

    /// Answers a request for it. `line` is the connection's, where it has one.
    pub(crate) async fn answer(
        self,
        connection: &Rc<Connection>,
        request: Request<Incoming>,
        line: Option<Rc<Line>>,
    ) -> Response<Body> {
        connection.look();
        let traffic = connection.traffic();
        let mut response = if takes(self.methods(), request.method()) {
            self.found(traffic, line)
        } else {
            let message = format!("this path takes {}", self.methods());
            let body = json!({"error": {"code": "method_not_allowed", "message": message}}).to_string();
            let mut response = whole(body, line);
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(self.methods()));
            response
        };
        response.headers_mut().entry(CONTENT_TYPE).or_insert(JSON);
        // What a client sends along is of no use but must be out of the way; a client that breaks off ends it by itself.
        let mut incoming = request.into_body();
        while let Some(Ok(_)) = incoming.frame().await {}
        response
    }

    fn found(self, traffic: &Rc<Traffic>, line: Option<Rc<Line>>) -> Response<Body> {
        match self {
            Self::Journal => {
                let dropped = traffic.with_journal(Journal::dropped);
                let mut response = Response::new(Body::journal(Rc::clone(traffic), line));
                let fields = response.headers_mut();
                fields.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
                fields.insert("x-journal-dropped", HeaderValue::from(dropped));
                response
            }
            Self::Metrics => {
                let mut response = whole(traffic.metrics.text().unwrap_or_default(), line);
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(metrics::CONTENT_TYPE));
                response
            }
            Self::Health => whole(r#"{"status":"ok"}"#, line),
            Self::JournalReset => {
                traffic.reset_journal();
                whole(r#"{"status":"ok"}"#, line)
            }
        }
    }
}

/// True where a list of methods, as in the field `allow`, has this one.
pub fn takes(methods: &str, method: &Method) -> bool {
    methods.split(", ").any(|one| one == method.as_str())
}

fn whole(body: impl Into<Bytes>, line: Option<Rc<Line>>) -> Response<Body> {
    Response::new(Body::plain(Source::Whole(body.into()), None, line))
}
