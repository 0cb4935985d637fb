//! `/small`, `/echo`, `/slow`, and the shapes that the query gives them.

use std::io::Read;

use serde_json::{Value, json};
use stub_model::body::pattern;
use stub_model::small::SMALL;

use crate::client::{Answer, Client, stub};

async fn once(path: &str) -> Answer {
    let stub = stub();
    let answer = Client::to(&stub).await.get(path).await;
    stub.stop().await.unwrap();
    answer
}

fn is_pattern(body: &[u8]) -> bool {
    (0..).zip(body).all(|(position, byte)| *byte == pattern(position))
}

#[tokio::test]
async fn small_is_100_bytes_of_json_on_a_connection_that_stays() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for _ in 0..3 {
        let answer = client.get("/small").await;
        assert_eq!((answer.status, answer.body.len()), (200, 100));
        assert_eq!(answer.field("content-length"), Some("100"));
        assert_eq!(answer.field("content-type"), Some("application/json"));
        let fields: Vec<String> = answer.json().as_object().unwrap().keys().cloned().collect();
        assert_eq!(fields, ["id", "name", "ok", "pad", "value"]);
    }
    assert_eq!(stub.counters().await.unwrap().connections_accepted, 1);
}

#[tokio::test]
async fn head_has_the_length_and_no_body() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let answer = client.ask("HEAD", "/small", &[], b"").await;
    assert_eq!((answer.status, answer.field("content-length")), (200, Some("100")));
    assert_eq!(client.get("/small").await.status, 200);
}

#[tokio::test]
async fn echo_answers_body_and_type_for_any_method() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for method in ["POST", "PUT", "PATCH", "DELETE", "BREW"] {
        let answer = client.ask(method, "/echo", &[("content-type", "text/x-test")], b"some \xff bytes").await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"some \xff bytes".as_slice()));
        assert_eq!(answer.field("content-type"), Some("text/x-test"));
    }
    assert_eq!(client.get("/echo").await.body, b"");
}

#[tokio::test]
async fn echo_takes_a_chunked_body_of_several_megabytes() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let piece = vec![b'x'; 1 << 20];
    client.send(b"POST /echo HTTP/1.1\r\nhost: stub\r\ntransfer-encoding: chunked\r\n\r\n").await;
    for _ in 0..4 {
        client.send(b"100000\r\n").await;
        client.send(&piece).await;
        client.send(b"\r\n").await;
    }
    client.send(b"0\r\n\r\n").await;
    let answer = client.answer(false).await;
    assert_eq!((answer.status, answer.body.len()), (200, 4 << 20));
    let counters = stub.counters().await.unwrap();
    assert_eq!((counters.request_body_bytes, counters.response_body_bytes), (4 << 20, 4 << 20));
}

#[tokio::test]
async fn a_body_above_64_mib_is_413_after_it_was_read() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let size: usize = (64 << 20) + 1;
    client.send(format!("POST /echo HTTP/1.1\r\nhost: stub\r\ncontent-length: {size}\r\n\r\n").as_bytes()).await;
    client.send(&vec![b'x'; size]).await;
    let answer = client.answer(false).await;
    assert_eq!((answer.status, answer.error_code().as_str()), (413, "body_too_large"));
    assert_eq!(client.get("/small").await.status, 200);
}

#[tokio::test]
async fn echo_shows_fields_in_their_order_and_capitalisation() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    // A second round shows that the connection's earlier bytes do not get in the way.
    for _ in 0..2 {
        let request = b"PUT /echo?fields=1&x=%20 HTTP/1.1\r\nHost: stub\r\nX-MiXed: 1\r\naccept: */*\r\n\
            X-MIXED: 2\r\nX-Bytes: \xe9\r\nContent-Length: 2\r\n\r\nhi";
        client.send(request).await;
        let seen = client.answer(false).await.json();
        let expected: Value = json!({
            "method": "PUT", "path": "/echo", "query": "fields=1&x=%20", "original": true,
            "fields": [["Host", "stub"], ["X-MiXed", "1"], ["accept", "*/*"], ["X-MIXED", "2"], ["X-Bytes", "é"],
                ["Content-Length", "2"]],
            "body": "hi", "body_encoding": "utf-8",
        });
        assert_eq!(seen, expected);
    }
}

#[tokio::test]
async fn echo_says_so_where_it_cannot_tell_the_capitalisation() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client
        .send(b"GET /small HTTP/1.1\r\nHost: a\r\n\r\nGET /echo?fields=1 HTTP/1.1\r\nHost: stub\r\nX-B: 1\r\n\r\n")
        .await;
    assert_eq!(client.answer(false).await.body, SMALL.as_bytes());
    let seen = client.answer(false).await.json();
    assert_eq!(seen["original"], false);
    assert_eq!(seen["fields"], json!([["host", "stub"], ["x-b", "1"]]));
}

#[tokio::test]
async fn a_request_may_have_as_many_fields_as_a_plugin_may_send() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let names: Vec<String> = (0..256).map(|k| format!("X-Field-{k}")).collect();
    let value = "v".repeat(240);
    let fields: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), value.as_str())).collect();
    let seen = client.ask("GET", "/echo?fields=1", &fields, b"").await.json();
    assert_eq!((seen["original"].clone(), seen["fields"].as_array().unwrap().len()), (json!(true), 257));
}

#[tokio::test]
async fn slow_waits_at_least_as_long_as_asked() {
    let stub = stub();
    let answer = Client::to(&stub).await.get("/slow?ms=30").await;
    assert_eq!(answer.body, SMALL.as_bytes());
    let entry = stub.journal().await.unwrap().remove(0);
    assert!(entry.finished_ns.unwrap() - entry.arrived_ns >= 30_000_000);
}

