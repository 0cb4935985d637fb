//! The virtual WASI, by a guest that uses each call of it that can be made at all. (A method of what is never handed out, an
//! error or a file, cannot be called.)

use super::guest::Guest;
use super::{Arrival, Instance, arrival, load};
use crate::plugin::{Event, FaultKind, Plugin};

const WIT: &str = include_str!("wasi.wit");

/// Interface, function, its name in the text, its type.
const CALLS: &[(&str, &str, &str, &str)] = &[
    ("cli/environment", "get-environment", "environment", "(param i32)"),
    ("cli/environment", "get-arguments", "arguments", "(param i32)"),
    ("cli/environment", "initial-cwd", "cwd", "(param i32)"),
    ("cli/exit", "exit", "exit", "(param i32)"),
    ("cli/stdin", "get-stdin", "stdin", "(result i32)"),
    ("cli/stdout", "get-stdout", "stdout", "(result i32)"),
    ("cli/stderr", "get-stderr", "stderr", "(result i32)"),
    ("cli/terminal-stdin", "get-terminal-stdin", "terminal_in", "(param i32)"),
    ("cli/terminal-stdout", "get-terminal-stdout", "terminal_out", "(param i32)"),
    ("cli/terminal-stderr", "get-terminal-stderr", "terminal_err", "(param i32)"),
    ("clocks/monotonic-clock", "now", "monotonic", "(result i64)"),
    ("clocks/monotonic-clock", "resolution", "monotonic_resolution", "(result i64)"),
    ("clocks/monotonic-clock", "subscribe-instant", "at_instant", "(param i64) (result i32)"),
    ("clocks/monotonic-clock", "subscribe-duration", "after", "(param i64) (result i32)"),
    ("clocks/wall-clock", "now", "wall", "(param i32)"),
    ("clocks/wall-clock", "resolution", "wall_resolution", "(param i32)"),
    ("random/random", "get-random-bytes", "random_bytes", "(param i64 i32)"),
    ("random/random", "get-random-u64", "random", "(result i64)"),
    ("random/insecure", "get-insecure-random-bytes", "insecure_bytes", "(param i64 i32)"),
    ("random/insecure", "get-insecure-random-u64", "insecure", "(result i64)"),
    ("random/insecure-seed", "insecure-seed", "insecure_seed", "(param i32)"),
    ("filesystem/preopens", "get-directories", "directories", "(param i32)"),
    ("filesystem/types", "[resource-drop]descriptor", "drop_descriptor", "(param i32)"),
    ("io/poll", "poll", "poll", "(param i32 i32 i32)"),
    ("io/poll", "[method]pollable.ready", "ready", "(param i32) (result i32)"),
    ("io/poll", "[method]pollable.block", "block", "(param i32)"),
    ("io/poll", "[resource-drop]pollable", "drop_pollable", "(param i32)"),
    ("io/streams", "[method]input-stream.read", "read", "(param i32 i64 i32)"),
    ("io/streams", "[method]input-stream.blocking-read", "blocking_read", "(param i32 i64 i32)"),
    ("io/streams", "[method]input-stream.skip", "skip", "(param i32 i64 i32)"),
    ("io/streams", "[method]input-stream.blocking-skip", "blocking_skip", "(param i32 i64 i32)"),
    ("io/streams", "[method]input-stream.subscribe", "input_ready", "(param i32) (result i32)"),
    ("io/streams", "[resource-drop]input-stream", "drop_input", "(param i32)"),
    ("io/streams", "[method]output-stream.check-write", "check_write", "(param i32 i32)"),
    ("io/streams", "[method]output-stream.write", "write_stream", "(param i32 i32 i32 i32)"),
    ("io/streams", "[method]output-stream.blocking-write-and-flush", "write_and_flush", "(param i32 i32 i32 i32)"),
    ("io/streams", "[method]output-stream.flush", "flush", "(param i32 i32)"),
    ("io/streams", "[method]output-stream.blocking-flush", "blocking_flush", "(param i32 i32)"),
    ("io/streams", "[method]output-stream.subscribe", "output_ready", "(param i32) (result i32)"),
    ("io/streams", "[method]output-stream.write-zeroes", "zeroes", "(param i32 i64 i32)"),
    ("io/streams", "[method]output-stream.blocking-write-zeroes-and-flush", "zeroes_flush", "(param i32 i64 i32)"),
    ("io/streams", "[method]output-stream.splice", "splice", "(param i32 i32 i64 i32)"),
    ("io/streams", "[method]output-stream.blocking-splice", "blocking_splice", "(param i32 i32 i64 i32)"),
    ("io/streams", "[resource-drop]output-stream", "drop_output", "(param i32)"),
];

