//! `stub-model platform`: a platform of agents, searches and webhooks that calls a model over HTTP and guards its work
//! with a connection pool, as real ones do.

mod access;
mod agents;
mod chat;
mod client;
mod collections;
mod handler;
mod handshake;
mod pool;
mod rag;
mod refusal;
mod routes;
mod sse;
mod webhooks;

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::server::conn::http1::Builder;

use crate::connection::Connection;
use crate::directory::{DEFAULT_TOKEN, Directory, PASSWORD, USERNAME};
use crate::metrics::Metrics;
use crate::metrics::model::ModelMetrics;
use crate::metrics::platform::PlatformMetrics;
use crate::model::{Behaviour, MAX_TIME, MODELS, Model};
use crate::server::{self, App, Handle, Server, StartError, Stop};
use crate::socket::Socket;
use crate::web;

use access::User;
use agents::Agent;
use client::{ModelAddress, ModelClient};
use collections::Collections;
use handler::Platform;
use pool::Pool;
use webhooks::Triggers;

pub use collections::EMPTY;
pub use handshake::{PROTOCOL, TOKEN_PREFIX};
pub use pool::{PoolSettings, PoolTimeout};
pub use webhooks::SIGNATURE_FIELD;

/// The secret that webhook bodies are signed with, unless set otherwise.
pub const DEFAULT_SECRET: &str = "stub-webhook-secret";

/// The collection with texts, unless named otherwise.
pub const DEFAULT_COLLECTION: &str = "handbook";

/// The position of the agent that is not published, so that clients meet one.
const DRAFT: u64 = 1;

/// How long a connection of the pool is kept for work in the (absent) database.
#[derive(Debug, Clone)]
pub struct Holds {
    /// For reading: lists, log-in, search. 3 ms unless set.
    pub read: Duration,
    /// For writing a row: runs, chat turns, ingest, webhooks. 5 ms unless set.
    pub write: Duration,
}

impl Default for Holds {
    fn default() -> Self {
        Self { read: Duration::from_millis(3), write: Duration::from_millis(5) }
    }
}

/// What can be set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen, and the books.
    pub server: server::Settings,
    /// Where the model is, as `http://host:port`; the platform serves one of its own where there is none.
    pub model_url: Option<String>,
    /// How the platform's own model behaves. Its seed decides the platform's ids as well.
    pub behaviour: Behaviour,
    /// The model asked for chat.
    pub chat_model: String,
    /// The model asked for embeddings.
    pub embedding_model: String,
    /// The longest silence of the model. 60 s unless set.
    pub model_timeout: Duration,
    /// Who can log in. [`USERNAME`] unless set.
    pub email: String,
    /// With which password. [`PASSWORD`] unless set.
    pub password: String,
    /// The bearer token that logging in gives. [`DEFAULT_TOKEN`] unless set.
    pub token: String,
    /// The connection pool.
    pub pool: PoolSettings,
    /// How long connections are kept.
    pub holds: Holds,
    /// The collection that has texts. [`DEFAULT_COLLECTION`] unless set.
    pub collection: String,
    /// The secret that webhook bodies are signed with. [`DEFAULT_SECRET`] unless set.
    pub webhook_secret: String,
}

impl Default for Settings {
    fn default() -> Self {
        let [chat_model, embedding_model] = MODELS.map(str::to_owned);
        Self {
            server: server::Settings::default(),
            model_url: None,
            behaviour: Behaviour::default(),
            chat_model,
            embedding_model,
            model_timeout: Duration::from_mins(1),
            email: USERNAME.to_owned(),
            password: PASSWORD.to_owned(),
            token: DEFAULT_TOKEN.to_owned(),
            pool: PoolSettings::default(),
            holds: Holds::default(),
            collection: DEFAULT_COLLECTION.to_owned(),
            webhook_secret: DEFAULT_SECRET.to_owned(),
        }
    }
}

