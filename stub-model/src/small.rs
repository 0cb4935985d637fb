//! `stub-model small`: the small target and its server.

mod answer;
mod fields;
mod handle;
mod handler;
mod lists;
mod routes;

pub mod faults;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::journal::{DEFAULT_CAPACITY, Journal, JournalFile, JournalFileError};
use crate::listen::{ListenError, Listener};
use crate::traffic::Traffic;
use crate::wire::{Line, Wire};

use handle::Command;
use handler::Target;

pub use answer::SMALL;
pub use handle::{Handle, Stopped};
pub use lists::{PASSWORD, USERNAME};

/// The bearer token unless set otherwise.
pub const DEFAULT_TOKEN: &str = "stub-token";

/// How long open exchanges may take to end after a stop.
const DRAIN: Duration = Duration::from_secs(1);

/// How often queued journal lines go to the file.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// Most fields of a request: more than a workload plugin may send (256), where hyper's own limit is 100.
const MAX_FIELDS: usize = 300;

/// What can be set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where to listen; port 0 takes any free one. `127.0.0.1:0` unless set.
    pub listen: SocketAddr,
    /// Allows an address that is not loopback. False unless set.
    pub allow_remote: bool,
    /// A file to which finished exchanges are appended as JSON lines.
    pub journal_file: Option<PathBuf>,
    /// Entries kept in memory, one at least. [`DEFAULT_CAPACITY`] unless set.
    pub journal_capacity: usize,
    /// Decides ids and names in the lists. 1 unless set.
    pub seed: u64,
    /// The bearer token that logging in gives and lists want. [`DEFAULT_TOKEN`] unless set.
    pub token: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            allow_remote: false,
            journal_file: None,
            journal_capacity: DEFAULT_CAPACITY,
            seed: 1,
            token: DEFAULT_TOKEN.to_owned(),
        }
    }
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No listening socket.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// No journal file.
    #[error(transparent)]
    Journal(#[from] JournalFileError),
    /// No thread or no runtime for it.
    #[error("cannot start the server's thread: {0}")]
    Thread(std::io::Error),
}

/// A bound server that does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    target: Rc<Target>,
    commands: mpsc::UnboundedReceiver<Command>,
}

impl Server {
    /// Binds, and gives the handle by which the server is asked and stopped. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The address is refused or the journal file cannot be opened.
    pub fn bind(settings: &Settings) -> Result<(Self, Handle), StartError> {
        let listener = Listener::bind(settings.listen, settings.allow_remote)?;
        let file = settings.journal_file.as_deref().map(JournalFile::open).transpose()?;
        let traffic = Traffic::new(Journal::new(settings.journal_capacity, file));
        let target = Rc::new(Target::new(traffic, settings.seed, &settings.token));
        let (sender, commands) = mpsc::unbounded_channel();
        let handle = Handle::new(listener.address(), sender);
        Ok((Self { listener, target, commands }, handle))
    }

    /// Serves until it is told to stop or the last handle is gone: then accepts no more, gives open exchanges a second,
    /// ends the rest and closes the journal. Must run within a [`tokio::task::LocalSet`].
    ///
    /// # Errors
    /// The journal file could not be written; everything else went on.
    pub async fn run(mut self) -> Result<(), JournalFileError> {
        let traffic = Rc::clone(&self.target.traffic);
        let http = Rc::new(http());
        let mut connections = JoinSet::new();
        let mut flush = interval(FLUSH_EVERY);
        flush.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let told_to: Option<oneshot::Sender<()>> = loop {
            tokio::select! {
                stream = self.listener.accept(|_| traffic.metrics.accept_failed()) => {
                    connections.spawn_local(serve(stream, Rc::clone(&http), Rc::clone(&self.target)));
                }
                Some(_) = connections.join_next() => {}
                command = self.commands.recv() => match command {
                    Some(Command::Stop(done)) => break Some(done),
                    Some(Command::Ask(question)) => question.answer(&traffic),
                    None => break None,
                },
                _ = flush.tick() => traffic.flush_journal(),
            }
        };
        drop(self.listener);
        self.target.stop();
        // Past the time they are ended with their exchanges unanswered, which the journal then says.
        let _ = timeout(DRAIN, async { while connections.join_next().await.is_some() {} }).await;
        connections.shutdown().await;
        let written = traffic.close_journal();
        if let Some(done) = told_to {
            // Whoever asked may have left.
            let _ = done.send(());
        }
        written
    }
}

/// Starts a server on a thread and a runtime of its own, for callers on any runtime. It stops with the last handle.
/// It keeps real time where the caller has paused tokio's.
///
/// # Errors
/// The address is refused, the journal file cannot be opened, or there is no thread to be had.
pub fn start(settings: &Settings) -> Result<Handle, StartError> {
    let settings = settings.clone();
    let (sender, receiver) = std::sync::mpsc::channel();
    let work = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(sender.send(Err(StartError::Thread(error)))),
        };
        tokio::task::LocalSet::new().block_on(&runtime, async move {
            match Server::bind(&settings) {
                Ok((server, handle)) => {
                    if sender.send(Ok(handle)).is_ok() {
                        // A journal that could not be written shows in its file; there is nobody here to tell.
                        let _ = server.run().await;
                    }
                }
                Err(error) => drop(sender.send(Err(error))),
            }
        });
    };
    std::thread::Builder::new().name("stub-model".to_owned()).spawn(work).map_err(StartError::Thread)?;
    receiver.recv().map_err(|gone| StartError::Thread(std::io::Error::other(gone)))?
}

/// hyper's settings for all connections. No time-out for heads, since it would also end idle connections.
fn http() -> Builder {
    let mut http = Builder::new();
    http.header_read_timeout(None).max_headers(MAX_FIELDS).pipeline_flush(true);
    http
}

/// Serves one connection to its end.
async fn serve(stream: TcpStream, http: Rc<Builder>, target: Rc<Target>) {
    let _open = OpenConnection::new(&target.traffic);
    let line = Line::new(stream);
    let service = service_fn(|request| handler::handle(Rc::clone(&target), Rc::clone(&line), request));
    let mut connection = pin!(http.serve_connection(TokioIo::new(Wire(Rc::clone(&line))), service));
    // How a connection ended is the client's business: what was answered stands in the journal.
    tokio::select! {
        biased;
        _ = connection.as_mut() => {}
        () = line.close_due() => {}
        () = target.stopped() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// Counts a connection as open while it lives.
struct OpenConnection(Rc<Traffic>);

impl OpenConnection {
    fn new(traffic: &Rc<Traffic>) -> Self {
        traffic.metrics.connection_opened();
        Self(Rc::clone(traffic))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.metrics.connection_closed();
    }
}