#[tokio::test]
async fn status_size_and_fields_follow_the_query_on_every_answer() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for path in ["/small?", "/echo?", "/slow?ms=0&"] {
        let answer = client.get(&format!("{path}status=503&size=2048")).await;
        assert_eq!((answer.status, answer.body.len()), (503, 2048));
        assert!(is_pattern(&answer.body));
        let answer = client.get(&format!("{path}status=302&location=%2Fsmall%3Fa%3D1")).await;
        assert_eq!((answer.status, answer.field("location")), (302, Some("/small?a=1")));
        for status in [204, 304] {
            let answer = client.get(&format!("{path}status={status}&size=10")).await;
            assert_eq!((answer.status, answer.body.len()), (status, 0));
        }
        assert_eq!(client.get(&format!("{path}status=999")).await.status, 999);
        assert_eq!(client.get(&format!("{path}size=0")).await.field("content-length"), Some("0"));
    }
}

#[tokio::test]
async fn a_large_body_comes_whole() {
    let answer = once("/small?size=67108864").await;
    assert_eq!(answer.field("content-length"), Some("67108864"));
    assert_eq!(answer.body.len(), 64 << 20);
    assert!(is_pattern(&answer.body));
}

#[tokio::test]
async fn chunked_bodies_tell_no_length() {
    for size in [0, 1, 100_000] {
        let answer = once(&format!("/small?chunked=1&size={size}")).await;
        assert_eq!((answer.field("transfer-encoding"), answer.field("content-length")), (Some("chunked"), None));
        assert_eq!(answer.body.len(), size);
        assert!(is_pattern(&answer.body));
    }
}

#[tokio::test]
async fn lengthless_bodies_end_with_the_connection() {
    for size in [0, 1, 5_000_000] {
        let answer = once(&format!("/small?lengthless=1&status=201&size={size}")).await;
        assert_eq!((answer.version.as_str(), answer.status), ("HTTP/1.1", 201));
        assert_eq!((answer.field("transfer-encoding"), answer.field("content-length")), (None, None));
        assert_eq!(answer.body.len(), size);
        assert!(is_pattern(&answer.body));
    }
}

#[tokio::test]
async fn gzip_bodies_decompress_to_the_plain_ones() {
    for (size, framing) in [(1, "content-length"), (200_000, "content-length"), (3_000_000, "transfer-encoding")] {
        let answer = once(&format!("/small?gzip=1&size={size}")).await;
        assert_eq!(answer.field("content-encoding"), Some("gzip"));
        assert!(answer.field(framing).is_some());
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(answer.body.as_slice()).read_to_end(&mut plain).unwrap();
        assert_eq!(plain.len(), size);
        assert!(is_pattern(&plain));
    }
}

#[tokio::test]
async fn close_ends_the_connection_after_the_answer() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let answer = client.get("/small?close=1").await;
    assert_eq!((answer.field("connection"), answer.body.len()), (Some("close"), 100));
    assert_eq!(client.end().await.unwrap(), 0);
}

#[tokio::test]
async fn a_hint_comes_before_the_answer() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for _ in 0..2 {
        let interim = client.get("/small?hint=1&size=3").await;
        assert_eq!((interim.status, interim.field("link")), (103, Some("</small>; rel=preload")));
        let answer = client.answer(false).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"012".as_slice()));
    }
}

#[tokio::test]
async fn a_malformed_parameter_is_400_and_named() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for (query, name) in [
        ("/small?status=199", "status"),
        ("/small?status=1000", "status"),
        ("/small?status=", "status"),
        ("/small?size=67108865", "size"),
        ("/small?size=-1", "size"),
        ("/small?size=1&size=2", "size"),
        ("/small?chunked=yes", "chunked"),
        ("/small?chunked=1&lengthless=1", "lengthless"),
        ("/small?gzip=2", "gzip"),
        ("/small?close=x", "close"),
        ("/small?hint=x", "hint"),
        ("/small?location=a%0Ab", "location"),
        ("/echo?fields=x", "fields"),
        ("/slow", "ms"),
        ("/slow?ms=600001", "ms"),
        ("/slow?ms=1.5", "ms"),
        ("/fault", "kind"),
        ("/fault?kind=none", "kind"),
        ("/fault?kind=drip&bytes=x", "bytes"),
        ("/fault?kind=drip&ms=x", "ms"),
    ] {
        let answer = client.get(query).await;
        assert_eq!((answer.status, answer.error_code().as_str()), (400, "bad_parameter"), "{query}");
        assert_eq!(answer.json()["error"]["parameter"], name, "{query}");
        assert!(answer.json()["error"]["message"].as_str().unwrap().starts_with(name), "{query}");
    }
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_are_told_so() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for path in ["/", "/smal", "/small/", "/api/v1/none", "*"] {
        let answer = client.get(path).await;
        assert_eq!((answer.status, answer.error_code().as_str()), (404, "not_found"), "{path}");
    }
    for (path, allow) in [("/small", "GET, HEAD"), ("/metrics", "GET, HEAD"), ("/journal", "GET, HEAD")] {
        let answer = client.ask("POST", path, &[], b"body").await;
        assert_eq!((answer.status, answer.field("allow")), (405, Some(allow)), "{path}");
    }
    assert_eq!(client.get("/api/v1/auth/login").await.field("allow"), Some("POST"));
}
