//! What all stubs share: a listening socket, connections that end well, the books, and a handle to ask and stop by.

mod handle;
mod stop;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::server::conn::http1::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::connection::Connection;
use crate::faults;
use crate::journal::{About, DEFAULT_CAPACITY, Journal, JournalFile, JournalFileError};
use crate::listen::{ListenError, Listener};
use crate::metrics::Metrics;
use crate::socket::Socket;
use crate::traffic::Traffic;

use handle::Command;

pub use handle::{Handle, Stopped};
pub use stop::Stop;

/// How long open exchanges may take to end after a stop.
const DRAIN: Duration = Duration::from_secs(1);

/// How often queued journal lines go to the file.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

/// Most fields of a request: more than a workload plugin may send (256), where hyper's own limit is 100.
pub(crate) const MAX_FIELDS: usize = 300;

/// What can be set for every stub.
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
    /// What befalls requests. Nothing unless set.
    pub faults: faults::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            allow_remote: false,
            journal_file: None,
            journal_capacity: DEFAULT_CAPACITY,
            faults: faults::Settings::default(),
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
    /// A setting that cannot be honoured, with what is allowed.
    #[error("{0}")]
    Setting(String),
    /// No thread or no runtime for it.
    #[error("cannot start the server's thread: {0}")]
    Thread(std::io::Error),
}

/// What answers the connections of a server.
pub(crate) trait App {
    /// Serves one connection to its end, with which the caller closes it on the books. Once `stop` says so, it ends after what it is doing.
    fn serve(
        self: Rc<Self>,
        socket: Socket,
        connection: Rc<Connection>,
        stop: Rc<Stop>,
    ) -> Pin<Box<dyn Future<Output = ()>>>;
}

/// A bound server that does not answer yet.
pub struct Server {
    listener: Listener,
    app: Rc<dyn App>,
    traffic: Rc<Traffic>,
    commands: mpsc::UnboundedReceiver<Command>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.listener.address()).finish_non_exhaustive()
    }
}

impl Server {
    /// Binds the target of this name, which is what `app` makes of the address that was taken. Must be called within a tokio runtime.
    pub(crate) fn bind(
        stub: &'static str,
        settings: &Settings,
        metrics: Metrics,
        app: impl FnOnce(SocketAddr) -> Rc<dyn App>,
    ) -> Result<(Self, Handle), StartError> {
        let listener = Listener::bind(settings.listen, settings.allow_remote)?;
        let file = settings.journal_file.as_deref().map(JournalFile::open).transpose()?;
        let about = About { stub, listen: listener.address().to_string() };
        let journal = Journal::new(settings.journal_capacity, file, about);
        let traffic = Traffic::new(journal, metrics, settings.faults.clone());
        let app = app(listener.address());
        let (sender, commands) = mpsc::unbounded_channel();
        let handle = Handle::new(listener.address(), sender);
        Ok((Self { listener, app, traffic, commands }, handle))
    }

    /// Serves until it is told to stop or the last handle is gone: then accepts no more, gives open exchanges a second,
    /// ends the rest and closes the journal. Must run within a [`tokio::task::LocalSet`].
    ///
    /// # Errors
    /// The journal file could not be written; everything else went on.
    pub async fn run(mut self) -> Result<(), JournalFileError> {
        let traffic = Rc::clone(&self.traffic);
        let stop = Rc::new(Stop::default());
        let mut connections = JoinSet::new();
        let mut accepted = 0;
        let mut flush = interval(FLUSH_EVERY);
        flush.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let told_to: Option<oneshot::Sender<()>> = loop {
            tokio::select! {
                stream = self.listener.accept(|_| traffic.metrics.accept_failed()) => {
                    accepted += 1;
                    let (connection, socket) = Connection::accept(accepted, stream, &traffic);
                    let open = OpenConnection(Rc::clone(&connection));
                    let serving = Rc::clone(&self.app).serve(socket, connection, Rc::clone(&stop));
                    connections.spawn_local(async move {
                        let _open = open;
                        serving.await;
                    });
                }
                Some(_) = connections.join_next() => {}
                command = self.commands.recv() => match command {
                    Some(Command::Stop(done)) => break Some(done),
                    Some(Command::Ask(question)) => question.answer(&traffic),
                    Some(Command::Pause) => traffic.pause(),
                    Some(Command::Resume) => traffic.resume(),
                    None => break None,
                },
                _ = flush.tick() => traffic.flush_journal(),
            }
        };
        drop(self.listener);
        stop.now();
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
pub(crate) fn start(
    bind: impl FnOnce() -> Result<(Server, Handle), StartError> + Send + 'static,
) -> Result<Handle, StartError> {
    let (sender, receiver) = std::sync::mpsc::channel();
    let work = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return drop(sender.send(Err(StartError::Thread(error)))),
        };
        tokio::task::LocalSet::new().block_on(&runtime, async move {
            match bind() {
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
pub(crate) fn http() -> Builder {
    let mut http = Builder::new();
    http.header_read_timeout(None).max_headers(MAX_FIELDS).pipeline_flush(true);
    http
}

/// A connection that is closed on the books when it is no longer served, however that came about.
struct OpenConnection(Rc<Connection>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.close();
    }
}
