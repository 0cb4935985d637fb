//! Every reason an exchange can have, provoked; the time-outs have a file of their own.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use super::kit::{Memory, OK, Peer, World, on_virtual_time, settings};
use crate::client::Reason;

#[test]
fn names_are_unique_and_in_order() {
    let names: Vec<&str> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert!(names.is_sorted());
    let mut unique = names.clone();
    unique.dedup();
    assert_eq!(names, unique);
}

fn refused_with(error: io::Error) -> String {
    let network = Memory::new(|_, _| async {});
    network.refusals.borrow_mut().push(error);
    let mut text = String::new();
    on_virtual_time(async {
        let world = World::new(&network);
        text = world.ask(world.get("/")).await.text();
        assert_eq!(world.client.usage().open, 0);
    });
    text
}

#[test]
fn errors_of_the_system_while_connecting() {
    let of_code = |code| refused_with(io::Error::from_raw_os_error(code));
    let errno = rustix::io::Errno::raw_os_error;
    let text = of_code(errno(rustix::io::Errno::MFILE));
    assert_eq!(text, "fd_exhausted: 127.0.0.1:80: Too many open files (os error 24)");
    assert!(of_code(errno(rustix::io::Errno::NFILE)).starts_with("fd_exhausted: "));
    assert!(of_code(errno(rustix::io::Errno::ADDRNOTAVAIL)).starts_with("port_exhausted: "));
    assert!(of_code(errno(rustix::io::Errno::CONNREFUSED)).starts_with("refused: "));
    assert!(of_code(errno(rustix::io::Errno::CONNRESET)).starts_with("reset: "));
    assert!(of_code(errno(rustix::io::Errno::NETUNREACH)).starts_with("other: "));
}

#[test]
fn a_fresh_connection_closed_without_an_answer_is_reset() {
    let network = Memory::new(|number, mut peer: Peer| async move {
        if number > 0 {
            peer.request().await;
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        for _ in 0..2 {
            assert_eq!(world.ask(world.get("/")).await.text(), "reset: closed before an answer");
        }
    });
}

#[test]
fn a_peer_that_speaks_first_is_no_http_server() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.send("220 mail ESMTP\r\n").await;
        peer.closed().await;
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let text = world.ask(world.get("/")).await.text();
        assert!(text.starts_with("protocol: "), "{text}");
    });
}

#[test]
fn a_name_without_an_address_and_a_name_service_that_fails() {
    let network = Memory::new(|_, _| async {});
    network.addresses.borrow_mut().clear();
    network.lookup_time.set(Duration::from_secs(1));
    on_virtual_time(async {
        let world = World::new(&network);
        let tokens: Vec<_> = (0..5).map(|_| world.send(world.get("/"))).collect();
        for token in tokens {
            let end = world.end(token).await;
            assert_eq!(end.text(), "dns: test: no such name");
            assert_eq!(end.timings.response_time(), Duration::from_secs(1));
        }
        assert_eq!(network.lookups.get(), 1, "those who wait share the failure");
        assert_eq!(world.ask(world.get("/")).await.text(), "dns: test: no such name");
        assert_eq!(network.lookups.get(), 2);
    });
}

#[test]
fn addresses_are_rotated_tried_in_turn_and_looked_up_again_when_old() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    });
    let addresses: Vec<SocketAddr> = (1..=3).map(|n| ([10, 0, 0, n], 80).into()).collect();
    network.addresses.borrow_mut().clone_from(&addresses);
    on_virtual_time(async {
        let world = World::new(&network);
        for _ in 0..4 {
            assert_eq!(world.ask(world.get("/")).await.text(), "200 ");
        }
        let [a, b, c] = [addresses[0], addresses[1], addresses[2]];
        assert_eq!(network.dialled.take(), [a, b, c, a]);
        network.refusals.borrow_mut().push(io::ErrorKind::ConnectionRefused.into());
        assert_eq!(world.ask(world.get("/")).await.text(), "200 ");
        assert_eq!(network.dialled.take(), [b, c]);
        for _ in 0..3 {
            network.refusals.borrow_mut().push(io::ErrorKind::ConnectionRefused.into());
        }
        assert_eq!(
            world.ask(world.get("/")).await.text(),
            "refused: 10.0.0.3:80: connection refused; 10.0.0.1:80: connection refused; 10.0.0.2:80: connection refused"
        );
        assert_eq!(network.lookups.get(), 1);
        tokio::time::sleep(Duration::from_mins(1)).await;
        *network.addresses.borrow_mut() = vec![([10, 0, 0, 9], 80).into()];
        network.dialled.take();
        world.ask(world.get("/")).await;
        assert_eq!(network.dialled.take(), [SocketAddr::from(([10, 0, 0, 9], 80))]);
        assert_eq!(network.lookups.get(), 2);
    });
}

