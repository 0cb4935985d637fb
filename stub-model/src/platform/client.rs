//! Calling the model over HTTP.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::control::JSON;
use crate::metrics::platform::PlatformMetrics;

use super::sse::DataLines;

/// Most calls to the model at a time; further ones wait.
const MAX_CALLS: usize = 1_024;

/// Connections kept for later calls.
const MAX_IDLE: usize = 128;

/// How long a connection is kept unused.
const IDLE: Duration = Duration::from_secs(30);

/// Most bytes of an answer that is not a stream.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

/// Where the model is and what to ask it for.
#[derive(Debug, Clone)]
pub(super) struct ModelAddress {
    /// Its origin and perhaps a path, without `/v1`.
    pub(super) base: String,
    /// The model that chats.
    pub(super) chat_model: String,
    /// The model that embeds.
    pub(super) embedding_model: String,
    /// The longest silence.
    pub(super) timeout: Duration,
}

/// Reads a base address, with or without `/v1` at its end.
///
/// # Errors
/// A text that says what is wrong with it.
pub(super) fn base(url: &str) -> Result<String, String> {
    let wrong = |problem: &str| format!("the model's address {url:?} {problem}");
    let uri: Uri = url.parse().map_err(|error| wrong(&format!("is no URL: {error}")))?;
    if uri.scheme_str() != Some("http") {
        return Err(wrong("must begin with http://; TLS to the model is not supported"));
    }
    if uri.query().is_some() || uri.authority().is_none_or(|authority| authority.as_str().contains('@')) {
        return Err(wrong("must have neither a query nor credentials"));
    }
    let base = url.trim_end_matches('/');
    Ok(base.strip_suffix("/v1").unwrap_or(base).to_owned())
}

/// Why the model did not answer as it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ModelError {
    /// No connection, or one that broke.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// It said nothing for too long.
    #[error("the model did not answer within {:.2} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// It answered with an error.
    #[error("the model answered {0}")]
    Status(u16),
    /// It answered something that cannot be understood.
    #[error("the model's answer cannot be understood: {0}")]
    Malformed(String),
}

/// The way to the model.
#[derive(Debug)]
pub(super) struct ModelClient {
    client: Client<HttpConnector, Full<Bytes>>,
    address: ModelAddress,
    calls: Arc<Semaphore>,
    metrics: Rc<PlatformMetrics>,
}

impl ModelClient {
    /// A client without connections.
    pub(super) fn new(address: ModelAddress, metrics: Rc<PlatformMetrics>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(address.timeout));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(MAX_IDLE)
            .build(connector);
        Self { client, address, calls: Arc::new(Semaphore::new(MAX_CALLS)), metrics }
    }

    /// The whole answer to a text.
    pub(super) async fn complete(&self, text: &str) -> Result<String, ModelError> {
        #[derive(Deserialize)]
        struct Answer {
            choices: Vec<Choice>,
        }
        #[derive(Deserialize)]
        struct Choice {
            message: Message,
        }
        #[derive(Deserialize)]
        struct Message {
            content: Option<String>,
        }
        let answer: Answer = self.whole("/v1/chat/completions", &self.chat(text, false)).await?;
        let first = answer.choices.into_iter().next();
        first.and_then(|choice| choice.message.content).ok_or_else(|| ModelError::Malformed("no content".to_owned()))
    }

    /// The answer to a text, piece by piece.
    pub(super) async fn stream(&self, text: &str) -> Result<Deltas, ModelError> {
        let call = self.begin();
        let response = call.settle(self.send("/v1/chat/completions", &self.chat(text, true)).await)?;
        let (response, slot) = response;
        let (lines, timeout) = (DataLines::default(), self.address.timeout);
        Ok(Deltas { body: response.into_body(), lines, timeout, call, _slot: slot })
    }

    /// The vectors of texts, one each.
    pub(super) async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
        #[derive(Deserialize)]
        struct Answer {
            data: Vec<Item>,
        }
        #[derive(Deserialize)]
        struct Item {
            embedding: Vec<f32>,
        }
        let body = json!({"model": self.address.embedding_model, "input": texts, "encoding_format": "float"});
        let answer: Answer = self.whole("/v1/embeddings", &body).await?;
        let (wanted, got) = (texts.len(), answer.data.len());
        if wanted != got {
            return Err(ModelError::Malformed(format!("{got} embeddings for {wanted} texts")));
        }
        Ok(answer.data.into_iter().map(|item| item.embedding).collect())
    }

    fn chat(&self, text: &str, stream: bool) -> Value {
        json!({
            "model": self.address.chat_model,
            "messages": [{"role": "user", "content": text}],
            "stream": stream,
        })
    }

    /// An answer that is read as a whole.
    async fn whole<T: for<'de> Deserialize<'de>>(&self, path: &str, body: &Value) -> Result<T, ModelError> {
        let call = self.begin();
        let work = async {
            let (response, _slot) = self.send(path, body).await?;
            let body = Limited::new(response.into_body(), MAX_ANSWER).collect();
            let body =
                timeout(self.address.timeout, body).await.map_err(|_| ModelError::Timeout(self.address.timeout))?;
            let bytes = body.map_err(|error| ModelError::Unreachable(error.to_string()))?.to_bytes();
            serde_json::from_slice(&bytes).map_err(|error| ModelError::Malformed(error.to_string()))
        };
        let result = call.settle(work.await);
        if result.is_ok() {
            call.ended("ok");
        }
        result
    }

    /// Sends a request and waits for the head of a good answer.
    async fn send(&self, path: &str, body: &Value) -> Result<(Response<Incoming>, OwnedSemaphorePermit), ModelError> {
        let request = Request::post(format!("{}{path}", self.address.base))
            .header(CONTENT_TYPE, JSON)
            .body(Full::new(Bytes::from(body.to_string())))
            .map_err(|error| ModelError::Unreachable(error.to_string()))?;
        let work = async {
            let slot = Arc::clone(&self.calls).acquire_owned().await;
            let slot = slot.map_err(|error| ModelError::Unreachable(error.to_string()))?;
            let response = self.client.request(request).await;
            Ok((response.map_err(|error| ModelError::Unreachable(root(&error)))?, slot))
        };
        let answered =
            timeout(self.address.timeout, work).await.map_err(|_| ModelError::Timeout(self.address.timeout))?;
        let (response, slot) = answered?;
        if response.status().is_success() {
            return Ok((response, slot));
        }
        let status = response.status().as_u16();
        // Read to its end, where that is near, so that the connection can be used again.
        let _ = timeout(self.address.timeout, Limited::new(response.into_body(), 64 * 1024).collect()).await;
        Err(ModelError::Status(status))
    }

    fn begin(&self) -> Call {
        Call { metrics: Rc::clone(&self.metrics), outcome: std::cell::Cell::new("dropped") }
    }
}

