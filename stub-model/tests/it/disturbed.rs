//! Faults that befall every request, over sockets. How much each is to be is shown on no clock at all in
//! `src/faults/tests.rs`; here is shown that it happens, with bounds that only a stub which does otherwise can break.

use std::io::ErrorKind;
use std::time::Duration;

use stub_model::faults::{Kind, Settings as Faults};
use stub_model::journal::Entry;
use stub_model::small::{Handle, Settings, start};
use stub_model::{model, platform};
use tokio::time::Instant;

use crate::client::{Client, server, until};

fn disturbed(faults: Faults) -> Handle {
    start(&Settings { server: stub_model::server::Settings { faults, ..server() }, ..Settings::default() }).unwrap()
}

fn took(entry: &Entry) -> Duration {
    Duration::from_nanos(entry.finished_ns.unwrap() - entry.arrived_ns)
}

/// The first request stalls too, since the stall begins with it: everybody is let go together, 400 ms after it, however
/// late they came.
#[tokio::test]
async fn all_that_arrive_in_a_stall_leave_at_its_end() {
    let stub = disturbed(Faults { stalls: vec!["0s..400ms".parse().unwrap()], ..Faults::default() });
    let mut clients = Vec::new();
    for _ in 0..5 {
        let mut client = Client::to(&stub).await;
        client.request("GET", "/small", &[], b"").await;
        clients.push(client);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for client in &mut clients {
        assert_eq!(client.answer(false).await.status, 200);
    }
    let entries = stub.journal().await.unwrap();
    let end = entries[0].arrived_ns + 400_000_000;
    for entry in &entries {
        // On a busy machine one may have come too late for it.
        assert_eq!(entry.faults.has(Kind::Stall), entry.arrived_ns < end, "{entry:?}");
        assert!(entry.sent_ns.unwrap() >= end || entry.arrived_ns >= end);
    }
    assert!(entries[0].faults.has(Kind::Stall));
    // Long over for the next one.
    tokio::time::sleep(Duration::from_millis(400)).await;
    clients[0].get("/small").await;
    assert!(stub.journal().await.unwrap()[5].faults.is_empty());
    // After a reset the next request is the first, and stalls.
    stub.reset_journal().await.unwrap();
    clients[0].get("/small").await;
    assert!(took(&stub.journal().await.unwrap()[0]) >= Duration::from_millis(400));
}

#[tokio::test]
async fn answers_alternate_by_their_number() {
    let stub = disturbed(Faults { alternate: Some("0s,60ms".parse().unwrap()), ..Faults::default() });
    let mut client = Client::to(&stub).await;
    for _ in 0..6 {
        client.get("/small").await;
        // It looks at the stub and is no number.
        client.get("/health").await;
    }
    for entry in stub.journal().await.unwrap() {
        let slow = entry.sequence % 2 == 1;
        assert_eq!((entry.faults.has(Kind::Slow), entry.faults.has(Kind::Fast)), (slow, !slow));
        assert!(!slow || took(&entry) >= Duration::from_millis(60));
    }
}

#[tokio::test]
async fn the_first_answers_of_a_slow_start_are_slow() {
    let stub = disturbed(Faults { slow_start: Some("300ms,900ms".parse().unwrap()), ..Faults::default() });
    let mut client = Client::to(&stub).await;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(1) {
        client.get("/small").await;
    }
    let entries = stub.journal().await.unwrap();
    assert!(took(&entries[0]) >= Duration::from_millis(300));
    for entry in &entries {
        // (1 − since ÷ 900 ms) × 300 ms; half a microsecond for the arithmetic.
        let since = Duration::from_nanos(entry.arrived_ns - entries[0].arrived_ns);
        let wait = Duration::from_millis(900).saturating_sub(since) / 3;
        assert!(took(entry) + Duration::from_nanos(500) >= wait, "{entry:?}");
    }
    assert!(entries.last().unwrap().faults.is_empty());
}

/// Head and body: n bytes take n − 1 gaps, and the first leaves at once.
#[tokio::test]
async fn a_slow_loris_sends_head_and_body_byte_by_byte() {
    let stub = disturbed(Faults { loris: Some(Duration::from_millis(2)), ..Faults::default() });
    let mut client = Client::to(&stub).await;
    for path in ["/small?size=20", "/small?size=20&chunked=1", "/small?size=20&gzip=1"] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200);
    }
    let mut sum = 0;
    for entry in stub.journal().await.unwrap() {
        assert!(entry.complete && entry.faults.has(Kind::Loris) && entry.wire_bytes > 100, "{entry:?}");
        let sending = Duration::from_nanos(entry.finished_ns.unwrap() - entry.sent_ns.unwrap());
        let gaps = u32::try_from(entry.wire_bytes).unwrap() - 1;
        assert!(sending >= gaps * Duration::from_millis(2), "{entry:?}");
        sum += entry.wire_bytes;
    }
    assert_eq!(sum, client.received);
}

