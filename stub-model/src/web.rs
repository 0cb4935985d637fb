//! Connections of the stubs that need nothing of the socket but HTTP, and answers whose whole body is known.

use std::pin::pin;
use std::rc::Rc;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;

use crate::body::{Body, Source};
use crate::connection::Connection;
use crate::control::JSON;
use crate::exchange::Exchange;
use crate::server::Stop;
use crate::socket::Socket;
use crate::wire::Abandoned;

/// Speaks HTTP on a connection until it ends, is handed over to another protocol, or is told to stop.
pub(crate) async fn serve<F>(
    socket: Socket,
    books: &Connection,
    http: &Builder,
    stop: &Rc<Stop>,
    answer: impl Fn(Request<Incoming>) -> F,
) where
    F: Future<Output = Result<Response<Body>, Abandoned>>,
{
    let service = service_fn(answer);
    let mut connection = pin!(http.serve_connection(TokioIo::new(socket), service).with_upgrades());
    // How a connection ended is the client's business: what was answered stands in the journal.
    tokio::select! {
        biased;
        _ = books.settling(connection.as_mut()) => {}
        () = stop.told() => {
            connection.as_mut().graceful_shutdown();
            let _ = books.settling(connection).await;
        }
    }
}

/// An answer whose body is known.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
    field: Option<(HeaderName, HeaderValue)>,
}

impl Reply {
    /// An answer in JSON.
    pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self { status, body: body.into(), field: None }
    }

    /// With the field `allow` of a 405.
    pub(crate) fn allowing(mut self, methods: &'static str) -> Self {
        self.field = Some((ALLOW, HeaderValue::from_static(methods)));
        self
    }

    /// With the field `www-authenticate` of a 401 that wants a bearer token.
    pub(crate) fn asking_for_bearer(mut self) -> Self {
        self.field = Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        self
    }

    /// Makes it the answer of an exchange.
    pub(crate) fn answer(self, mut exchange: Exchange) -> Response<Body> {
        exchange.set_status(self.status.as_u16());
        let mut response = Response::new(Body::plain(Source::Whole(self.body), Some(exchange), None));
        *response.status_mut() = self.status;
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        response.headers_mut().extend(self.field);
        response
    }
}
