//! TLS: whom the client trusts, who it says it is, and what it says when that fails.

use std::fs;
use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_core::Stream as _;
use futures_sink::Sink as _;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::AsyncWriteExt as _;
use tokio_rustls::TlsAcceptor;
use tokio_websockets::{CloseCode, Message, ServerBuilder};

use super::kit::{OK, Peer, World, listen, on_sockets};
use crate::client::{Identity, ReadMode, Reason, Settings, Tls, TlsError, TlsFiles};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
}

/// A certificate and its key, as PEM.
fn certificate(authority: &Authority, name: &str, last_year: i32) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(last_year, 1, 1);
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}

fn server(identity: &(String, String), clients: Option<&Authority>) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("versions");
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots
                .add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).expect("a certificate"))
                .expect("a root");
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().expect("a verifier");
            builder.with_client_cert_verifier(verifier)
        }
    };
    let chain = vec![CertificateDer::from_pem_slice(identity.0.as_bytes()).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_slice(identity.1.as_bytes()).expect("a key");
    TlsAcceptor::from(Arc::new(builder.with_single_cert(chain, key).expect("a server")))
}

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("engine-client-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a request to `https://localhost` ends on that server, twice.
async fn ask(acceptor: TlsAcceptor, files: &TlsFiles) -> (String, bool) {
    let address = listen("127.0.0.1:0", move |_, peer| {
        let acceptor = acceptor.clone();
        async move {
            if let Ok(session) = acceptor.accept(peer.0).await {
                Peer(session).answer_all(OK).await;
            }
        }
    })
    .await;
    let target = format!("https://localhost:{}", address.port()).parse().expect("a URL");
    let mut settings = Settings::new(target, Tls::load(files).expect("the files"));
    settings.resolve = Some("127.0.0.1".parse().expect("an address"));
    let world = World::on_sockets(settings);
    let first = world.ask(world.get("/")).await;
    if first.failure.is_none() {
        assert!(first.timings.tls.is_some() && first.timings.connect.is_some());
        let mut request = world.get("/");
        "POST".clone_into(&mut request.method);
        request.body = vec![b'x'; 300_000].into();
        let second = world.ask(request).await;
        assert_eq!((second.text(), second.timings.reused, second.timings.tls), (first.text(), true, None));
        assert_eq!(second.timings.wire_received, OK.len() as u64);
    }
    (first.text(), first.failure.is_some_and(|failure| failure.reason == Reason::Tls))
}

fn trusting(ca: &Path) -> TlsFiles {
    TlsFiles { ca: vec![ca.to_owned()], ..TlsFiles::default() }
}

#[test]
fn an_authority_of_ones_own_is_trusted_when_named() {
    let (folder, authority) = (Folder::new(), authority());
    let ca = folder.file("ca.pem", &authority.pem());
    let identity = certificate(&authority, "localhost", 2100);
    on_sockets(async {
        assert_eq!(ask(server(&identity, None), &trusting(&ca)).await.0, "200 ok");
        let (text, is_tls) = ask(server(&identity, None), &TlsFiles::default()).await;
        assert!(is_tls && text.contains("unknown issuer"), "{text}");
    });
}

#[test]
fn a_wrong_name_and_an_expired_certificate_are_told_apart() {
    let (folder, authority) = (Folder::new(), authority());
    let ca = folder.file("ca.pem", &authority.pem());
    on_sockets(async {
        let (text, is_tls) = ask(server(&certificate(&authority, "other", 2100), None), &trusting(&ca)).await;
        assert!(is_tls && text.contains("name mismatch"), "{text}");
        let (text, is_tls) = ask(server(&certificate(&authority, "localhost", 2001), None), &trusting(&ca)).await;
        assert!(is_tls && text.contains("the certificate has expired"), "{text}");
    });
}

#[test]
fn another_server_name_is_asked_for_and_checked_when_set() {
    let (folder, authority) = (Folder::new(), authority());
    let ca = folder.file("ca.pem", &authority.pem());
    let files = TlsFiles { server_name: Some("other".to_owned()), ..trusting(&ca) };
    on_sockets(async {
        assert_eq!(ask(server(&certificate(&authority, "other", 2100), None), &files).await.0, "200 ok");
    });
}

#[test]
fn a_client_certificate_is_shown_where_it_is_required() {
    let (folder, authority) = (Folder::new(), authority());
    let ca = folder.file("ca.pem", &authority.pem());
    let (own, key) = certificate(&authority, "client", 2100);
    let identity = Identity { certificate: folder.file("own.pem", &own), key: folder.file("own.key", &key) };
    let acceptor = server(&certificate(&authority, "localhost", 2100), Some(&authority));
    on_sockets(async {
        let files = TlsFiles { identity: Some(identity), ..trusting(&ca) };
        assert_eq!(ask(acceptor.clone(), &files).await.0, "200 ok");
        let (text, is_tls) = ask(acceptor, &trusting(&ca)).await;
        assert!(is_tls && text.contains("CertificateRequired"), "{text}");
    });
}

#[test]
fn a_peer_that_speaks_no_tls_or_leaves_is_a_tls_failure() {
    on_sockets(async {
        let address = listen("127.0.0.1:0", |number, mut peer| async move {
            if number == 0 {
                peer.send("HTTP/1.1 400 Bad Request\r\n\r\n").await;
                peer.closed().await;
            } else {
                let mut hello = [0; 64];
                let _ = tokio::io::AsyncReadExt::read(&mut peer.0, &mut hello).await;
                // Closes in order: everything has been read.
                let _ = tokio::io::AsyncWriteExt::shutdown(&mut peer.0).await;
                peer.closed().await;
            }
        })
        .await;
        let settings = super::kit::settings(&format!("https://{address}"));
        let world = World::on_sockets(settings);
        let text = world.ask(world.get("/")).await.text();
        assert!(text.starts_with("tls: the peer does not speak TLS here: "), "{text}");
        assert_eq!(world.ask(world.get("/")).await.text(), "tls: closed during the handshake");
    });
}

#[test]
fn files_that_cannot_be_used_are_named_with_what_is_wrong() {
    let (folder, authority) = (Folder::new(), authority());
    let (own, _) = certificate(&authority, "client", 2100);
    let (_, other_key) = certificate(&authority, "client", 2100);
    let (own, other_key) = (folder.file("own.pem", &own), folder.file("other.key", &other_key));
    let (empty, missing) = (folder.file("empty.pem", "text"), folder.0.join("missing.pem"));
    let text = |files: TlsFiles| {
        let error: TlsError = Tls::load(&files).expect_err("a fault");
        error.to_string().replace(&format!("{}/", folder.0.display()), "")
    };
    let with = |certificate: &Path, key: &Path| TlsFiles {
        identity: Some(Identity { certificate: certificate.to_owned(), key: key.to_owned() }),
        ..TlsFiles::default()
    };
    assert_eq!(text(trusting(&missing)), "missing.pem: cannot be read: No such file or directory (os error 2)");
    assert_eq!(text(trusting(&empty)), "empty.pem: holds no certificate in PEM form");
    assert_eq!(text(with(&own, &empty)), "empty.pem: holds no private key in PEM form: no items found");
    assert_eq!(
        text(with(&own, &other_key)),
        "own.pem and other.key are no usable pair: keys may not be consistent: KeyMismatch"
    );
    assert_eq!(
        text(TlsFiles { server_name: Some("no name".to_owned()), ..TlsFiles::default() }),
        "server name `no name` is neither a DNS name nor an IP address"
    );
}

#[test]
fn sockets_and_event_streams_go_over_tls_as_well() {
    let (authority, folder) = (authority(), Folder::new());
    let ca = folder.file("ca.pem", &authority.pem());
    let acceptor = server(&certificate(&authority, "localhost", 2100), None);
    on_sockets(async {
        let address = listen("127.0.0.1:0", move |number, peer| {
            let acceptor = acceptor.clone();
            async move {
                let mut peer = Peer(acceptor.accept(peer.0).await.expect("a session"));
                if number == 0 {
                    peer.request().await;
                    peer.send("HTTP/1.1 200 OK\r\n\r\ndata: a\n\ndata: b\n\n").await;
                    let _ = peer.0.shutdown().await;
                    return;
                }
                let (_, mut socket) = ServerBuilder::new().accept(peer.0).await.expect("a handshake");
                let question = poll_fn(|cx| Pin::new(&mut socket).poll_next(cx)).await.expect("a message");
                for message in [question.expect("sound"), Message::close(Some(CloseCode::NORMAL_CLOSURE), "bye")] {
                    Pin::new(&mut socket).start_send(message).expect("open");
                }
                while poll_fn(|cx| Pin::new(&mut socket).poll_next(cx)).await.is_some() {}
            }
        })
        .await;
        let target = format!("https://localhost:{}", address.port()).parse().expect("a URL");
        let mut settings = Settings::new(target, Tls::load(&trusting(&ca)).expect("the files"));
        settings.resolve = Some("127.0.0.1".parse().expect("an address"));
        let world = World::on_sockets(settings);
        let events = world.send(crate::client::Request { read: ReadMode::Events, ..world.get("/") });
        world.end(events).await;
        assert_eq!(world.story(events), r#"head 200, events [message "a", message "b"], 200 "#);
        let socket = world.send(world.socket("/"));
        world.client.write(socket, crate::pieces::Message::Text("x".repeat(100_000)));
        let end = world.end(socket).await;
        assert_eq!((end.text().as_str(), end.timings.bytes_received), ("closed 1000 bye", 100_000));
        assert!(end.timings.tls.is_some());
    });
}
