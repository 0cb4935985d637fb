//! Each fault as the client meets it.

use std::io::ErrorKind;

use stub_model::small::SMALL;

use crate::client::{Client, stub, until};

#[tokio::test]
async fn reset_is_a_reset_and_not_an_end() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.request("POST", "/fault?kind=reset", &[], b"body").await;
    assert_eq!(client.end().await.unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn close_is_an_end_without_an_answer() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.request("POST", "/fault?kind=close", &[], b"body").await;
    assert_eq!(client.end().await.unwrap(), 0);
}

#[tokio::test]
async fn truncate_sends_half_of_what_it_tells() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.request("GET", "/fault?kind=truncate", &[], b"").await;
    let head = client.head().await;
    assert_eq!((head.status, head.field("content-length")), (200, Some("100")));
    assert_eq!(client.rest().await, &SMALL.as_bytes()[..50]);
}

#[tokio::test]
async fn garbage_is_not_http() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.request("GET", "/fault?kind=garbage", &[], b"").await;
    let bytes = client.rest().await;
    assert!(!bytes.is_empty() && !bytes.starts_with(b"HTTP"));
}

/// What never comes cannot be waited for: the stub's own books show that the request is held, and it ends when the
/// client leaves.
#[tokio::test]
async fn hold_never_answers_and_ends_with_the_client() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.request("GET", "/fault?kind=hold", &[], b"").await;
    until(async || stub.counters().await.unwrap().arrivals == 1).await;
    assert_eq!(stub.counters().await.unwrap().answered, 0);
    assert_eq!(stub.journal().await.unwrap()[0].finished_ns, None);
    drop(client);
    until(async || stub.counters().await.unwrap().answered == 1).await;
    assert_eq!(stub.journal().await.unwrap()[0].status, None);
}

#[tokio::test]
async fn hold_body_sends_the_head_alone() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.request("GET", "/fault?kind=hold_body", &[], b"").await;
    let head = client.head().await;
    assert_eq!((head.status, head.field("content-length")), (200, Some("100")));
    assert_eq!(stub.counters().await.unwrap().answered, 0);
    stub.stop().await.unwrap();
    assert!(matches!(client.end().await, Ok(0) | Err(_)));
}

#[tokio::test]
async fn idle_close_answers_and_then_leaves() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    let answer = client.get("/fault?kind=idle_close&ms=20").await;
    assert_eq!((answer.status, answer.field("connection"), answer.body.len()), (200, None, 100));
    assert_eq!(client.end().await.unwrap(), 0);
}

#[tokio::test]
async fn drip_comes_whole_but_slowly() {
    let stub = stub();
    let answer = Client::to(&stub).await.get("/fault?kind=drip&ms=5&bytes=6").await;
    assert_eq!((answer.field("content-length"), answer.body.as_slice()), (Some("6"), b"012345".as_slice()));
    let entry = stub.journal().await.unwrap().remove(0);
    assert!(entry.finished_ns.unwrap() - entry.arrived_ns >= 30_000_000);
}
