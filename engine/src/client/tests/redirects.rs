//! Redirects: followed only when asked, and without handing credentials on.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;

use super::kit::{Memory, Peer, World, on_virtual_time, settings};
use crate::client::{ReadMode, Request};

/// What arrives, and how it ends, when `/…` answers are looked up in `answers` by path.
fn follow(
    answers: &'static [(&'static str, &'static str)],
    change: impl Fn(&mut Request),
) -> (Vec<String>, String, u32, usize) {
    let seen: Rc<RefCell<Vec<String>>> = Rc::default();
    let network = Memory::new({
        let seen = Rc::clone(&seen);
        move |_, mut peer: Peer| {
            let seen = Rc::clone(&seen);
            async move {
                loop {
                    let request = peer.request().await;
                    let Some(path) = request.split(' ').nth(1) else { return };
                    let answer =
                        answers.iter().find(|(of, _)| *of == path).map_or("404 Not Found", |(_, answer)| answer);
                    peer.send(format!("HTTP/1.1 {answer}\r\ncontent-length: 4\r\n\r\nbody")).await;
                    seen.borrow_mut().push(request);
                }
            }
        }
    });
    let mut outcome = (String::new(), 0);
    on_virtual_time(async {
        let mut allowing = settings("http://test");
        allowing.allowed_hosts = vec!["friend".parse().expect("a host")];
        let world = World::with(&network, allowing);
        let mut request = world.get("/a");
        request.follow_redirects = 5;
        change(&mut request);
        let end = world.ask(request).await;
        outcome = (end.text(), end.timings.redirects);
        assert_eq!(end.timings.bytes_sent, seen.borrow().iter().map(|request| request.len() as u64).sum::<u64>());
    });
    (seen.take(), outcome.0, outcome.1, network.connections.get())
}

#[test]
fn they_are_answers_like_any_other_unless_asked_for() {
    let answers = &[("/a", "302 Found\r\nlocation: /b"), ("/b", "200 OK")];
    let (seen, text, followed, _) = follow(answers, |request| request.follow_redirects = 0);
    assert_eq!((seen.len(), text.as_str(), followed), (1, "302 body", 0));
    let (seen, text, followed, connections) = follow(answers, |_| ());
    assert_eq!((seen.len(), text.as_str(), followed, connections), (2, "200 body", 1, 1));
}

#[test]
fn beyond_the_allowed_number_the_redirect_itself_is_the_answer() {
    let answers = &[("/a", "302 Found\r\nlocation: /a")];
    let (seen, text, followed, _) = follow(answers, |_| ());
    assert_eq!((seen.len(), text.as_str(), followed), (6, "302 body", 5));
    let (_, text, _, _) = follow(&[("/a", "302 Found")], |_| ());
    assert_eq!(text, "302 body", "one that says not where to");
}

#[test]
fn locations_are_resolved_against_the_request() {
    for (location, path) in [
        ("/b?c=1#d", "/b?c=1"),
        ("b", "/x/b"),
        ("../b", "/b"),
        ("?q", "/x/a?q"),
        ("//friend/z", "/z"),
        ("http://test/\u{E4} b", "/%C3%A4%20b"),
        ("http://test", "/"),
    ] {
        let answer: &'static str = format!("302 Found\r\nlocation: {location}").leak();
        let answers: &'static [_] = vec![("/x/a?p", answer)].leak();
        let (seen, ..) = follow(answers, |request| "/x/a?p".clone_into(&mut request.path_with_query));
        assert_eq!(seen[1].split(' ').nth(1), Some(path), "{location}");
    }
}

#[test]
fn the_method_changes_as_browsers_change_it() {
    for (status, method, then) in [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (307, "POST", "POST"),
        (308, "POST", "POST"),
        (302, "PUT", "PUT"),
        (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
    ] {
        let answer: &'static str = format!("{status} Moved\r\nlocation: /b").leak();
        let answers: &'static [_] = vec![("/a", answer)].leak();
        let (seen, ..) = follow(answers, |request| {
            method.clone_into(&mut request.method);
            request.body = Bytes::from_static(b"hello");
            request.fields = vec![
                ("Content-Type".to_owned(), "text/plain".to_owned()),
                ("Authorization".to_owned(), "secret".to_owned()),
            ];
            request.read = ReadMode::Count;
        });
        let expected = if then == "GET" {
            "GET /b HTTP/1.1\r\nhost: test\r\nAuthorization: secret\r\n\r\n".to_owned()
        } else {
            format!(
                "{then} /b HTTP/1.1\r\nhost: test\r\nContent-Type: text/plain\r\nAuthorization: secret\r\n\
                 content-length: 5\r\n\r\nhello"
            )
        };
        // A HEAD answer has no body, which this server sends all the same: the second request comes on a new connection.
        assert_eq!(seen.get(1), Some(&expected), "{status} {method}");
    }
}

#[test]
fn credentials_do_not_leave_their_origin() {
    let answers = &[("/a", "307 Moved\r\nlocation: http://friend/b"), ("/b", "307 Moved\r\nlocation: http://test/c")];
    let (seen, ..) = follow(answers, |request| {
        let names = ["Authorization", "X-Kept", "COOKIE", "Proxy-Authorization", "Host"];
        request.fields = names.map(|name| (name.to_owned(), "v".to_owned())).to_vec();
    });
    assert_eq!(seen[1], "GET /b HTTP/1.1\r\nhost: friend\r\nX-Kept: v\r\n\r\n");
    assert_eq!(seen[2], "GET /c HTTP/1.1\r\nhost: test\r\nX-Kept: v\r\n\r\n");
}

#[test]
fn what_leads_nowhere_or_out_of_bounds_is_a_failure() {
    for (location, text) in [
        ("http://stranger/", "302 host_not_allowed: http://stranger is not the target and not among the allowed hosts"),
        ("https://test/", "302 host_not_allowed: https://test is not the target and not among the allowed hosts"),
        ("ftp://test/", "302 protocol: redirect to \"ftp://test/\": scheme `ftp` is not supported; use http or https"),
        ("http://[x/", "302 protocol: redirect to \"http://[x/\": invalid IPv6 address"),
    ] {
        let answer: &'static str = format!("302 Found\r\nlocation: {location}").leak();
        let answers: &'static [_] = vec![("/a", answer)].leak();
        let (seen, end, ..) = follow(answers, |_| ());
        assert_eq!((seen.len(), end.as_str()), (1, text));
    }
}

#[test]
fn the_body_of_a_redirect_is_not_handed_over_and_a_large_one_not_read() {
    let network = Memory::new(|number, mut peer: Peer| async move {
        peer.request().await;
        if number == 0 {
            peer.send("HTTP/1.1 302 Found\r\nlocation: /b\r\n\r\n").await;
            while tokio::io::AsyncWriteExt::write_all(&mut peer.0, &[b'x'; 10_000]).await.is_ok() {}
        } else {
            peer.send("HTTP/1.1 200 OK\r\n\r\nhere").await;
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        let mut request = world.get("/a");
        request.follow_redirects = 1;
        request.read = ReadMode::Chunks;
        let token = world.send(request);
        world.end(token).await;
        assert_eq!(world.story(token), "head 200, Chunk(b\"here\"), 200 ");
    });
}
