//! Where a guest would like requests to go: nowhere but to the target.

use std::time::Duration;

use super::hostile::{asking, assert_contained, harmed, load};
use super::{Load, SECOND, remembering, run};
use crate::plugin::tests::guest::Request;

#[test]
fn no_other_host_is_asked_whatever_it_is_called() {
    for host in [
        "127.0.0.1",
        "127.0.0.1:81",
        "127.0.0.2:80",
        "localhost",
        "[::1]",
        "[::1]:80",
        "0.0.0.0",
        "169.254.169.254",
        "[fe80::1]",
        "10.0.0.1",
        "192.168.0.1:8080",
        "test.evil",
        "test:81",
        "evil.test",
        "metadata.google.internal",
        "2130706433",
        "0x7f000001",
        "127.1",
        "xn--tst-qla",
    ] {
        let (outcome, requests) = harmed(&asking(|i, r| {
            let [at, length] = i.text(host.as_bytes());
            r.with(Request::AUTHORITY, &[1, at, length])
        }));
        assert_contained(host, &outcome, "host_not_allowed");
        assert_eq!(requests.len(), 20, "{host}");
    }
    // Nor one that hides behind another part of a URL.
    for host in
        ["", "test@evil", "user:word@test", "test/evil", "test?evil", "test#evil", "te st", "test:port", "test:99999"]
    {
        let (outcome, _) = harmed(&asking(|i, r| {
            let [at, length] = i.text(host.as_bytes());
            r.with(Request::AUTHORITY, &[1, at, length])
        }));
        assert_contained(host, &outcome, "protocol");
    }
    // The target itself, by its own name in any spelling.
    for host in ["test", "TEST", "test:80"] {
        let (outcome, requests) = harmed(&asking(|i, r| {
            let [at, length] = i.text(host.as_bytes());
            r.with(Request::AUTHORITY, &[1, at, length])
        }));
        assert_eq!((outcome.counts().ok, requests.len()), (30, 30), "{host}");
    }
}

/// A guest that follows redirects, against a target that redirects to `location`: the reason of its failure, and what the
/// target and everybody else on its network were sent.
fn redirected(location: &'static str) -> (String, Vec<String>) {
    let answer = format!("HTTP/1.1 307 Go\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
    let (network, seen) = remembering(Duration::ZERO, answer);
    let guest = crate::plugin::tests::guest::Guest::new().asking(|i, r| {
        let fields = i.pairs(&[(b"authorization", b"Bearer secret")]);
        r.with(Request::REDIRECTS, &[1, 3]).with(Request::FIELDS, &fields)
    });
    let load = Load { plugin: Some(load(&guest)), rate: 1.0, length: SECOND, ..Load::default() };
    let outcome = run(&load, &network);
    let failures = outcome.recorder.all().failures();
    let reason = failures.first().map_or_else(|| "none".to_owned(), |(reason, _)| reason.clone());
    let requests = seen.borrow().clone();
    (reason, requests)
}

#[test]
fn a_redirect_to_another_origin_is_not_followed() {
    for location in [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.2/",
        "http://[::1]/",
        "http://localhost/",
        "http://test:81/",
        "https://test/",
        "//elsewhere/",
        "http://test.evil/",
        "http://test@evil/",
        "\\\\evil\\",
    ] {
        let (reason, requests) = redirected(location);
        assert_eq!((reason.as_str(), requests.len()), ("host_not_allowed", 1), "{location}");
    }
    for location in
        ["file:///etc/passwd", "ftp://test/", "data:text/plain,x", "javascript:0", "http://", "http://test:99999/"]
    {
        let (reason, requests) = redirected(location);
        assert_eq!((reason.as_str(), requests.len()), ("protocol", 1), "{location}");
    }
    // Within the target's origin it is followed, as often as was asked for, with its fields.
    for location in ["/next", "http://test/next", "http://TEST:80/next", "?next"] {
        let (reason, requests) = redirected(location);
        assert_eq!((reason.as_str(), requests.len()), ("none", 4), "{location}");
        assert!(requests.iter().all(|request| request.contains("authorization: Bearer secret")), "{requests:?}");
    }
}
