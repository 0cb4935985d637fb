//! Why an exchange failed: the reasons of `docs/terminology.md` that an HTTP exchange can have, and how errors of the
//! layers below are put under them.

use std::fmt;
use std::io;

use rustix::io::Errno;

use super::tls;

/// Why an exchange failed. A status is never a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The answer is larger than the request allows.
    BodyTooLarge,
    /// The answer's content coding is corrupt or unknown.
    Decode,
    /// The name has no address.
    Dns,
    /// The generator ran out of file descriptors.
    FdExhausted,
    /// The scenario does not allow that host.
    HostNotAllowed,
    /// Anything else; the detail says what.
    Other,
    /// The generator ran out of local ports.
    PortExhausted,
    /// The request cannot be sent as asked, or the answer is not HTTP.
    Protocol,
    /// Nobody listens.
    Refused,
    /// The peer tore the connection down before an answer.
    Reset,
    /// A connection that had been idle was closed by the peer before it answered.
    StaleConnection,
    /// Name, connection and TLS took longer than allowed.
    TimeoutConnect,
    /// No byte of an answer in time.
    TimeoutFirstByte,
    /// The answer paused for too long.
    TimeoutIdle,
    /// The exchange took longer than allowed, counted from its asking.
    TimeoutTotal,
    /// No TLS session: certificate, name or handshake.
    Tls,
    /// The answer began and ended before it was complete.
    Truncated,
    /// The peer did not open the WebSocket; the detail says with which status it answered.
    UpgradeRefused,
}

impl Reason {
    /// Every reason, in alphabetical order of its name.
    pub const ALL: [Self; 18] = [
        Self::BodyTooLarge,
        Self::Decode,
        Self::Dns,
        Self::FdExhausted,
        Self::HostNotAllowed,
        Self::Other,
        Self::PortExhausted,
        Self::Protocol,
        Self::Refused,
        Self::Reset,
        Self::StaleConnection,
        Self::TimeoutConnect,
        Self::TimeoutFirstByte,
        Self::TimeoutIdle,
        Self::TimeoutTotal,
        Self::Tls,
        Self::Truncated,
        Self::UpgradeRefused,
    ];

    /// The documented name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BodyTooLarge => "body_too_large",
            Self::Decode => "decode",
            Self::Dns => "dns",
            Self::FdExhausted => "fd_exhausted",
            Self::HostNotAllowed => "host_not_allowed",
            Self::Other => "other",
            Self::PortExhausted => "port_exhausted",
            Self::Protocol => "protocol",
            Self::Refused => "refused",
            Self::Reset => "reset",
            Self::StaleConnection => "stale_connection",
            Self::TimeoutConnect => "timeout_connect",
            Self::TimeoutFirstByte => "timeout_first_byte",
            Self::TimeoutIdle => "timeout_idle",
            Self::TimeoutTotal => "timeout_total",
            Self::Tls => "tls",
            Self::Truncated => "truncated",
            Self::UpgradeRefused => "upgrade_refused",
        }
    }

    /// Whether it is one of the four time-outs.
    pub const fn is_timeout(self) -> bool {
        matches!(self, Self::TimeoutConnect | Self::TimeoutFirstByte | Self::TimeoutIdle | Self::TimeoutTotal)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failed exchange: the reason, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The class, for counting.
    pub reason: Reason,
    /// For people; its wording may change.
    pub detail: String,
}

impl Failure {
    /// A failure with its detail.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }

    /// The failure an error of the operating system or of TLS stands for.
    pub(super) fn of_io(error: &io::Error) -> Self {
        if let Some(failure) = tls::failure_within(error) {
            return failure;
        }
        let reason = match error.raw_os_error() {
            Some(code) if code == Errno::MFILE.raw_os_error() || code == Errno::NFILE.raw_os_error() => {
                Reason::FdExhausted
            }
            _ => match error.kind() {
                io::ErrorKind::ConnectionRefused => Reason::Refused,
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::NotConnected => Reason::Reset,
                io::ErrorKind::AddrNotAvailable => Reason::PortExhausted,
                _ => Reason::Other,
            },
        };
        Self::new(reason, error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.detail)
    }
}

impl std::error::Error for Failure {}
