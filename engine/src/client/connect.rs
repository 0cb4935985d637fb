//! How a connection comes to be: name, address, socket, TLS.

use std::cell::Cell;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::failure::Failure;
use super::origin::Origin;
use super::stream_io::{Layer, StreamIo};
use super::target::Scheme;
use super::tls;
use super::wire::{Stamped, Wire};
use crate::clock::{Clock, Time};

/// A future of a `Connect`.
pub type Connecting<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + 'a>>;

/// The network as a client sees it; tests put one in memory in its place.
pub trait Connect {
    /// All addresses of a name, each with that port.
    fn lookup<'a>(&'a self, host: &'a str, port: u16) -> Connecting<'a, Vec<SocketAddr>>;

    /// A connection to that address.
    fn connect(&self, address: SocketAddr) -> Connecting<'_, Socket>;
}

/// The machine's own network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Network;

impl Connect for Network {
    fn lookup<'a>(&'a self, host: &'a str, port: u16) -> Connecting<'a, Vec<SocketAddr>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }

    fn connect(&self, address: SocketAddr) -> Connecting<'_, Socket> {
        Box::pin(async move {
            let socket = TcpStream::connect(address).await?;
            socket.set_nodelay(true)?;
            Ok(Socket::Tcp(socket))
        })
    }
}

/// A connected transport.
#[derive(Debug)]
pub enum Socket {
    /// Over the network.
    Tcp(TcpStream),
    /// Within the process.
    Memory(DuplexStream),
}

/// A connection ready for its first request, and how long its parts took.
pub(super) struct Dialed {
    pub(super) stream: StreamIo,
    pub(super) dns: Option<Duration>,
    pub(super) connect: Duration,
    pub(super) tls: Option<Duration>,
}

/// What a dial is at, for the detail of a time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Name,
    Connection(SocketAddr),
    Tls(SocketAddr),
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name => f.write_str("while looking up the name"),
            Self::Connection(address) => write!(f, "while connecting to {address}"),
            Self::Tls(address) => write!(f, "during the TLS handshake with {address}"),
        }
    }
}

/// Connects to an origin. `until` is when the caller will give up; the addresses share the time left until then, so
/// that one that never answers leaves time for the next.
pub(super) async fn dial(
    network: &dyn Connect,
    clock: &dyn Clock,
    origin: &Origin,
    config: &Arc<ClientConfig>,
    wire: &Rc<Wire>,
    until: Time,
    stage: &Cell<Stage>,
) -> Result<Dialed, Failure> {
    let begun = clock.now();
    let (addresses, looked_up) = origin.addresses(network, clock).await?;
    let named = clock.now();
    let (socket, address) = connect_any(network, clock, &addresses, until, stage).await?;
    let connected = clock.now();
    let stamped = Stamped::new(socket, Rc::clone(wire));
    let (layer, tls) = match origin.name.scheme {
        Scheme::Http => (Layer::Plain(stamped), None),
        Scheme::Https => {
            stage.set(Stage::Tls(address));
            let name = origin.server_name.clone()?;
            let session = TlsConnector::from(Arc::clone(config))
                .connect(name, stamped)
                .await
                .map_err(|error| tls::handshake_failure(&error))?;
            (Layer::Tls(Box::new(session)), Some(clock.now() - connected))
        }
    };
    Ok(Dialed {
        stream: StreamIo::new(layer, Rc::clone(wire)),
        dns: looked_up.then(|| named - begun),
        connect: connected - named,
        tls,
    })
}

async fn connect_any(
    network: &dyn Connect,
    clock: &dyn Clock,
    addresses: &[SocketAddr],
    until: Time,
    stage: &Cell<Stage>,
) -> Result<(Socket, SocketAddr), Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    for (tried, &address) in addresses.iter().enumerate() {
        stage.set(Stage::Connection(address));
        let left = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let attempt = network.connect(address);
        let outcome = if left == 1 {
            // The last one may use what is left; the caller's own time-out ends it, under its own reason.
            attempt.await
        } else {
            let share = (until - clock.now()) / left;
            tokio::time::timeout(share, attempt)
                .await
                .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no answer in its share of the time")))
        };
        match outcome {
            Ok(socket) => return Ok((socket, address)),
            Err(error) => {
                let failure = Failure::of_io(&error);
                failures.push(Failure::new(failure.reason, format!("{address}: {}", failure.detail)));
            }
        }
    }
    let detail = failures.iter().map(|failure| failure.detail.as_str()).collect::<Vec<_>>().join("; ");
    let reason = failures.last().map_or(super::failure::Reason::Dns, |failure| failure.reason);
    Err(Failure::new(reason, detail))
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_read(cx, buf),
            Self::Memory(pipe) => Pin::new(pipe).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_write(cx, buf),
            Self::Memory(pipe) => Pin::new(pipe).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_write_vectored(cx, bufs),
            Self::Memory(pipe) => Pin::new(pipe).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Tcp(socket) => socket.is_write_vectored(),
            Self::Memory(pipe) => pipe.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_flush(cx),
            Self::Memory(pipe) => Pin::new(pipe).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(socket) => Pin::new(socket).poll_shutdown(cx),
            Self::Memory(pipe) => Pin::new(pipe).poll_shutdown(cx),
        }
    }
}
