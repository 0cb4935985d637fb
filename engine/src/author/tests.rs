//! Rehearsals of real plugins: only what could really come is delivered, and the books are a worker's.

use std::path::{Path, PathBuf};

use http::HeaderMap;

use crate::plugin::{Host, Limits, Plugin};

use super::*;

fn plugin(host: &Host, name: &str) -> Plugin {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/components");
    let file: PathBuf = folder.join(format!("{name}.wasm"));
    host.load(&file).unwrap()
}

fn host() -> Host {
    Host::new(Limits::default(), None).unwrap()
}

fn arrival(index: u64) -> Begin {
    Begin::Arrival { index, seed: 1, phase: "test".to_owned(), wall_time: 0 }
}

fn whole(status: u16) -> Piece {
    Piece::Whole { status, fields: HeaderMap::new(), body: b"{}".to_vec(), size: 2 }
}

fn head() -> Piece {
    Piece::Head { status: 200, fields: HeaderMap::new() }
}

fn failed(reason: &str) -> Piece {
    Piece::Failed { reason: reason.to_owned(), detail: String::new() }
}

#[test]
fn what_cannot_come_to_a_whole_answer_is_refused_and_leaves_everything_as_it_was() {
    let host = host();
    let mut rehearsal = Rehearsal::new(&plugin(&host, "http"), r#"{"path": "/a"}"#, None).unwrap();
    let take = rehearsal.begin(&arrival(0)).unwrap();
    let lines = Piece::Lines(vec!["a".to_owned()]);
    let closed = Piece::Closed { code: 1000, reason: String::new() };
    for piece in [head(), lines, closed, Piece::Complete, Piece::Cancelled, failed("upgrade_refused")] {
        let refused = rehearsal.deliver(take, 0, &piece).unwrap_err();
        assert!(refused.contains("cannot come to exchange 0"), "{piece}: {refused}");
    }
    assert_eq!(rehearsal.deliver(take, 1, &whole(200)).unwrap_err(), "exchange 1 has not been asked for");
    assert_eq!(rehearsal.fire(take, 0).unwrap_err(), "timer 0 does not run");
    assert_eq!((rehearsal.take(take).events, rehearsal.take(take).ending()), (0, None));
    rehearsal.deliver(take, 0, &whole(503)).unwrap();
    let ending = rehearsal.take(take).ending().unwrap();
    assert_eq!((ending.outcome.as_str(), ending.is_fault()), ("http_503", false));
    assert_eq!(rehearsal.deliver(take, 0, &whole(200)).unwrap_err(), "the iteration has ended as http_503");
}

#[test]
fn a_stream_begins_with_its_head_and_a_json_answer_is_no_stream_of_events() {
    let host = host();
    let openai = plugin(&host, "openai_chat");
    let mut rehearsal = Rehearsal::new(&openai, r#"{"model": "m"}"#, None).unwrap();
    let take = rehearsal.begin(&arrival(0)).unwrap();
    let chunk = Piece::Chunk(b"{}".to_vec());
    for piece in [Piece::Events(Vec::new()), Piece::Complete, whole(200)] {
        assert!(rehearsal.deliver(take, 0, &piece).is_err(), "{piece}");
    }
    let mut fields = HeaderMap::new();
    fields.insert("content-type", "application/json; charset=utf-8".parse().unwrap());
    rehearsal.deliver(take, 0, &Piece::Head { status: 200, fields }).unwrap();
    assert!(rehearsal.deliver(take, 0, &head()).unwrap_err().contains("its head has come already"));
    assert!(rehearsal.deliver(take, 0, &Piece::Events(Vec::new())).unwrap_err().contains("comes as chunks"));
    rehearsal.deliver(take, 0, &chunk).unwrap();
    rehearsal.deliver(take, 0, &failed("reset")).unwrap();
    assert_eq!(rehearsal.take(take).ending().unwrap().outcome, "reset");
}

#[test]
fn a_trap_loses_the_neighbours_and_everything_after_it() {
    let host = host();
    let misbehave = plugin(&host, "misbehave");
    let mut rehearsal = Rehearsal::new(&misbehave, r#"{"how": "panic", "every": 2}"#, None).unwrap();
    let takes = [0, 1, 2].map(|index| rehearsal.begin(&arrival(index)).unwrap());
    rehearsal.deliver(takes[0], 0, &whole(200)).unwrap();
    rehearsal.deliver(takes[1], 0, &whole(200)).unwrap();
    assert!(rehearsal.is_dead());
    let outcome = |take| rehearsal.take(take).ending().unwrap().outcome.clone();
    assert_eq!(takes.map(outcome), ["ok", "plugin_trap", "lost"]);
    let after = rehearsal.begin(&arrival(3)).unwrap();
    assert_eq!(rehearsal.take(after).ending().unwrap().outcome, "lost");
}

#[test]
fn timers_make_time_go_by_and_nothing_else_does() {
    let host = host();
    let mut rehearsal = Rehearsal::new(&plugin(&host, "misbehave"), r#"{"how": "sleep"}"#, None).unwrap();
    let take = rehearsal.begin(&arrival(0)).unwrap();
    rehearsal.deliver(take, 0, &whole(200)).unwrap();
    assert_eq!(rehearsal.take(take).timers().len(), 1);
    assert!(rehearsal.take(take).waited().is_zero());
    rehearsal.fire(take, 0).unwrap();
    assert_eq!(rehearsal.take(take).waited().as_secs(), 24 * 3_600);
    assert_eq!(rehearsal.take(take).ending().unwrap().outcome, "ok");
}

#[test]
fn what_is_given_up_midway_is_abandoned_and_the_instance_goes_on() {
    let host = host();
    let mut rehearsal = Rehearsal::new(&plugin(&host, "http"), r#"{"path": "/a"}"#, None).unwrap();
    let first = rehearsal.begin(&arrival(0)).unwrap();
    let given_up = rehearsal.forget(first).unwrap();
    assert_eq!(given_up.ending().unwrap().outcome, "abandoned");
    assert!(rehearsal.deliver(first, 0, &whole(200)).is_err());
    let next = rehearsal.begin(&arrival(1)).unwrap();
    rehearsal.deliver(next, 0, &whole(200)).unwrap();
    assert_eq!(rehearsal.take(next).ending().unwrap().outcome, "ok");
    assert!(rehearsal.figures().memory > 0 && rehearsal.figures().calls > 2);
}

#[test]
fn a_request_that_cannot_be_sent_can_only_fail_by_protocol() {
    let host = host();
    let mut rehearsal = Rehearsal::new(&plugin(&host, "misbehave"), r#"{"how": "split"}"#, None).unwrap();
    let take = rehearsal.begin(&arrival(0)).unwrap();
    rehearsal.deliver(take, 0, &whole(200)).unwrap();
    assert_eq!(rehearsal.take(take).unsendable.len(), 1);
    assert!(rehearsal.deliver(take, 1, &whole(200)).unwrap_err().contains("it cannot be sent"));
    rehearsal.deliver(take, 1, &failed("protocol")).unwrap();
    assert_eq!(rehearsal.take(take).ending().unwrap().outcome, "protocol");
}

#[test]
fn every_check_stands_on_its_page() {
    let page = include_str!("../../../docs/conformance.md");
    let rows = page.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, conform::CHECKS.len());
    for name in conform::CHECKS {
        assert!(page.contains(&format!("| `{name}` | ")), "{name}");
    }
}
