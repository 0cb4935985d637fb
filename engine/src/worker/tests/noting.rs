//! What a worker notes in the books, to the nanosecond: every exchange once, also those that are cut off.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::{Load, MS, SECOND, answering, remembering, run};
use crate::books::{Books, FIELD, Names, Outcome, State, Writer};
use crate::client::tests::kit::{Memory, OK, Peer};
use crate::clock::{Anchor, Time};
use crate::report::Mask;
use crate::worker::Stop;

/// Runs a load with its books kept, and reads them.
fn noted(load: Load, network: &Rc<Memory>) -> Books {
    let folder = tempfile::tempdir().expect("a folder");
    let names = Names { workloads: vec!["small".into()], phases: vec!["load".into()] };
    let path = folder.path().join("requests.jsonl");
    let mut writer = Writer::create(&path, names, Anchor::default(), Mask::default()).expect("a file");
    writer.begin(Time(0), 0, 1);
    let outcome = run(&Load { books: Some(writer.desk()), ..load }, network);
    assert!(writer.close().problem.is_none());
    let books = Books::load(Path::new(folder.path())).expect("they are whole");
    let counts = outcome.counts();
    assert_eq!(books.arrivals.len() as u64, counts.started + counts.missed());
    let exchanges: u64 = books.arrivals.iter().map(|arrival| arrival.exchanges).sum();
    assert_eq!(books.requests.len() as u64, exchanges);
    books
}

#[test]
fn each_request_carries_its_id_and_has_a_line() {
    let (network, seen) = remembering(5 * MS, OK);
    let books = noted(Load { rate: 10.0, length: SECOND, ..Load::default() }, &network);
    assert_eq!((books.requests.len(), books.arrivals.len()), (10, 10));
    for (n, request) in books.requests.iter().enumerate() {
        let due = n as u64 * 100_000_000;
        let id = format!("{}-{n}-0", books.head.run);
        assert_eq!(request.id.as_deref(), Some(id.as_str()));
        assert!(seen.borrow()[n].contains(&format!("{FIELD}: {id}\r\n")), "{:?}", seen.borrow()[n]);
        assert_eq!((request.due_ns, request.asked_ns, request.sent_ns), (due, due, Some(due)));
        assert_eq!((request.first_byte_ns, request.end_ns), (Some(due + 5_000_000), due + 5_000_000));
        assert_eq!((request.status, request.outcome, request.sends), (Some(200), Outcome::Complete, 1));
        assert_eq!(books.arrivals[n].state, State::Ok);
    }
}

#[test]
fn without_books_nothing_is_added_to_a_request() {
    let (network, seen) = remembering(5 * MS, OK);
    run(&Load { rate: 10.0, length: SECOND, ..Load::default() }, &network);
    assert!(seen.borrow().iter().all(|request| !request.contains(FIELD)));
}

#[test]
fn what_a_stop_cuts_off_is_noted_with_what_was_sent() {
    let network = answering(60 * SECOND);
    let stop = Some((550 * MS, Stop::Now));
    let mut books = noted(Load { rate: 10.0, length: SECOND, stop, ..Load::default() }, &network);
    books.requests.sort_by_key(|request| request.sequence);
    let sent: Vec<u32> = books.requests.iter().map(|request| request.sends).collect();
    assert_eq!(sent, [1, 1, 1, 1, 1, 1]);
    for request in &books.requests {
        assert!(request.given_up && !request.unsettled, "{request:?}");
        assert_eq!((request.outcome, request.status), (Outcome::Cancelled, None));
        assert_eq!(request.sent_ns, (request.sends > 0).then_some(request.due_ns));
    }
    assert!(books.arrivals.iter().all(|arrival| arrival.state == State::Abandoned));
}

#[test]
fn what_waits_for_a_connection_when_the_run_ends_was_never_sent() {
    let network = answering(60 * SECOND);
    let load = Load { rate: 10.0, length: SECOND, connections: 1, drain: Duration::ZERO, ..Load::default() };
    let books = noted(load, &network);
    let sent: Vec<u32> = books.requests.iter().map(|request| request.sends).collect();
    assert_eq!(sent.iter().sum::<u32>(), 1, "{sent:?}");
    assert_eq!((sent.len(), books.requests.iter().any(|request| request.unsettled)), (10, false));
}

#[test]
fn what_is_missed_has_a_line_too() {
    let books = noted(Load { rate: 100.0, length: SECOND, in_flight: 1, ..Load::default() }, &answering(SECOND));
    let missed = books.arrivals.iter().filter(|arrival| arrival.state == State::NoSlot);
    assert!(missed.clone().all(|arrival| arrival.start_ns.is_none() && arrival.exchanges == 0));
    assert!(missed.count() > 90);
}

#[test]
fn a_re_send_is_counted_with_the_first_sending() {
    // Each connection is closed on its second request.
    let network = Memory::new(|_, mut peer: Peer| async move {
        peer.request().await;
        peer.send(OK).await;
        peer.request().await;
    });
    let books = noted(Load { rate: 10.0, length: SECOND, ..Load::default() }, &network);
    let resent: Vec<_> = books.requests.iter().filter(|request| request.stale_resends == 1).collect();
    assert!(!resent.is_empty());
    for request in resent {
        assert_eq!((request.sends, request.outcome), (2, Outcome::Complete));
        assert!(request.opened && request.sent_ns >= Some(request.due_ns));
    }
}
