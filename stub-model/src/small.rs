//! `stub-model small`: the small target and its server.

mod answer;
mod fields;
mod handler;
mod lists;
mod routes;

pub mod faults;

use std::pin::{Pin, pin};
use std::rc::Rc;

use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;

use crate::connection::Connection;
use crate::metrics::Metrics;
use crate::server::{self, App, Stop};
use crate::socket::Socket;
use crate::wire::{Line, Wire};

use handler::Target;

pub use crate::directory::DEFAULT_TOKEN;
pub use crate::directory::{PASSWORD, USERNAME};
pub use crate::server::{Handle, Server, StartError, Stopped};
pub use answer::SMALL;

/// What can be set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen, and the books.
    pub server: server::Settings,
    /// Decides ids and names in the lists. 1 unless set.
    pub seed: u64,
    /// The bearer token that logging in gives and lists want. [`DEFAULT_TOKEN`] unless set.
    pub token: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { server: server::Settings::default(), seed: 1, token: DEFAULT_TOKEN.to_owned() }
    }
}

/// Binds, and gives the handle by which the server is asked and stopped. Must be called within a tokio runtime.
///
/// # Errors
/// The address is refused or the journal file cannot be opened.
pub fn bind(settings: &Settings) -> Result<(Server, Handle), StartError> {
    Server::bind("small", &settings.server, Metrics::default(), |_| {
        let target = Target::new(settings.seed, &settings.token);
        Rc::new(Small { target: Rc::new(target), http: server::http() })
    })
}

/// Starts a server on a thread and a runtime of its own, for callers on any runtime. It stops with the last handle.
/// It keeps real time where the caller has paused tokio's.
///
/// # Errors
/// The address is refused, the journal file cannot be opened, or there is no thread to be had.
pub fn start(settings: &Settings) -> Result<Handle, StartError> {
    let settings = settings.clone();
    server::start(move || bind(&settings))
}

/// The small target and how its connections are spoken on.
struct Small {
    target: Rc<Target>,
    http: Builder,
}

impl App for Small {
    fn serve(
        self: Rc<Self>,
        socket: Socket,
        books: Rc<Connection>,
        stop: Rc<Stop>,
    ) -> Pin<Box<dyn Future<Output = ()>>> {
        Box::pin(async move {
            let line = Line::new(socket, Rc::clone(&books));
            let service = service_fn(|request| handler::handle(Rc::clone(&self.target), Rc::clone(&line), request));
            let mut connection = pin!(self.http.serve_connection(TokioIo::new(Wire(Rc::clone(&line))), service));
            // How a connection ended is the client's business: what was answered stands in the journal.
            tokio::select! {
                biased;
                _ = books.settling(connection.as_mut()) => {}
                () = line.close_due() => {}
                () = stop.told() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = books.settling(connection).await;
                }
            }
        })
    }
}
