//! The listening socket: which addresses are allowed, and accepting that survives a shortage of descriptors.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// Connections the kernel keeps for us while we are busy; a load test opens many at once.
const BACKLOG: u32 = 4096;

/// How long to wait after an accept that failed for want of descriptors or memory; without it the loop would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Why a listening socket could not be had.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is not a loopback one and nobody allowed that.
    #[error(
        "{0} can be reached from other machines; listen on a loopback address such as 127.0.0.1:0, or pass --allow-remote"
    )]
    Remote(SocketAddr),
    /// The system refused the address.
    #[error("cannot listen on {address}: {}", explain(source))]
    Refused {
        /// The address asked for.
        address: SocketAddr,
        /// The system's answer.
        source: io::Error,
    },
}

/// What happened and what to do about it, for people.
fn explain(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::AddrInUse => "the port is in use; choose another one, or port 0 for any free one".to_owned(),
        ErrorKind::PermissionDenied => {
            "no permission for this port; choose one from 1024 on, or port 0 for any free one".to_owned()
        }
        ErrorKind::AddrNotAvailable => "this machine does not have that address; use 127.0.0.1 or [::1]".to_owned(),
        _ => error.to_string(),
    }
}

/// A bound socket that hands out connections.
#[derive(Debug)]
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Binds. Port 0 takes any free port. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// An address that is not loopback while `allow_remote` is false, or one that the system refuses.
    pub fn bind(address: SocketAddr, allow_remote: bool) -> Result<Self, ListenError> {
        if !allow_remote && !address.ip().to_canonical().is_loopback() {
            return Err(ListenError::Remote(address));
        }
        Self::bind_unchecked(address).map_err(|source| ListenError::Refused { address, source })
    }

    fn bind_unchecked(address: SocketAddr) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        // Lets a stub come back on the port of the one before it, whose connections are still in TIME_WAIT.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let inner = socket.listen(BACKLOG)?;
        let address = inner.local_addr()?;
        Ok(Self { inner, address })
    }

    /// The address with the port that was really taken.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next connection, with `TCP_NODELAY` set. Failures are told to `failed` and survived. May be cancelled without
    /// losing a connection.
    pub async fn accept(&self, failed: impl Fn(&io::Error)) -> TcpStream {
        loop {
            match self.inner.accept().await {
                Ok((stream, _)) => {
                    // A peer that is gone already: the first read will tell.
                    let _ = stream.set_nodelay(true);
                    return stream;
                }
                Err(error) => {
                    failed(&error);
                    if !of_one_connection(&error) {
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        }
    }
}

/// True for what befell a single connection in the queue, so that the next one can be taken at once.
fn of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted
    )
}