/// Interfaces that are imported without a call of theirs.
const QUIET: [&str; 3] = ["cli/terminal-input", "cli/terminal-output", "io/error"];

/// Where results are written: free memory below the heap.
const AT: u32 = 60_000;

fn versioned(interface: &str) -> &'static str {
    Box::leak(format!("wasi:{interface}@0.2.3").into_boxed_str())
}

/// A guest that imports all of it and does `text` when it starts.
fn guest(text: &str, image: impl FnOnce(Guest) -> Guest) -> Plugin {
    let mut items: Vec<&str> = CALLS.iter().map(|call| call.0).chain(QUIET).collect();
    items.sort_unstable();
    items.dedup();
    let items = items.into_iter().map(versioned).collect();
    let import = |(interface, name, called, kind): &(&str, &str, &str, &str)| {
        format!("(import \"{}\" \"{name}\" (func ${called} {kind}))", versioned(interface))
    };
    let imports = CALLS.iter().map(import).collect::<Vec<_>>().join("\n");
    let guest = image(Guest::new().importing_all(items, WIT.to_owned(), &imports).first("[method]plan.start", text));
    load(&guest)
}

/// Wasm that traps unless the word at `AT` plus `offset` is `value`.
fn word(offset: u32, value: u32) -> String {
    format!("(if (i32.ne (i32.load (i32.const {})) (i32.const {value})) (then unreachable))\n", AT + offset)
}

/// Wasm that traps unless an expression of 32 bits is `value`.
fn is(value: u32, expression: &str) -> String {
    format!("(if (i32.ne {expression} (i32.const {value})) (then unreachable))\n")
}