impl Settings {
    /// Whether every setting can be honoured; what is wrong with the first that cannot.
    fn check(&self) -> Result<Option<String>, StartError> {
        self.behaviour.check()?;
        let wrong = |text: &str| Err(StartError::Setting(text.to_owned()));
        if self.pool.size == 0 && self.pool.overflow == 0 {
            return wrong("a pool has one connection at least: set its size or its overflow to 1 or more");
        }
        if [self.pool.timeout, self.holds.read, self.holds.write, self.model_timeout]
            .iter()
            .any(|time| *time > MAX_TIME)
        {
            return wrong("times may be 600000 ms at most");
        }
        self.model_url.as_deref().map(client::base).transpose().map_err(StartError::Setting)
    }
}

/// Binds, and gives the handle by which the server is asked and stopped. Must be called within a tokio runtime.
///
/// # Errors
/// A setting cannot be honoured, the address is refused or the journal file cannot be opened.
pub fn bind(settings: &Settings) -> Result<(Server, Handle), StartError> {
    let base = settings.check()?;
    let mut metrics = Metrics::default();
    let own = PlatformMetrics::register(metrics.registry(), settings.pool.size, settings.pool.overflow);
    let of_model = base.is_none().then(|| ModelMetrics::register(metrics.registry()));
    Server::bind("platform", &settings.server, metrics, |address| {
        let seed = settings.behaviour.seed;
        let directory = Directory::new(seed, &settings.token, Some(DRAFT));
        let status = |published| if published { Agent::Published } else { Agent::Draft };
        let agents =
            |organisation| directory.agents(organisation).map(|(id, published)| (id, status(published))).collect();
        let model = ModelAddress {
            base: base.unwrap_or_else(|| own_base(address)),
            chat_model: settings.chat_model.clone(),
            embedding_model: settings.embedding_model.clone(),
            timeout: settings.model_timeout,
        };
        let platform = Platform {
            seed,
            user: User { email: settings.email.clone(), password: settings.password.clone() },
            agents: (0..directory.count()).map(agents).collect(),
            directory,
            pool: Pool::new(settings.pool.clone(), Rc::clone(&own)),
            holds: settings.holds.clone(),
            model: ModelClient::new(model, Rc::clone(&own)),
            own_model: of_model.map(|metrics| Model::new(settings.behaviour.clone(), metrics)),
            collections: Collections::new(&settings.collection),
            triggers: Triggers::new(seed, &settings.webhook_secret),
            bodies: RefCell::default(),
            jobs: Cell::default(),
            numbers: Cell::default(),
            metrics: own,
        };
        Rc::new(Served { platform: Rc::new(platform), http: server::http() })
    })
}

/// Starts a server on a thread and a runtime of its own, for callers on any runtime. It stops with the last handle.
/// It keeps real time where the caller has paused tokio's.
///
/// # Errors
/// A setting cannot be honoured, the address is refused, the journal file cannot be opened, or there is no thread to be
/// had.
pub fn start(settings: &Settings) -> Result<Handle, StartError> {
    let settings = settings.clone();
    server::start(move || bind(&settings))
}

/// Where the platform reaches its own model: the loopback address where it listens on all.
fn own_base(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() });
    }
    format!("http://{address}")
}

/// The platform with its listener.
struct Served {
    platform: Rc<Platform>,
    http: Builder,
}

impl App for Served {
    fn serve(
        self: Rc<Self>,
        socket: Socket,
        connection: Rc<Connection>,
        stop: Rc<Stop>,
    ) -> Pin<Box<dyn Future<Output = ()>>> {
        Box::pin(async move {
            let session = RefCell::default();
            let answer = |request| handler::handle(&self.platform, &connection, request, &session);
            web::serve(socket, &connection, &self.http, &stop, answer).await;
            let session = session.take();
            if let Some(session) = session {
                session.run(&self.platform, &stop).await;
            }
        })
    }
}
