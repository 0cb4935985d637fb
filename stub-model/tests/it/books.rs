//! Journal and metrics.

use stub_model::journal::{Entry, Mark};
use stub_model::small::{Settings, Stopped, bind};
use tokio::task::{JoinSet, LocalSet};

use crate::client::{Client, stub};

#[tokio::test]
async fn every_request_over_many_connections_is_in_the_journal_once() {
    let stub = stub();
    let mut clients = JoinSet::new();
    for number in 0..8 {
        let mut client = Client::to(&stub).await;
        clients.spawn(async move {
            for k in 0..125 {
                let id = format!("{number}-{k}");
                let answer = client.ask("GET", &format!("/small?k={k}"), &[("x-request-id", &id)], b"").await;
                assert_eq!(answer.status, 200);
            }
        });
    }
    clients.join_all().await;
    let entries = stub.journal().await.unwrap();
    assert_eq!(entries.len(), 1_000);
    assert!((0..).zip(&entries).all(|(sequence, entry)| entry.sequence == sequence));
    assert!(entries.windows(2).all(|pair| pair[0].arrived_ns <= pair[1].arrived_ns));
    assert!(entries.iter().all(|entry| entry.finished_ns.unwrap() >= entry.arrived_ns && entry.status == Some(200)));
    let ids: std::collections::HashSet<&str> =
        entries.iter().map(|entry| entry.request_id.as_deref().unwrap()).collect();
    assert_eq!(ids.len(), 1_000);
    let counters = stub.counters().await.unwrap();
    assert_eq!((counters.arrivals, counters.answered, counters.connections_accepted), (1_000, 1_000, 8));
    assert_eq!((counters.response_body_bytes, counters.journal_dropped), (100_000, 0));
}

#[tokio::test]
async fn the_journal_is_answered_as_json_lines_and_looking_leaves_no_trace() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    // More than one piece of the answer.
    for _ in 0..600 {
        client.get("/small").await;
    }
    client.ask("PUT", "/echo?a=1", &[("x-request-id", "abc")], b"hi").await;
    client.get("/nowhere?status=200").await;
    client.get("/health").await;
    client.get("/metrics").await;
    client.get("/journal").await;
    let answer = client.get("/journal").await;
    assert_eq!(answer.field("content-type"), Some("application/x-ndjson"));
    assert_eq!(answer.field("x-journal-dropped"), Some("0"));
    let text = String::from_utf8(answer.body).unwrap();
    let mut lines = text.lines();
    let Mark::Journal(head) = serde_json::from_str(lines.next().unwrap()).unwrap() else { panic!("{text}") };
    assert_eq!((head.stub.as_ref(), head.listen), ("small", stub.address().to_string()));
    let entries: Vec<Entry> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries, stub.journal().await.unwrap());
    assert_eq!(entries.len(), 602);
    let echo = &entries[600];
    assert_eq!((echo.method.as_ref(), echo.path.as_ref(), echo.status), ("PUT", "/echo?a=1", Some(200)));
    assert_eq!((echo.request_id.as_deref(), entries[601].status), (Some("abc"), Some(404)));
}

#[tokio::test]
async fn a_reset_begins_again_at_zero() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.get("/small").await;
    assert_eq!(client.ask("POST", "/journal/reset", &[], b"").await.json()["status"], "ok");
    assert!(stub.journal().await.unwrap().is_empty());
    client.get("/echo").await;
    let entries = stub.journal().await.unwrap();
    assert_eq!((entries.len(), entries[0].sequence, entries[0].path.as_ref()), (1, 0, "/echo"));
    client.get("/journal/reset").await;
    stub.reset_journal().await.unwrap();
    let text = String::from_utf8(client.get("/journal").await.body).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[tokio::test]
async fn what_no_longer_fits_is_counted() {
    let server = stub_model::server::Settings { journal_capacity: 4, ..Default::default() };
    let settings = Settings { server, ..Settings::default() };
    let stub = stub_model::small::start(&settings).unwrap();
    let mut client = Client::to(&stub).await;
    for _ in 0..10 {
        client.get("/small").await;
    }
    assert_eq!(client.get("/journal").await.field("x-journal-dropped"), Some("6"));
    assert_eq!(stub.counters().await.unwrap().journal_dropped, 6);
    assert_eq!(stub.journal().await.unwrap()[0].sequence, 6);
}

#[tokio::test]
async fn metrics_tell_paths_statuses_bytes_and_times() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.get("/small").await;
    client.get("/small").await;
    client.get("/small?status=503&size=7").await;
    client.ask("POST", "/echo", &[], b"12345").await;
    client.get("/some/path").await;
    client.get("/other/path").await;
    let mut broken = Client::to(&stub).await;
    broken.request("GET", "/fault?kind=close", &[], b"").await;
    assert_eq!(broken.end().await.unwrap(), 0);
    let answer = client.get("/metrics").await;
    assert_eq!(answer.field("content-type"), Some("application/openmetrics-text; version=1.0.0; charset=utf-8"));
    let text = String::from_utf8(answer.body).unwrap();
    for line in [
        "stub_requests_total{path=\"/small\",status=\"200\"} 2",
        "stub_requests_total{path=\"/small\",status=\"503\"} 1",
        "stub_requests_total{path=\"/echo\",status=\"200\"} 1",
        "stub_requests_total{path=\"other\",status=\"404\"} 2",
        "stub_requests_total{path=\"/fault\",status=\"none\"} 1",
        "stub_arrivals_total 7",
        "stub_answered_total 7",
        "stub_connections_accepted_total 2",
        "stub_connections_open 1",
        "stub_accept_errors_total 0",
        "stub_request_body_bytes_total 5",
        "stub_time_in_server_seconds_count 7",
        "stub_arrival_gap_seconds_count 6",
        "stub_journal_dropped_total 0",
        "# EOF",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn a_server_runs_within_the_callers_own_runtime() {
    let work = async {
        let (server, handle) = bind(&Settings::default()).unwrap();
        let running = tokio::task::spawn_local(server.run());
        assert_eq!(Client::to(&handle).await.get("/small").await.status, 200);
        assert_eq!(handle.counters().await.unwrap().answered, 1);
        handle.stop().await.unwrap();
        running.await.unwrap().unwrap();
        assert_eq!(handle.counters().await, Err(Stopped));
        assert_eq!(handle.stop().await, Err(Stopped));
    };
    LocalSet::new().run_until(work).await;
}

#[tokio::test]
async fn a_server_ends_with_its_last_handle() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.get("/small").await;
    drop(stub);
    assert_eq!(client.end().await.unwrap(), 0);
}

#[tokio::test]
async fn an_open_exchange_ends_well_after_a_stop() {
    let stub = stub();
    let mut client = Client::to(&stub).await;
    client.request("GET", "/slow?ms=100", &[], b"").await;
    while stub.counters().await.unwrap().arrivals == 0 {
        tokio::task::yield_now().await;
    }
    let (stopped, answer) = tokio::join!(stub.stop(), client.answer(false));
    stopped.unwrap();
    assert_eq!((answer.status, answer.field("connection")), (200, Some("close")));
}

#[tokio::test]
async fn ipv6_loopback_is_served() {
    let server = stub_model::server::Settings { listen: "[::1]:0".parse().unwrap(), ..Default::default() };
    let settings = Settings { server, ..Settings::default() };
    let stub = stub_model::small::start(&settings).unwrap();
    assert!(stub.url().starts_with("http://[::1]:"));
    assert_eq!(Client::to(&stub).await.get("/small").await.status, 200);
}
