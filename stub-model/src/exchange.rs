//! One request with its answer, from the parsed head until the answer has left or the connection has ended.

use std::rc::Rc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::Method;
use hyper::body::{Body as _, Incoming};
use tokio::time::sleep;

use crate::clock::monotonic_ns;
use crate::connection::Connection;
use crate::faults::{Befell, Fate, Kind};
use crate::journal::End;
use crate::traffic::{Arrival, Traffic};
use crate::wire::Abandoned;

/// One exchange being handled. It ends when this is dropped, or, where its answer is complete, when that has been handed
/// to the socket.
#[derive(Debug)]
pub struct Exchange {
    connection: Rc<Connection>,
    arrival: Arrival,
    status: Option<u16>,
    /// Its answer has no body, whatever is said.
    bodiless: bool,
    body_bytes: u64,
    complete: bool,
    befell: Befell,
}

impl Exchange {
    pub(crate) fn new(connection: Rc<Connection>, arrival: Arrival, method: &Method) -> Self {
        let bodiless = method == Method::HEAD;
        let befell = Befell::default();
        Self { connection, arrival, status: None, bodiless, body_bytes: 0, complete: false, befell }
    }

    /// Sets the status that the client gets to see, and begins the answer; without it the exchange ends as unanswered.
    pub fn set_status(&mut self, status: u16) {
        self.status = Some(status);
        self.connection.marks().answer_begins();
    }

    /// So many bytes of the answer's body have been handed over.
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.body_bytes += bytes as u64;
        self.traffic().metrics.sent(bytes);
    }

    /// Tells that the whole answer is there.
    pub(crate) fn set_complete(&mut self) {
        self.complete = true;
    }

    /// Notes what befalls it.
    pub(crate) fn note(&mut self, kind: Kind) {
        self.befell.add(kind);
    }

    /// Lets its answer leave byte by byte.
    pub(crate) fn trickle(&mut self, gap: Duration) {
        self.note(Kind::Loris);
        self.connection.marks().trickle(gap);
    }

    /// What is to befall it by the options. To be asked once, as it arrives.
    pub(crate) fn next_fate(&self) -> Fate {
        self.traffic().next_fate(self.arrival)
    }

    /// What befalls it by the options: waits, and then begins to answer or is reset.
    ///
    /// # Errors
    /// The connection is to be reset.
    pub(crate) async fn suffer(&mut self, fate: Fate) -> Result<(), Abandoned> {
        self.befell.add_all(fate.befell);
        if !fate.wait.is_zero() {
            // From the arrival, which may be long ago where the body came slowly.
            let since = Duration::from_nanos(monotonic_ns().saturating_sub(self.arrival.ns));
            sleep(fate.wait.saturating_sub(since)).await;
        }
        if let Some(gap) = fate.loris {
            self.trickle(gap);
        }
        if fate.reset { Err(self.reset().await) } else { Ok(()) }
    }

    /// Resets its connection, when the stub is not paused.
    pub(crate) async fn reset(&mut self) -> Abandoned {
        self.note(Kind::Reset);
        self.opened().await;
        self.connection.marks().reset_on_close();
        Abandoned
    }

    /// Waits while the stub is paused: for what does not go through the socket.
    pub(crate) async fn opened(&mut self) {
        if self.connection.opened().await {
            self.note(Kind::Pause);
        }
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
            self.traffic().metrics.received(data.len());
            fits = fits && kept.len() + data.len() <= limit;
            if wanted && fits {
                kept.extend_from_slice(&data);
            }
        }
        Ok(fits.then(|| kept.freeze()))
    }

    /// The books it belongs to.
    pub fn traffic(&self) -> &Rc<Traffic> {
        self.connection.traffic()
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let end = End {
            sent_ns: self.status.and_then(|_| self.connection.marks().first()),
            // Where the answer is still to leave, the connection says when it had.
            finished_ns: monotonic_ns(),
            status: self.status,
            wire_bytes: 0,
            body_bytes: self.body_bytes,
            complete: self.complete || (self.bodiless && self.status.is_some()),
            faults: self.befell,
        };
        self.connection.take(self.arrival, end);
    }
}
