//! The journal beside what a client on the same machine saw: both clocks are one, so what the journal says can be held
//! against the client's own stamps, to the nanosecond.

use stub_model::clock::monotonic_ns;
use stub_model::journal::Entry;

use crate::client::{Client, stub, until};

/// The last entry, once it has ended.
async fn last(stub: &stub_model::small::Handle) -> Entry {
    until(async || stub.journal().await.unwrap().last().is_some_and(|entry| entry.finished_ns.is_some())).await;
    stub.journal().await.unwrap().pop().unwrap()
}

/// Sent by the client, arrived, sent, finished, received by the client: each no earlier than the one before, whatever the
/// answer is made of.
#[tokio::test]
async fn moments_are_in_order_on_both_sides_and_bytes_are_those_of_the_wire() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    for (method, path, body) in [
        ("GET", "/small", ""),
        ("HEAD", "/small", ""),
        ("POST", "/echo", "hello"),
        ("GET", "/small?status=204", ""),
        ("GET", "/small?size=3000000", ""),
        ("GET", "/small?size=300000&chunked=1", ""),
        ("GET", "/small?size=300000&gzip=1", ""),
        ("GET", "/small?hint=1&status=404", ""),
        ("GET", "/fault?kind=drip&bytes=5&ms=2", ""),
        ("GET", "/small?size=0&loris=1", ""),
    ] {
        let (before, received) = (monotonic_ns(), client.received);
        client.request(method, path, &[], body.as_bytes()).await;
        if path.contains("hint") {
            client.head().await;
        }
        let begun = client.first_byte().await;
        let answer = client.answer(method == "HEAD").await;
        let after = monotonic_ns();
        let entry = last(&stub).await;
        let (sent, finished) = (entry.sent_ns.unwrap(), entry.finished_ns.unwrap());
        let moments = [before, entry.arrived_ns, sent, finished, after];
        assert!(moments.is_sorted() && sent <= begun, "{path}: {moments:?} {begun}");
        assert_eq!((entry.status, entry.complete), (Some(answer.status), true), "{path}");
        assert_eq!(entry.wire_bytes, client.received - received, "{path}");
        assert_eq!(entry.body_bytes, answer.body.len() as u64, "{path}");
    }
    assert!(stub.journal().await.unwrap().iter().all(|entry| entry.connection == 1));
}

#[tokio::test]
async fn an_answer_that_ends_with_its_connection_is_whole() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    assert_eq!(client.get("/small?lengthless=1&size=100000").await.body.len(), 100_000);
    let entry = last(&stub).await;
    assert_eq!((entry.status, entry.complete, entry.wire_bytes), (Some(200), true, client.received));
    assert_eq!(entry.body_bytes, 100_000);
}

/// Answers that leave together finish together; the sum of their bytes is what came.
#[tokio::test]
async fn pipelined_requests_are_told_apart() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let request = "GET /small HTTP/1.1\r\nhost: stub\r\n\r\n";
    client.send(request.repeat(20).as_bytes()).await;
    for _ in 0..20 {
        assert_eq!(client.answer(false).await.body.len(), 100);
    }
    let entries = stub.journal().await.unwrap();
    assert_eq!(entries.len(), 20);
    for entry in &entries {
        assert!([entry.arrived_ns, entry.sent_ns.unwrap(), entry.finished_ns.unwrap()].is_sorted(), "{entry:?}");
        assert!(entry.complete);
    }
    assert_eq!(entries.iter().map(|entry| entry.wire_bytes).sum::<u64>(), client.received);
}

/// What no client got is not called complete, and what was never begun has no moment of sending.
#[tokio::test]
async fn what_breaks_off_is_not_complete() {
    let stub = stub();
    for (path, status, sent, fault) in [
        ("/fault?kind=truncate", Some(200), true, "truncate"),
        ("/fault?kind=garbage", None, false, "garbage"),
        ("/fault?kind=close", None, false, "close"),
        ("/fault?kind=reset", None, false, "reset"),
        ("/fault?kind=hold", None, false, "hold"),
        ("/fault?kind=hold_body", Some(200), true, "hold_body"),
        ("/small?size=60000000", Some(200), true, ""),
    ] {
        let mut client = Client::to(&stub).await;
        client.request("GET", path, &[], b"").await;
        if path.contains("hold&") || path.ends_with("hold") {
            until(async || stub.journal().await.unwrap().last().is_some_and(|entry| &*entry.path == path)).await;
        } else {
            // A part of the answer, or the end.
            let _ = client.end().await;
        }
        drop(client);
        let entry = last(&stub).await;
        assert_eq!(&*entry.path, path);
        assert_eq!((entry.status, entry.sent_ns.is_some(), entry.complete), (status, sent, false), "{path}");
        let faults = if fault.is_empty() { "[]".to_owned() } else { format!("[\"{fault}\"]") };
        assert_eq!(serde_json::to_string(&entry.faults).unwrap(), faults);
    }
    let entries = stub.journal().await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.connection).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
}
