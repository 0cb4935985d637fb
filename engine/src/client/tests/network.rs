//! Over loopback sockets: what only the operating system can do.

use std::net::{Ipv6Addr, TcpListener as StdListener};
use std::rc::Rc;

use tokio::sync::Notify;

use super::kit::{OK, World, listen, on_sockets, settings};
use crate::client::{Event, ReadMode, Reason};

#[test]
fn requests_are_answered_over_sockets_and_connections_used_again() {
    on_sockets(async {
        let address = listen("127.0.0.1:0", |_, mut peer| async move {
            peer.answer_all(OK).await;
        })
        .await;
        let world = World::on_sockets(settings(&format!("http://{address}")));
        for n in 0..20 {
            let mut request = world.get("/");
            if n % 2 == 1 {
                "POST".clone_into(&mut request.method);
                request.body = vec![b'x'; 1_000_000].into();
            }
            let end = world.ask(request).await;
            assert_eq!((end.text().as_str(), end.timings.reused), ("200 ok", n > 0));
            assert!(end.timings.dns.is_none());
        }
        assert_eq!(world.client.usage().connects, 1);
    });
}

#[test]
fn many_at_once_share_a_few_connections() {
    on_sockets(async {
        let address = listen("127.0.0.1:0", |_, mut peer| async move {
            peer.answer_all(OK).await;
        })
        .await;
        let mut few = settings(&format!("http://{address}"));
        few.connections = 8;
        let world = World::on_sockets(few);
        let tokens: Vec<_> = (0..500).map(|_| world.send(world.get("/"))).collect();
        for token in tokens {
            assert_eq!(world.end(token).await.text(), "200 ok");
        }
        let usage = world.client.usage();
        assert_eq!((usage.connects, usage.open, usage.idle, usage.waited), (8, 8, 8, 492));
    });
}

#[test]
fn nobody_listens() {
    on_sockets(async {
        let address = {
            let listener = StdListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("its address")
        };
        let world = World::on_sockets(settings(&format!("http://{address}")));
        let end = world.ask(world.get("/")).await;
        assert_eq!(end.text(), format!("refused: {address}: Connection refused (os error 111)"));
    });
}

#[test]
fn a_connection_torn_down_is_reset_and_on_an_old_connection_stale() {
    on_sockets(async {
        let address = listen("127.0.0.1:0", |number, mut peer| async move {
            if number > 0 {
                peer.request().await;
                peer.send(OK).await;
            }
            peer.request().await;
            peer.0.set_zero_linger().expect("a socket option");
        })
        .await;
        let world = World::on_sockets(settings(&format!("http://{address}")));
        let mut request = world.get("/");
        "POST".clone_into(&mut request.method);
        let end = world.ask(request.clone()).await;
        assert_eq!(end.text(), "reset: Connection reset by peer (os error 104)");
        assert_eq!(world.ask(request.clone()).await.text(), "200 ok");
        request.asked = world.now();
        assert_eq!(world.ask(request).await.failure.map(|failure| failure.reason), Some(Reason::StaleConnection));
    });
}

#[test]
fn an_answer_torn_down_halfway_is_reset() {
    on_sockets(async {
        let begun: Rc<Notify> = Rc::default();
        let address = listen("127.0.0.1:0", {
            let begun = Rc::clone(&begun);
            move |_, mut peer| {
                let begun = Rc::clone(&begun);
                async move {
                    peer.request().await;
                    peer.send("HTTP/1.1 200 OK\r\n\r\nhalf").await;
                    begun.notified().await;
                    peer.0.set_zero_linger().expect("a socket option");
                }
            }
        })
        .await;
        let world = World::on_sockets(settings(&format!("http://{address}")));
        world.hook(move |_, _, event| {
            if matches!(event, Event::Items { .. }) {
                begun.notify_one();
            }
        });
        let mut request = world.get("/");
        request.read = ReadMode::Chunks;
        assert_eq!(world.ask(request).await.text(), "200 reset: Connection reset by peer (os error 104)");
    });
}

#[test]
fn ipv6_addresses_are_dialled() {
    if StdListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        eprintln!("skipped: ipv6_addresses_are_dialled (this machine has no ::1)");
        return;
    }
    on_sockets(async {
        let address = listen("[::1]:0", |_, mut peer| async move {
            let request = peer.request().await;
            assert!(request.contains("\r\nhost: [::1]:"), "{request}");
            peer.send(OK).await;
        })
        .await;
        let world = World::on_sockets(settings(&format!("http://{address}")));
        assert_eq!(world.ask(world.get("/")).await.text(), "200 ok");
    });
}

#[test]
fn names_are_looked_up() {
    on_sockets(async {
        let address = listen("127.0.0.1:0", |_, mut peer| async move {
            peer.answer_all(OK).await;
        })
        .await;
        let world = World::on_sockets(settings(&format!("http://localhost:{}", address.port())));
        let end = world.ask(world.get("/")).await;
        assert_eq!(end.text(), "200 ok");
        assert!(end.timings.dns.is_some());
        let nowhere = World::on_sockets(settings("http://no-such-name.invalid"));
        let failure = nowhere.ask(nowhere.get("/")).await.failure.expect("no address");
        assert_eq!(failure.reason, Reason::Dns);
        assert!(failure.detail.starts_with("no-such-name.invalid: "), "{failure}");
    });
}