/// Wasm that uses each call, traps where an answer is not as it should be, and counts the moment and the random numbers it was
/// given. `{hello}` and the like stand for texts.
fn everything() -> String {
    let mut text = String::new();
    let mut add = |part: &str| text.push_str(part);
    let at = format!("(i32.const {AT})");
    // Nothing around it: empty lists and no values, where something else stood before.
    for (call, offset) in [
        ("environment", 4),
        ("arguments", 4),
        ("cwd", 0),
        ("terminal_in", 0),
        ("terminal_out", 0),
        ("terminal_err", 0),
        ("directories", 4),
    ] {
        add(&format!("(i32.store (i32.const {}) (i32.const 9)) (call ${call} {at})\n", AT + offset));
        // An option's discriminant is a byte.
        add(&if offset == 0 { is(0, &format!("(i32.load8_u {at})")) } else { word(offset, 0) });
    }
    // Clocks stand still.
    add("(if (i64.ne (call $monotonic) (i64.const 0)) (then unreachable))\n");
    add("(if (i64.ne (call $monotonic_resolution) (i64.const 1)) (then unreachable))\n");
    add(&format!("(call $wall {at}) (call $count (i32.const 0) (i64.load {at}))\n"));
    add(&format!("(call $count (i32.const 1) (i64.load32_u (i32.const {})))\n", AT + 8));
    add(&format!("(call $wall_resolution {at})\n{}", word(8, 1)));
    // Everything is ready at once, a wait of an hour as well.
    add(&format!(
        "(i32.store {at} (call $at_instant (i64.const 5)))\n\
         (i32.store (i32.const {}) (call $after (i64.const 3600000000000)))\n",
        AT + 4
    ));
    add(&is(1, &format!("(call $ready (i32.load {at}))")));
    add(&format!("(call $block (i32.load {at})) (call $poll {at} (i32.const 2) (i32.const {}))\n", AT + 16));
    add(&word(20, 2));
    add(&is(1, &format!("(i32.load offset=4 (i32.load (i32.const {})))", AT + 16)));
    add(&format!("(call $drop_pollable (i32.load {at})) (call $drop_pollable (i32.load (i32.const {})))\n", AT + 4));
    // Input is at its end: `err(closed)`.
    add("(global.set $in (call $stdin)) (global.set $out (call $stdout)) (global.set $err (call $stderr))\n");
    for call in ["read", "blocking_read", "skip", "blocking_skip"] {
        add(&format!("(call ${call} (global.get $in) (i64.const 10) {at})\n"));
        add(&is(1, &format!("(i32.load8_u {at})")));
    }
    for call in ["splice", "blocking_splice"] {
        add(&format!("(call ${call} (global.get $out) (global.get $in) (i64.const 10) {at})\n"));
        add(&is(1, &format!("(i32.load8_u {at})")));
    }
    // Output is taken.
    add(&format!("(call $check_write (global.get $out) {at})\n{}", is(0, &format!("(i32.load8_u {at})"))));
    add(&format!("(if (i64.eqz (i64.load (i32.const {}))) (then unreachable))\n", AT + 8));
    for (call, stream, place) in
        [("write_stream", "out", "hello"), ("write_and_flush", "out", "world"), ("write_stream", "err", "wrong")]
    {
        add(&format!(
            "(call ${call} (global.get ${stream}) {{{place}}} {at})\n{}",
            is(0, &format!("(i32.load8_u {at})"))
        ));
    }
    for call in ["flush", "blocking_flush"] {
        add(&format!("(call ${call} (global.get $out) {at})\n{}", is(0, &format!("(i32.load8_u {at})"))));
    }
    for call in ["zeroes", "zeroes_flush"] {
        add(&format!("(call ${call} (global.get $out) (i64.const 7) {at})\n{}", is(0, &format!("(i32.load8_u {at})"))));
    }
    add("(call $drop_pollable (call $input_ready (global.get $in)))\n");
    add("(call $drop_pollable (call $output_ready (global.get $out)))\n");
    add(
        "(call $drop_input (global.get $in)) (call $drop_output (global.get $out)) (call $drop_output (global.get $err))\n",
    );
    // Random numbers: each of these moves on.
    add("(call $count (i32.const 2) (call $random)) (call $count (i32.const 3) (call $insecure))\n");
    for call in ["random_bytes", "insecure_bytes"] {
        add(&format!("(call ${call} (i64.const 11) {at})\n{}", word(4, 11)));
        add(&format!("(call $count (i32.const 4) (i64.load (i32.load {at})))\n"));
    }
    add(&format!("(call $insecure_seed {at}) (call $count (i32.const 5) (i64.load {at}))\n"));
    add(&format!("(call $count (i32.const 6) (i64.load (i32.const {})))\n", AT + 8));

    text
}

