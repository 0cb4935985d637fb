//! One request, from its head to its answer.

use std::convert::Infallible;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use stub_model::small::SMALL;

use super::Shared;
use super::stream::{Answer, Stream};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

pub(super) async fn answer(shared: Rc<Shared>, request: Request<Incoming>) -> Result<Response<Answer>, Infallible> {
    let path = request.uri().path();
    if path == "/count" {
        return Ok(whole(StatusCode::OK, shared.books.json().into()));
    }
    shared.books.arrived();
    Ok(match (request.method(), path) {
        (&Method::GET, "/small") => small(),
        (&Method::GET, "/slow") => match milliseconds(request.uri().query()) {
            Some(time) => {
                tokio::time::sleep(time).await;
                small()
            }
            None => whole(StatusCode::BAD_REQUEST, Bytes::from_static(br#"{"error":"ms is missing"}"#)),
        },
        (&Method::POST, "/v1/chat/completions") => {
            let stream = Stream::new(shared);
            // Whatever it asks for, it gets the same; it has to be out of the way of the next request.
            let mut body = request.into_body();
            while let Some(Ok(_)) = body.frame().await {}
            with(StatusCode::OK, EVENTS, Answer::Stream(stream))
        }
        _ => whole(StatusCode::NOT_FOUND, Bytes::from_static(br#"{"error":"there is nothing at this path"}"#)),
    })
}

fn small() -> Response<Answer> {
    whole(StatusCode::OK, Bytes::from_static(SMALL.as_bytes()))
}

fn whole(status: StatusCode, body: Bytes) -> Response<Answer> {
    with(status, JSON, Answer::Whole(Some(body)))
}

fn with(status: StatusCode, content_type: HeaderValue, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, content_type);
    response
}

/// The time that a query asks for.
fn milliseconds(query: Option<&str>) -> Option<Duration> {
    query?.strip_prefix("ms=")?.parse().ok().map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_in_the_query() {
        assert_eq!(milliseconds(Some("ms=50")), Some(Duration::from_millis(50)));
        assert_eq!([Some("ms="), Some("s=1"), None].map(milliseconds), [None; 3]);
    }
}
