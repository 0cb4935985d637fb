//! The books of one server: journal and metrics, kept together so that each arrival ends exactly once in both.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use hyper::{Method, Uri};

use crate::clock::monotonic_ns;
use crate::faults::{self, Fate, Fates};
use crate::gate::Gate;
use crate::journal::{End, Journal, JournalFileError, Ticket};
use crate::metrics::Metrics;

/// The books of one server, and what they say is to befall its requests.
#[derive(Debug)]
pub struct Traffic {
    /// The live figures.
    pub metrics: Metrics,
    pub(crate) gate: Arc<Gate>,
    journal: RefCell<Journal>,
    fates: RefCell<Fates>,
    last_arrival: Cell<Option<u64>>,
}

/// An arrival on the books.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) ns: u64,
    /// Its path in the metrics.
    pub(crate) pattern: &'static str,
    ticket: Ticket,
}

impl Traffic {
    /// Books that keep their arrivals in this journal.
    pub(crate) fn new(journal: Journal, metrics: Metrics, faults: faults::Settings) -> Rc<Self> {
        Rc::new(Self {
            metrics,
            gate: Gate::new(),
            journal: RefCell::new(journal),
            fates: RefCell::new(Fates::new(faults)),
            last_arrival: Cell::new(None),
        })
    }

    /// Enters an arrival: its head has just been parsed.
    pub(crate) fn arrived(
        &self,
        connection: u64,
        pattern: &'static str,
        method: &Method,
        uri: &Uri,
        request_id: Option<&str>,
    ) -> Arrival {
        let ns = monotonic_ns();
        let before = self.last_arrival.replace(Some(ns));
        self.metrics.arrived(before.map(|before| ns.saturating_sub(before)));
        let path = uri.path_and_query().map_or("", |path| path.as_str());
        let mut journal = self.journal.borrow_mut();
        let dropped = journal.dropped();
        let ticket = journal.arrive(ns, connection, method, path, request_id);
        self.metrics.journal_dropped(journal.dropped() - dropped);
        Arrival { ns, pattern, ticket }
    }

    /// Enters the end of an arrival.
    pub(crate) fn ended(&self, arrival: Arrival, end: &End) {
        self.metrics.answered(arrival.pattern, end.status, end.finished_ns.saturating_sub(arrival.ns));
        self.journal.borrow_mut().end(arrival.ticket, end);
    }

    /// What is to befall the request that has just arrived, as the options say.
    pub(crate) fn next_fate(&self, arrival: Arrival) -> Fate {
        self.fates.borrow_mut().next(arrival.ns)
    }

    /// Answers nothing from now on.
    pub(crate) fn pause(&self) {
        self.gate.close();
        self.metrics.set_paused(true);
    }

    /// Answers again, first of all what has been waiting.
    pub(crate) fn resume(&self) {
        self.metrics.set_paused(false);
        self.gate.open();
    }

    /// Reads the journal.
    pub fn with_journal<T>(&self, read: impl FnOnce(&Journal) -> T) -> T {
        read(&self.journal.borrow())
    }

    /// Forgets the journal's entries; the gap before the next arrival is not counted, and for faults it is the first.
    /// Metrics keep their sums.
    pub fn reset_journal(&self) {
        self.journal.borrow_mut().reset();
        self.fates.borrow_mut().reset();
        self.last_arrival.set(None);
    }

    /// Hands queued journal lines to the file.
    pub fn flush_journal(&self) {
        self.journal.borrow_mut().flush();
    }

    /// Writes queued journal lines and closes the file.
    ///
    /// # Errors
    /// Something could not be written, now or earlier.
    pub fn close_journal(&self) -> Result<(), JournalFileError> {
        self.journal.borrow_mut().close()
    }
}
