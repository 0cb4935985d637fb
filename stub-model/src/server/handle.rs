//! Asking and stopping a running server from anywhere in the process.

use std::net::SocketAddr;

use tokio::sync::{mpsc, oneshot};

use crate::journal::Entry;
use crate::metrics::Counters;
use crate::traffic::Traffic;

/// The server has stopped and can no longer be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stub has stopped")]
pub struct Stopped;

/// What a handle asks of its server.
#[derive(Debug)]
pub(super) enum Command {
    Stop(oneshot::Sender<()>),
    Ask(Question),
    Pause,
    Resume,
}

/// What can be asked while the server goes on.
#[derive(Debug)]
pub(super) enum Question {
    Journal(oneshot::Sender<Vec<Entry>>),
    ResetJournal(oneshot::Sender<()>),
    Counters(oneshot::Sender<Counters>),
}

impl Question {
    /// Answers from the books. That a caller did not wait is no fault.
    pub(super) fn answer(self, traffic: &Traffic) {
        match self {
            Self::Journal(to) => {
                let _ = to.send(traffic.with_journal(|journal| journal.entries().cloned().collect()));
            }
            Self::ResetJournal(to) => {
                traffic.reset_journal();
                let _ = to.send(());
            }
            Self::Counters(to) => {
                let _ = to.send(traffic.metrics.counters());
            }
        }
    }
}

/// A running server, seen from outside. The server stops when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Handle {
    address: SocketAddr,
    commands: mpsc::UnboundedSender<Command>,
}

impl Handle {
    pub(super) fn new(address: SocketAddr, commands: mpsc::UnboundedSender<Command>) -> Self {
        Self { address, commands }
    }

    /// The address it listens on, with the real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its origin, such as `http://127.0.0.1:4020` or `http://[::1]:4020`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The arrivals kept, oldest first.
    ///
    /// # Errors
    /// The server has stopped.
    pub async fn journal(&self) -> Result<Vec<Entry>, Stopped> {
        self.ask(|to| Command::Ask(Question::Journal(to))).await
    }

    /// Forgets the arrivals and counts from 0 again, also for faults.
    ///
    /// # Errors
    /// The server has stopped.
    pub async fn reset_journal(&self) -> Result<(), Stopped> {
        self.ask(|to| Command::Ask(Question::ResetJournal(to))).await
    }

    /// The sums as they stand.
    ///
    /// # Errors
    /// The server has stopped.
    pub async fn counters(&self) -> Result<Counters, Stopped> {
        self.ask(|to| Command::Ask(Question::Counters(to))).await
    }

    /// Answers nothing from now on, while connections are accepted and requests read as before. `/health`, `/metrics` and
    /// `/journal` are answered.
    ///
    /// # Errors
    /// The server has stopped.
    pub fn pause(&self) -> Result<(), Stopped> {
        self.commands.send(Command::Pause).map_err(|_| Stopped)
    }

    /// Answers again, first of all what has been waiting.
    ///
    /// # Errors
    /// The server has stopped.
    pub fn resume(&self) -> Result<(), Stopped> {
        self.commands.send(Command::Resume).map_err(|_| Stopped)
    }

    /// Stops the server and waits until the last connection is closed and the journal is written.
    ///
    /// # Errors
    /// It had stopped already.
    pub async fn stop(&self) -> Result<(), Stopped> {
        self.ask(Command::Stop).await
    }

    async fn ask<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Result<T, Stopped> {
        let (sender, receiver) = oneshot::channel();
        self.commands.send(command(sender)).map_err(|_| Stopped)?;
        receiver.await.map_err(|_| Stopped)
    }
}
