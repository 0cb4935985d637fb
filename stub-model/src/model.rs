//! `stub-model model`: a model behind `OpenAI`'s API, without a model.

mod completion;
mod fate;
mod handler;
mod pace;
mod refusal;
mod request;
mod routes;
mod seen;
mod stream;
mod vector;
mod wheel;

use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::server::conn::http1::Builder;

use crate::connection::Connection;
use crate::control::Control;
use crate::metrics::Metrics;
use crate::metrics::model::ModelMetrics;
use crate::server::{self, App, Handle, Server, StartError, Stop};
use crate::socket::Socket;
use crate::web;

pub(crate) use handler::Model;

/// The models in the list. A request may name any other.
pub const MODELS: [&str; 2] = ["stub-chat", "stub-embedding"];

/// The field that asks for the time of handing over in every event and answer, with the value `1`.
pub const STAMP_FIELD: &str = "x-stub-sent-ns";

/// What stands in `system_fingerprint`.
const FINGERPRINT: &str = "fp_stub_model";

/// Most that a time may be set to.
pub const MAX_TIME: Duration = Duration::from_mins(10);

/// Most places of an embedding.
pub const MAX_DIM: usize = 4_096;

/// Most tokens of an answer.
pub const MAX_TOKENS: u32 = 100_000;

/// How the model behaves.
#[derive(Debug, Clone)]
pub struct Behaviour {
    /// Until the first token, on the mean. 400 ms unless set, [`MAX_TIME`] at most.
    pub first_token: Duration,
    /// Between one token and the next, on the mean. 12 ms unless set, [`MAX_TIME`] at most.
    pub token: Duration,
    /// How far each of these times may be off, as a part of it, evenly spread: 0 to 1, 0.3 unless set.
    pub jitter: f64,
    /// Tokens of an answer, unless the request wants fewer: 1 to [`MAX_TOKENS`], 32 unless set.
    pub tokens: u32,
    /// The part of requests answered with an error: 0 unless set.
    pub error_rate: f64,
    /// The part of requests never answered: 0 unless set. Both parts together are 1 at most.
    pub timeout_rate: f64,
    /// Places of an embedding: 1 to [`MAX_DIM`], 768 unless set.
    pub embedding_dim: usize,
    /// Decides words, times and faults. 1 unless set.
    pub seed: u64,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            first_token: Duration::from_millis(400),
            token: Duration::from_millis(12),
            jitter: 0.3,
            tokens: 32,
            error_rate: 0.0,
            timeout_rate: 0.0,
            embedding_dim: 768,
            seed: 1,
        }
    }
}

impl Behaviour {
    /// Whether every setting is in its range; what is wrong with the first that is not.
    pub(crate) fn check(&self) -> Result<(), StartError> {
        let part = |value: f64| (0.0..=1.0).contains(&value);
        let wrong = |text: &str| Err(StartError::Setting(text.to_owned()));
        if self.first_token > MAX_TIME || self.token > MAX_TIME {
            return wrong("the time to the first token and between tokens may be 600000 ms at most");
        }
        if !part(self.jitter) {
            return wrong("the jitter must be within 0 and 1");
        }
        if !part(self.error_rate) || !part(self.timeout_rate) || !part(self.error_rate + self.timeout_rate) {
            return wrong("the error rate and the time-out rate must be within 0 and 1, also together");
        }
        if !(1..=MAX_TOKENS).contains(&self.tokens) {
            return Err(StartError::Setting(format!("an answer has 1 to {MAX_TOKENS} tokens")));
        }
        if !(1..=MAX_DIM).contains(&self.embedding_dim) {
            return Err(StartError::Setting(format!("an embedding has 1 to {MAX_DIM} places")));
        }
        Ok(())
    }
}

/// What can be set.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Where to listen, and the books.
    pub server: server::Settings,
    /// How the model behaves.
    pub behaviour: Behaviour,
}

/// Binds, and gives the handle by which the server is asked and stopped. Must be called within a tokio runtime.
///
/// # Errors
/// A setting is out of its range, the address is refused or the journal file cannot be opened.
pub fn bind(settings: &Settings) -> Result<(Server, Handle), StartError> {
    settings.behaviour.check()?;
    let mut metrics = Metrics::default();
    let own = ModelMetrics::register(metrics.registry());
    Server::bind("model", &settings.server, metrics, |_| {
        let model = Model::new(settings.behaviour.clone(), own);
        Rc::new(Alone { model, http: server::http() })
    })
}

/// Starts a server on a thread and a runtime of its own, for callers on any runtime. It stops with the last handle.
/// It keeps real time where the caller has paused tokio's.
///
/// # Errors
/// A setting is out of its range, the address is refused, the journal file cannot be opened, or there is no thread to be
/// had.
pub fn start(settings: &Settings) -> Result<Handle, StartError> {
    let settings = settings.clone();
    server::start(move || bind(&settings))
}

/// The model with a listener of its own.
struct Alone {
    model: Model,
    http: Builder,
}

impl App for Alone {
    fn serve(
        self: Rc<Self>,
        socket: Socket,
        connection: Rc<Connection>,
        stop: Rc<Stop>,
    ) -> Pin<Box<dyn Future<Output = ()>>> {
        Box::pin(async move {
            let answer = async |request: hyper::Request<hyper::body::Incoming>| match Control::of(request.uri().path())
            {
                Some(control) => Ok(control.answer(&connection, request, None).await),
                None => self.model.handle(&connection, request, true).await,
            };
            web::serve(socket, &connection, &self.http, &stop, answer).await;
        })
    }
}