/// The first cause of an error, which is what people can act on.
fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// One call, counted when it ends.
#[derive(Debug)]
struct Call {
    metrics: Rc<PlatformMetrics>,
    outcome: std::cell::Cell<&'static str>,
}

impl Call {
    fn ended(&self, outcome: &'static str) {
        self.outcome.set(outcome);
    }

    /// Notes an error, where it is one.
    fn settle<T>(&self, result: Result<T, ModelError>) -> Result<T, ModelError> {
        result
            .inspect_err(|error| self.ended(if matches!(error, ModelError::Timeout(_)) { "timeout" } else { "error" }))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.metrics.model_called(self.outcome.get());
    }
}

/// An answer that comes piece by piece. Dropping it before its end breaks the connection, so that the model stops.
#[derive(Debug)]
pub(super) struct Deltas {
    body: Incoming,
    lines: DataLines,
    timeout: Duration,
    call: Call,
    _slot: OwnedSemaphorePermit,
}

impl Deltas {
    /// The next piece of text that is not empty; none after the last.
    pub(super) async fn next(&mut self) -> Result<Option<String>, ModelError> {
        let result = self.read().await;
        if matches!(result, Ok(None)) {
            self.call.ended("ok");
        }
        self.call.settle(result)
    }

    async fn read(&mut self) -> Result<Option<String>, ModelError> {
        let malformed = |text: &str| ModelError::Malformed(text.to_owned());
        loop {
            while let Some(data) = self.lines.next().map_err(|_| malformed("a line without an end"))? {
                if data.as_ref() == b"[DONE]" {
                    self.drain().await;
                    return Ok(None);
                }
                let event: Value = serde_json::from_slice(&data).map_err(|error| malformed(&error.to_string()))?;
                if let Some(error) = event.get("error") {
                    return Err(malformed(&error.to_string()));
                }
                match event.pointer("/choices/0/delta/content").and_then(Value::as_str) {
                    None | Some("") => {}
                    Some(delta) => return Ok(Some(delta.to_owned())),
                }
            }
            let frame =
                timeout(self.timeout, self.body.frame()).await.map_err(|_| ModelError::Timeout(self.timeout))?;
            match frame {
                Some(Ok(frame)) => {
                    if let Some(data) = frame.data_ref() {
                        self.lines.push(data);
                    }
                }
                Some(Err(error)) => return Err(ModelError::Unreachable(root(&error))),
                None => return Err(malformed("it ended before [DONE]")),
            }
        }
    }

    /// Reads the end of the answer, which is there or about to be, so that the connection can be used again.
    async fn drain(&mut self) {
        let _ = timeout(Duration::from_millis(100), async { while let Some(Ok(_)) = self.body.frame().await {} }).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_end_in_v1_or_not() {
        for url in ["http://m:1", "http://m:1/", "http://m:1/v1", "http://m:1/v1/"] {
            assert_eq!(base(url).unwrap(), "http://m:1");
        }
        assert_eq!(base("http://m/openai/v1").unwrap(), "http://m/openai");
        for url in ["", "m:1", "/v1", "https://m", "http://m?a=1", "http://u:p@m", "http://"] {
            assert!(base(url).is_err(), "{url}");
        }
    }
}
