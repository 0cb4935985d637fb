//! What the client spends on the bytes of an exchange, in CPU time: the head of a request, the events and lines of an answer.
//!
//! `cargo bench --workspace --features engine/fuzzing --bench wire`

#[path = "work/cpu.rs"]
mod cpu;

use std::hint::black_box;
use std::time::Duration;

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use engine::client::{ReadMode, Request, Timeouts, fuzzing};
use engine::clock::Time;

use cpu::ThreadCpu;

/// Tokens of an answer, as many as a short one has.
const TOKENS: usize = 50;
/// Bytes of a read: several events fall into each, and most reads end within one.
const READ: usize = 1_000;

/// The head of a POST with five fields: checked and written.
fn head(criterion: &mut Criterion<ThreadCpu>) {
    let fields = [
        ("accept", "application/json"),
        ("content-type", "application/json"),
        ("authorization", "Bearer 0123456789abcdef0123456789abcdef"),
        ("x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"),
        ("user-agent", "bench/0.1"),
    ];
    let request = Request {
        authority: None,
        method: "POST".into(),
        path_with_query: "/api/v1/cost?limit=20".into(),
        fields: fields.map(|(name, value)| (name.into(), value.into())).into(),
        body: Bytes::from_static(&[b'x'; 300]),
        read: ReadMode::Whole(16 << 20),
        peek: 0,
        follow_redirects: 0,
        asked: Time(0),
        timeouts: Timeouts { total: LIMIT, connect: LIMIT, first_byte: LIMIT, idle: LIMIT },
    };
    let written = fuzzing::head(&request, "127.0.0.1:8080").expect("it can be sent");
    assert!(written.starts_with(b"POST /api/v1/cost?limit=20 HTTP/1.1\r\nhost: 127.0.0.1:8080\r\n"));
    criterion.bench_function("head of a request", |bencher| {
        bencher.iter(|| fuzzing::head(black_box(&request), "127.0.0.1:8080"));
    });
}

/// The longest anything may take.
const LIMIT: Duration = Duration::from_secs(30);

/// A chat completion's stream, and as many lines of JSON.
fn answers(criterion: &mut Criterion<ThreadCpu>) {
    let token = |n: usize| {
        format!(
            r#"{{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1796000000,"model":"stub","choices":[{{"index":0,"delta":{{"content":" token {n}"}},"finish_reason":null}}]}}"#
        )
    };
    let events: String = (0..TOKENS).map(|n| format!("data: {}\n\n", token(n))).collect();
    let lines: String = (0..TOKENS).map(|n| token(n) + "\n").collect();
    let mut group = criterion.benchmark_group("an answer of 50 tokens");
    group.throughput(Throughput::Elements(TOKENS as u64));
    assert_eq!(fuzzing::events(events.as_bytes().chunks(READ)).expect("within bounds").len(), TOKENS);
    group.bench_function("events", |bencher| {
        bencher.iter(|| fuzzing::events(black_box(events.as_bytes()).chunks(READ)));
    });
    assert_eq!(fuzzing::lines(lines.as_bytes().chunks(READ)).expect("within bounds").len(), TOKENS);
    group.bench_function("lines", |bencher| {
        bencher.iter(|| fuzzing::lines(black_box(lines.as_bytes()).chunks(READ)));
    });
    group.finish();
}

criterion_group! {
    name = wire;
    config = Criterion::default().with_measurement(ThreadCpu);
    targets = head, answers
}
criterion_main!(wire);