#[tokio::test]
async fn one_request_may_ask_for_a_slow_loris_of_its_own() {
    let stub = disturbed(Faults::default());
    let mut client = Client::to(&stub).await;
    client.get("/small?size=0&loris=3").await;
    client.get("/small?size=5000").await;
    assert_eq!(client.get("/small?loris=0").await.status, 400);
    let entries = stub.journal().await.unwrap();
    assert!(took(&entries[0]) >= Duration::from_millis(3 * (entries[0].wire_bytes - 1)));
    assert_eq!((entries[0].faults.has(Kind::Loris), entries[1].faults.is_empty()), (true, true));
}

/// 25 % of 40 is 10, exactly; the client sees as many resets as the journal has, and no other end.
#[tokio::test]
async fn the_share_of_resets_is_exact() {
    let stub = disturbed(Faults { reset_share: "0.25".parse().unwrap(), ..Faults::default() });
    let mut resets = 0;
    for _ in 0..40 {
        let mut client = Client::to(&stub).await;
        client.request("GET", "/small", &[], b"").await;
        match client.end().await {
            Ok(count) => assert!(count > 0),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset);
                resets += 1;
            }
        }
    }
    let entries = stub.journal().await.unwrap();
    let noted = entries.iter().filter(|entry| entry.faults.has(Kind::Reset) && entry.status.is_none()).count();
    assert_eq!((resets, noted, entries.len()), (10, 10, 40));
}

#[tokio::test]
async fn a_pause_holds_everybody_and_a_stop_still_ends_it() {
    let stub = disturbed(Faults::default());
    stub.pause().unwrap();
    let mut clients = Vec::new();
    for _ in 0..3 {
        let mut client = Client::to(&stub).await;
        client.request("GET", "/small", &[], b"").await;
        clients.push(client);
    }
    until(async || stub.counters().await.unwrap().arrivals == 3).await;
    assert_eq!(stub.counters().await.unwrap().answered, 0);
    stub.resume().unwrap();
    for client in &mut clients {
        assert_eq!(client.answer(false).await.status, 200);
    }
    assert!(stub.journal().await.unwrap().iter().all(|entry| entry.faults.has(Kind::Pause) && entry.complete));
    stub.pause().unwrap();
    clients[0].request("GET", "/small", &[], b"").await;
    until(async || stub.counters().await.unwrap().arrivals == 4).await;
    stub.stop().await.unwrap();
    assert!(matches!(clients[0].end().await, Ok(0) | Err(_)));
}

/// The options are the same for all three. What a platform asks of its own model is not struck.
#[tokio::test]
async fn models_and_platforms_are_disturbed_too() {
    let faults = Faults { alternate: Some("50ms,50ms".parse().unwrap()), ..Faults::default() };
    let server = stub_model::server::Settings { faults, ..server() };
    let behaviour =
        model::Behaviour { first_token: Duration::ZERO, token: Duration::ZERO, ..model::Behaviour::default() };
    let stub = model::start(&model::Settings { server: server.clone(), behaviour: behaviour.clone() }).unwrap();
    assert_eq!(Client::to(&stub).await.get("/v1/models").await.status, 200);
    let entry = stub.journal().await.unwrap().remove(0);
    assert!(entry.faults.has(Kind::Fast) && entry.complete && took(&entry) >= Duration::from_millis(50));

    let settings = platform::Settings { server, behaviour, ..platform::Settings::default() };
    let stub = platform::start(&settings).unwrap();
    let mut client = Client::to(&stub).await;
    assert_eq!(client.get("/api/v1/orgs").await.status, 401);
    assert_eq!(client.get("/v1/models").await.status, 200);
    let entries = stub.journal().await.unwrap();
    assert!(entries[0].faults.has(Kind::Fast) && took(&entries[0]) >= Duration::from_millis(50));
    assert!(entries[1].faults.is_empty() && entries[1].complete);
}
