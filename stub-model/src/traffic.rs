//! What is recorded of every exchange: journal and metrics behind one guard, so that each arrival ends exactly once,
//! also when its connection does.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::{Method, Uri};

use crate::clock::monotonic_ns;
use crate::journal::{Journal, Ticket};
use crate::metrics::Metrics;
use crate::wire::Abandoned;

/// The books of one server.
#[derive(Debug)]
pub struct Traffic {
    /// The live figures.
    pub metrics: Metrics,
    journal: RefCell<Journal>,
    last_arrival: Cell<Option<u64>>,
}

impl Traffic {
    /// Books that keep their arrivals in this journal.
    pub fn new(journal: Journal, metrics: Metrics) -> Rc<Self> {
        Rc::new(Self { metrics, journal: RefCell::new(journal), last_arrival: Cell::new(None) })
    }

    /// Enters an arrival: its head has just been parsed. `pattern` names its path in the metrics.
    pub fn arrive(
        self: &Rc<Self>,
        pattern: &'static str,
        method: &Method,
        uri: &Uri,
        request_id: Option<&str>,
    ) -> Exchange {
        let arrived_ns = monotonic_ns();
        let before = self.last_arrival.replace(Some(arrived_ns));
        self.metrics.arrived(before.map(|before| arrived_ns.saturating_sub(before)));
        let path = uri.path_and_query().map_or("", |path| path.as_str());
        let mut journal = self.journal.borrow_mut();
        let dropped = journal.dropped();
        let ticket = journal.arrive(arrived_ns, method, path, request_id);
        self.metrics.journal_dropped(journal.dropped() - dropped);
        Exchange { traffic: Rc::clone(self), pattern, arrived_ns, ticket, status: None }
    }

    /// Reads the journal.
    pub fn with_journal<T>(&self, read: impl FnOnce(&Journal) -> T) -> T {
        read(&self.journal.borrow())
    }

    /// Forgets the journal's entries; the gap before the next arrival is not counted. Metrics keep their sums.
    pub fn reset_journal(&self) {
        self.journal.borrow_mut().reset();
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
    pub fn close_journal(&self) -> Result<(), crate::journal::JournalFileError> {
        self.journal.borrow_mut().close()
    }
}

/// One exchange being handled. Its end is the moment this is dropped: with the last piece of the answer's body, or with
/// the connection.
#[derive(Debug)]
pub struct Exchange {
    traffic: Rc<Traffic>,
    pattern: &'static str,
    arrived_ns: u64,
    ticket: Ticket,
    status: Option<u16>,
}

impl Exchange {
    /// Sets the status that the client gets to see; without it the exchange ends as unanswered.
    pub fn set_status(&mut self, status: u16) {
        self.status = Some(status);
    }

    /// Reads the request's body to its end, so that the connection can be used again. The bytes are kept where they are
    /// wanted; none where they are more than `limit`.
    ///
    /// # Errors
    /// The connection ended within the body.
    pub async fn receive(&self, mut body: Incoming, wanted: bool, limit: usize) -> Result<Option<Bytes>, Abandoned> {
        if body.is_end_stream() {
            return Ok(Some(Bytes::new()));
        }
        let mut kept = BytesMut::new();
        let mut fits = true;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Abandoned)?.into_data() else { continue };
            self.traffic.metrics.received(data.len());
            fits = fits && kept.len() + data.len() <= limit;
            if wanted && fits {
                kept.extend_from_slice(&data);
            }
        }
        Ok(fits.then(|| kept.freeze()))
    }

    /// The books it belongs to.
    pub fn traffic(&self) -> &Rc<Traffic> {
        &self.traffic
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let answered_ns = monotonic_ns();
        self.traffic.metrics.answered(self.pattern, self.status, answered_ns.saturating_sub(self.arrived_ns));
        self.traffic.journal.borrow_mut().answer(self.ticket, answered_ns, self.status);
    }
}