#[test]
fn each_call_is_answered_without_a_machine_behind_it() {
    let mut guest_image = Guest::new();
    let mut places = everything();
    for (name, said) in [("hello", "hello, "), ("world", "world\n"), ("wrong", "oh no\nat line 3\n")] {
        let [place, length] = guest_image.image.text(said.as_bytes());
        places = places.replace(&format!("{{{name}}}"), &format!("(i32.const {place}) (i32.const {length})"));
    }
    let globals = "(global $in (mut i32) (i32.const 0)) (global $out (mut i32) (i32.const 0)) \
                   (global $err (mut i32) (i32.const 0))";
    let plugin = guest(&places, |mut guest| {
        guest.image = guest_image.image;
        guest.define(globals)
    });
    assert!(plugin.imports.contains(&"wasi:random/random@0.2.3".to_owned()), "{:?}", plugin.imports);

    let run = |seed: u64| {
        let mut instance = Instance::new(&plugin, "{}", None).unwrap();
        let arrival = Arrival { seed, wall_time: 1_700_000_000_000_000_005, ..arrival(0) };
        let flow = instance.start(&arrival).unwrap();
        let mut actions = Vec::new();
        instance.take_actions(&mut actions);
        let counts: Vec<String> = actions.iter().map(|action| format!("{action:?}")).collect();
        let (log, _) = instance.take_log();
        instance.end(flow).unwrap();
        let log: Vec<(&str, String)> = log.into_iter().map(|line| (line.level, line.text)).collect();
        (counts[..8].to_vec(), log)
    };
    let (counts, log) = run(42);
    assert_eq!(counts[0], "Count { metric: 0, n: 1700000000 }");
    assert_eq!(counts[1], "Count { metric: 1, n: 5 }");
    let mut numbers = counts[2..].to_vec();
    numbers.sort();
    numbers.dedup();
    assert_eq!(numbers.len(), 6, "six different random numbers: {counts:?}");
    assert_eq!(log, [("info", "hello, world".to_owned()), ("error", "oh no\nat line 3".to_owned())]);
    assert_eq!(run(42).0, counts, "the same seed, the same numbers");
    assert_ne!(run(43).0[2..], counts[2..], "another seed, other numbers");
}

#[test]
fn random_numbers_of_an_iteration_do_not_depend_on_its_neighbours() {
    let draw = "(call $count (i32.const 0) (call $random))";
    let plugin = guest(draw, |guest| guest.body("[method]iteration.on-timer", draw));
    let drawn = |instance: &mut Instance| {
        let mut actions = Vec::new();
        instance.take_actions(&mut actions);
        let count = actions.iter().map(|action| format!("{action:?}")).find(|text| text.starts_with("Count"));
        count.expect("a number")
    };
    let mut instance = Instance::new(&plugin, "{}", None).unwrap();
    let mut alone = instance.start(&Arrival { seed: 7, ..arrival(0) }).unwrap();
    let first = drawn(&mut instance);
    instance.deliver(&mut alone, &Event::Timer { timer: 0 }).unwrap();
    let second = drawn(&mut instance);
    assert_ne!(first, second);

    let mut one = instance.start(&Arrival { seed: 7, ..arrival(1) }).unwrap();
    assert_eq!(drawn(&mut instance), first);
    let other = instance.start(&Arrival { seed: 8, ..arrival(2) }).unwrap();
    assert_ne!(drawn(&mut instance), first);
    instance.deliver(&mut one, &Event::Timer { timer: 0 }).unwrap();
    assert_eq!(drawn(&mut instance), second);
    for flow in [alone, one, other] {
        instance.end(flow).unwrap();
    }
}

#[test]
fn leaving_and_asking_for_too_much_are_traps_with_a_reason() {
    let fault = |text: &str| {
        let plugin = guest(text, |guest| guest);
        let mut instance = Instance::new(&plugin, "{}", None).unwrap();
        instance.start(&arrival(0)).expect_err("a trap")
    };
    let left = fault("(call $exit (i32.const 1))");
    assert_eq!(left.kind, FaultKind::Trap);
    assert!(left.text.starts_with("`plan.start` left by exit(1)"), "{left}");
    let greedy = fault(&format!("(call $random_bytes (i64.const 99999999999) (i32.const {AT}))"));
    assert!(greedy.text.contains("asked for 99999999999 random bytes at once, where 1048576 are given"), "{greedy}");
}

#[test]
fn what_was_written_to_stderr_is_a_traps_text() {
    let mut image = Guest::new();
    let [place, length] = image.image.text(b"panic: nothing left\n\ngoroutine 1");
    let text = format!(
        "(call $write_stream (call $stderr) (i32.const {place}) (i32.const {length}) (i32.const {AT})) unreachable"
    );
    let plugin = guest(&text, |mut guest| {
        guest.image = image.image;
        guest
    });
    let mut instance = Instance::new(&plugin, "{}", None).unwrap();
    let fault = instance.start(&arrival(0)).expect_err("a trap");
    assert!(fault.text.contains(": panic: nothing left\n\ngoroutine 1"), "{fault}");
}
