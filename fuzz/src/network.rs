//! A network in memory on virtual time, as the fuzz targets that drive a client or a worker use it.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::OnceLock;

use engine::client::{Connect, Connecting, Settings, Socket, Tls, TlsFiles};
use tokio::io::{AsyncReadExt, DuplexStream};
use tokio::task::LocalSet;

/// Runs to the end with a clock that stands still while anything can happen, then jumps to the next timer.
pub(crate) fn on_virtual_time<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    LocalSet::new().block_on(&runtime.expect("a runtime"), what)
}

/// Settings of a client of `http://test`, which may ask `http://other`, too.
pub(crate) fn settings() -> Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    let make = || {
        let tls = Tls::load(&TlsFiles::default()).expect("the public roots");
        let allowed_hosts = vec!["other".parse().expect("a host")];
        Settings { allowed_hosts, ..Settings::new("http://test".parse().expect("a URL"), tls) }
    };
    SETTINGS.get_or_init(make).clone()
}

type Script = dyn Fn(DuplexStream) -> Pin<Box<dyn Future<Output = ()>>>;

/// A network whose connections are served by a script.
pub(crate) struct Memory {
    script: Box<Script>,
    /// Bytes that may be under way in one direction.
    pipe: usize,
}

impl Memory {
    pub(crate) fn new<F: Future<Output = ()> + 'static>(
        pipe: usize,
        script: impl Fn(DuplexStream) -> F + 'static,
    ) -> Rc<Self> {
        Rc::new(Self { script: Box::new(move |peer| Box::pin(script(peer))), pipe })
    }
}

impl Connect for Memory {
    fn lookup<'a>(&'a self, _host: &'a str, port: u16) -> Connecting<'a, Vec<SocketAddr>> {
        Box::pin(async move { Ok(vec![([127, 0, 0, 1], port).into()]) })
    }

    fn connect(&self, _address: SocketAddr) -> Connecting<'_, Socket> {
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(self.pipe);
            tokio::task::spawn_local((self.script)(theirs));
            Ok(Socket::Memory(ours))
        })
    }
}

/// The head of the next request; `None` when the client has closed.
pub(crate) async fn request_head(peer: &mut DuplexStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(peer.read_u8().await.ok()?);
    }
    Some(head.iter().map(|&byte| char::from(byte)).collect())
}

/// What answers the key of a handshake (RFC 6455, section 4.2.2); that of an empty key where the head has none.
pub(crate) fn accept(head: &str) -> String {
    use base64::Engine as _;
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
    let digest = sha1_smol::Sha1::from(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11")).digest();
    base64::engine::general_purpose::STANDARD.encode(digest.bytes())
}

/// The bytes with each `{accept}` replaced.
pub(crate) fn with_accept(bytes: &[u8], accept: &str) -> Vec<u8> {
    const PLACE: &[u8] = b"{accept}";
    let mut out = Vec::with_capacity(bytes.len() + accept.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(PLACE.len()).position(|window| window == PLACE) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(accept.as_bytes());
        rest = &rest[at + PLACE.len()..];
    }
    out.extend_from_slice(rest);
    out
}