#[test]
fn an_address_that_never_answers_leaves_time_for_the_next() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.answer_all(OK).await;
    });
    *network.addresses.borrow_mut() = vec![([10, 0, 0, 1], 80).into(), ([10, 0, 0, 2], 80).into()];
    network.connect_time.set(Duration::from_secs(7));
    on_virtual_time(async {
        let world = World::new(&network);
        let token = world.send(world.get("/"));
        tokio::time::sleep(Duration::from_secs(6)).await;
        network.connect_time.set(Duration::ZERO);
        assert_eq!(world.end(token).await.text(), "timeout_connect: while connecting to 10.0.0.2:80");
        // The first was given up after 5 of 10 s; the second was slow too, but now it is not.
        assert_eq!(world.ask(world.get("/")).await.text(), "200 ok");
        assert_eq!(network.dialled.borrow().len(), 3);
    });
}

#[test]
fn hosts_are_the_target_or_on_the_list() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.answer_all(OK).await;
    });
    on_virtual_time(async {
        let mut some = settings("http://test:81");
        some.allowed_hosts = ["any", "one:8080", "[::1]:9"].map(|host| host.parse().expect("a host")).to_vec();
        let world = World::with(&network, some);
        let ask = async |authority: &str| {
            let mut request = world.get("/");
            request.authority = Some(authority.to_owned());
            world.ask(request).await.text()
        };
        for allowed in ["test:81", "TEST:81", "any", "any:1", "one:8080", "[::1]:9"] {
            assert_eq!(ask(allowed).await, "200 ok", "{allowed}");
        }
        for (other, name) in [("test", "test"), ("one", "one"), ("any.org", "any.org"), ("[::1]", "[::1]")] {
            let text = format!("host_not_allowed: http://{name} is not the target and not among the allowed hosts");
            assert_eq!(ask(other).await, text);
        }
        for bad in ["", "a b", "a/b", "user@any", "any:x", "any:99999", "any?"] {
            let text = format!("protocol: authority: `{bad}` is no host; write host or host:port");
            assert_eq!(ask(bad).await, text);
        }
    });
}

#[test]
fn a_base_path_is_for_requests_without_an_authority() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        let request = peer.request().await;
        let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
        peer.send(format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{path}")).await;
    });
    on_virtual_time(async {
        let world = World::with(&network, settings("http://test/base"));
        assert_eq!(world.ask(world.get("/a")).await.text(), "200 /base/a");
        let mut request = world.get("/a");
        request.authority = Some("test".to_owned());
        assert_eq!(world.ask(request).await.text(), "200 /a");
    });
}

#[test]
fn urls_hosts_and_addresses_are_checked_with_words() {
    use crate::client::{AllowedHost, DialAddress, Target};
    let target = |text: &str| text.parse::<Target>().map_err(|error| error.to_string());
    let named = |text: &str| target(text).map(|target| (target.origin.authority(), target.base_path));
    assert_eq!(named("http://Example.ORG:80/"), Ok(("example.org".to_owned(), String::new())));
    assert_eq!(named("https://[::1]:8443/a/b/"), Ok(("[::1]:8443".to_owned(), "/a/b".to_owned())));
    assert_eq!(named("https://b\u{FC}cher.example"), Ok(("xn--bcher-kva.example".to_owned(), String::new())));
    for (text, problem) in [
        ("ftp://a", "scheme `ftp` is not supported; use http or https"),
        ("localhost:80", "scheme `localhost` is not supported; use http or https"),
        ("http://u:p@a", "credentials do not belong in the URL; send an `authorization` field"),
        ("http://a?x", "a base URL has no query and no fragment; write them in the requests' paths"),
        ("a", "`a` is no URL (relative URL without a base); write it like http://host:port"),
        ("http://", "`http://` is no URL (empty host); write it like http://host:port"),
    ] {
        assert_eq!(target(text).expect_err("a fault"), problem);
    }
    assert_eq!("::1".parse::<DialAddress>().map(|dial| dial.port), Ok(None));
    assert_eq!("[::1]".parse::<DialAddress>().map(|dial| dial.port), Ok(None));
    assert_eq!("10.0.0.1:8080".parse::<DialAddress>().map(|dial| dial.port), Ok(Some(8080)));
    assert!("host:80".parse::<DialAddress>().is_err());
    assert!("a/b".parse::<AllowedHost>().is_err());
}

#[test]
fn the_address_to_dial_leaves_the_host_field_alone() {
    let network = Memory::new(|_, mut peer: Peer| async move {
        let request = peer.request().await;
        assert!(request.contains("\r\nhost: test:81\r\n"), "{request}");
        peer.send(OK).await;
        peer.closed().await;
    });
    for (dial, address) in [("10.1.1.1", "10.1.1.1:81"), ("[::2]:9", "[::2]:9")] {
        on_virtual_time(async {
            let mut dialling = settings("http://test:81");
            dialling.resolve = Some(dial.parse().expect("an address"));
            let world = World::with(&network, dialling);
            assert_eq!(world.ask(world.get("/")).await.text(), "200 ok");
            let expected: Vec<SocketAddr> = vec![address.parse().expect("an address")];
            assert_eq!(network.dialled.take(), expected);
            assert_eq!(Rc::clone(&network).lookups.get(), 0);
        });
    }
}
