//! The moments of an exchange, as `docs/terminology.md` names them.

use std::time::Duration;

use crate::clock::Time;

/// The moments and sizes of one exchange. With redirects: `sent` is the first request's, `first_byte` and `end` are the
/// delivered answer's, sizes are sums. After a stale re-send all moments are the re-send's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// When the exchange was asked for.
    pub asked: Time,
    /// First byte handed to the socket; absent where nothing was sent.
    pub sent: Option<Time>,
    /// First byte of the answer off the wire (an interim answer counts), before decryption; absent where none came.
    /// May precede the end of the sending.
    pub first_byte: Option<Time>,
    /// Last byte of the answer off the wire, before decompression; for an answer whose end only the closing of the
    /// connection shows, that closing. For a failure or a cancellation the moment of it.
    pub end: Time,
    /// Time in the queue for a connection, while the connections were at their cap.
    pub queued: Duration,
    /// Time for the name; absent where none was looked up for this exchange.
    pub dns: Option<Duration>,
    /// Time for the connection, over all addresses tried; absent on a reused connection.
    pub connect: Option<Duration>,
    /// Time for the TLS handshake; absent on a reused or plain connection.
    pub tls: Option<Duration>,
    /// Whether the answering connection had been opened before this exchange.
    pub reused: bool,
    /// Request bytes handed to the connection, head and body, before encryption.
    pub bytes_sent: u64,
    /// Body bytes of the answer, before decompression and without the framing of chunks.
    pub bytes_received: u64,
    /// All bytes of the answer, with heads and framing, after decryption.
    pub wire_received: u64,
    /// Re-sends after a stale connection: 0 or 1 for each request of a chain of redirects.
    pub attempts_stale: u32,
    /// Redirects followed.
    pub redirects: u32,
    /// How often a request was handed to a socket for it, redirects and re-sends included.
    pub sends: u32,
    /// First byte ever handed to a socket for it: earlier than `sent` where it was re-sent.
    pub first_sent: Option<Time>,
}

impl Timings {
    /// Response time: end − asked.
    pub fn response_time(&self) -> Duration {
        self.end - self.asked
    }

    /// Service time: end − sent; absent where nothing was sent.
    pub fn service_time(&self) -> Option<Duration> {
        self.sent.map(|sent| self.end - sent)
    }

    /// Connection wait: sent − asked (queueing, name, connect and TLS); absent where nothing was sent.
    pub fn connection_wait(&self) -> Option<Duration> {
        self.sent.map(|sent| sent - self.asked)
    }
}
