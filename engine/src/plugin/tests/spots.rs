//! Each way to harm, at each place where a guest's code runs.

use http::HeaderMap;

use super::guest::Guest;
use super::{arrival, limits, load_under};
use crate::pieces::Message;
use crate::plugin::{Event, Fault, FaultKind, Instance, Plugin, Refused};

/// A way to harm.
struct Way {
    name: &'static str,
    /// What the module needs for it.
    define: &'static str,
    /// What is done.
    text: &'static str,
    kind: FaultKind,
    /// What its author is told.
    says: &'static str,
}

const WAYS: [Way; 7] = [
    Way { name: "trap", define: "", text: "unreachable", kind: FaultKind::Trap, says: "unreachable" },
    Way {
        name: "endless loop",
        define: "",
        text: "(loop $for_ever (br $for_ever))",
        kind: FaultKind::Deadline,
        says: "longer than the 10 ms it may (limits.plugin.call)",
    },
    Way {
        name: "endless recursion",
        define: "(func $descend (call $descend))",
        text: "(call $descend)",
        kind: FaultKind::Trap,
        says: "call stack exhausted",
    },
    Way {
        name: "memory bomb",
        define: "",
        text: "(loop $for_ever (drop (memory.grow (i32.const 16))) (br $for_ever))",
        kind: FaultKind::Memory,
        says: "where 16384 KiB are allowed (limits.plugin.memory)",
    },
    Way {
        name: "growing table",
        define: "(table $things 1 funcref)",
        text: "(loop $for_ever (drop (table.grow $things (ref.null func) (i32.const 65536))) (br $for_ever))",
        kind: FaultKind::Memory,
        says: "where 16384 KiB are allowed (limits.plugin.memory)",
    },
    Way {
        name: "handles without end",
        define: "",
        text: "(loop $for_ever (drop (call $new_iteration (i32.const 1))) (br $for_ever))",
        kind: FaultKind::Trap,
        says: "handle limit exceeded",
    },
    Way {
        name: "log lines without end",
        define: "",
        text: "(loop $for_ever (call $log (i32.const 3) (i32.const 1024) (i32.const 3)) (br $for_ever))",
        kind: FaultKind::Deadline,
        says: "longer than the 10 ms it may",
    },
];

/// The exports that are called before anything is sent, and what a fault names each by.
const BEGINNINGS: [(&str, &str); 4] = [
    ("[static]plan.configure", "`plan.configure`"),
    ("[method]plan.setup", "`plan.setup`"),
    ("[method]plan.teardown", "`plan.teardown`"),
    ("[method]plan.start", "`plan.start`"),
];

/// The handlers of events.
const HANDLERS: [(&str, &str); 7] = [
    ("[method]iteration.on-response", "`iteration.on-response`"),
    ("[method]iteration.on-head", "`iteration.on-head`"),
    ("[method]iteration.on-open", "`iteration.on-open`"),
    ("[method]iteration.on-items", "`iteration.on-items`"),
    ("[method]iteration.on-end", "`iteration.on-end`"),
    ("[method]iteration.on-failure", "`iteration.on-failure`"),
    ("[method]iteration.on-timer", "`iteration.on-timer`"),
];

/// Calls everything a plugin exports, in the order of a run, until something faults.
fn call_everything(plugin: &Plugin) -> Result<(), Fault> {
    let mut instance = Instance::new(plugin, "{}", None).map_err(|refused| match refused {
        Refused::Fault(fault) => fault,
        Refused::Config(text) => panic!("it refuses its configuration: {text}"),
    })?;
    for flow in [instance.setup()?, instance.teardown()?].into_iter().flatten() {
        instance.end(flow)?;
    }
    let mut flow = instance.start(&arrival(0))?;
    let fields = HeaderMap::new();
    let messages = [Message::Text("hello".to_owned())];
    for event in [
        Event::Response { exchange: 0, status: 200, fields: &fields, wanted: None, body: b"{}", size: 2 },
        Event::Head { exchange: 0, status: 200, fields: &fields, wanted: None },
        Event::Opened { exchange: 0, subprotocol: "", fields: &fields },
        Event::Messages { exchange: 0, messages: &messages },
        Event::Complete { exchange: 0 },
        Event::Failed { exchange: 0, reason: "refused", detail: "" },
        Event::Timer { timer: 0 },
    ] {
        instance.deliver(&mut flow, &event)?;
    }
    instance.end(flow)
}

/// What came of a guest that harms: the fault, or the refusal to load it as one.
fn harm(guest: &Guest) -> Result<Fault, String> {
    let plugin = load_under(limits(), guest).map_err(|refusal| refusal.what)?;
    Ok(call_everything(&plugin).expect_err("it does harm"))
}

fn check(way: &Way, guest: &Guest, called: &str) {
    let fault = harm(guest).unwrap_or_else(|refused| panic!("{} in {called}: {refused}", way.name));
    assert_eq!(fault.kind, way.kind, "{} in {called}: {fault}", way.name);
    assert!(fault.text.contains(called), "{} in {called}: {fault}", way.name);
    assert!(fault.text.contains(way.says), "{} in {called}: {fault}", way.name);
}

#[test]
fn whatever_a_plugin_does_in_an_export_ends_as_its_fault() {
    for way in &WAYS {
        for (export, called) in BEGINNINGS.iter().chain(&HANDLERS).copied() {
            check(way, &Guest::new().define(way.define).first(export, way.text), called);
        }
    }
}

#[test]
fn a_destructor_is_contained_as_any_call() {
    for way in &WAYS {
        check(way, &Guest::new().define(way.define).first("[dtor]iteration", way.text), "`iteration.drop`");
    }
}

#[test]
fn so_is_the_function_that_reserves_memory_for_what_the_engine_hands_over() {
    for way in &WAYS {
        let guest = Guest::new().define(way.define).realloc(&format!("{} (i32.const 0)", way.text));
        let fault = harm(&guest).unwrap();
        assert!(fault.text.contains("`plan.configure`"), "{}: {fault}", way.name);
        // Within it nothing imported may be called: the component model forbids it, whatever was wanted.
        if way.text.contains("call $new_iteration") || way.text.contains("call $log") {
            assert!(fault.text.contains("cannot leave component instance"), "{}: {fault}", way.name);
        } else {
            assert_eq!(fault.kind, way.kind, "{}: {fault}", way.name);
            assert!(fault.text.contains(way.says), "{}: {fault}", way.name);
        }
    }
}

#[test]
fn a_place_for_what_is_handed_over_must_be_in_the_plugins_memory() {
    for place in ["-16", "0x7fffff00", "1"] {
        let fault = harm(&Guest::new().realloc(&format!("(i32.const {place})"))).unwrap();
        assert_eq!(fault.kind, FaultKind::Trap, "{place}: {fault}");
        assert!(fault.text.contains("realloc"), "{place}: {fault}");
    }
}

#[test]
fn harm_before_a_plugin_has_said_who_it_is_refuses_its_file() {
    for way in &WAYS {
        let start = format!("{}(func $begin {}) (start $begin)", way.define, way.text);
        let refused = |guest: &Guest| match harm(guest) {
            Ok(fault) => panic!("{}: {fault}", way.name),
            Err(refused) => refused,
        };
        let in_describe = refused(&Guest::new().define(way.define).first("describe", way.text));
        let in_start = refused(&Guest::new().define(&start));
        // While a module starts, the functions it imports are not there yet.
        let says = if way.text.contains("call $log") { "uninitialized element" } else { way.says };
        for (told, says) in [(in_describe, way.says), (in_start, says)] {
            assert!(told.starts_with("failed when asked to describe itself: `describe` "), "{}: {told}", way.name);
            assert!(told.contains(says), "{}: {told}", way.name);
        }
    }
}

#[test]
fn memory_a_plugin_begins_with_counts_as_what_it_asks_for() {
    let refused = harm(&Guest::new().pages(1_000)).unwrap_err();
    assert!(refused.contains("asked for 64000 KiB of memory where 16384 KiB are allowed"), "{refused}");
}

#[test]
fn a_function_name_from_the_file_is_shown_short_and_on_one_line() {
    let long = "x".repeat(5_000);
    let define = format!("(func $trap (@name \"red\\1b[31m\\n{long}\") unreachable)");
    let fault = harm(&Guest::new().define(&define).first("[method]plan.start", "(call $trap)")).unwrap();
    let told = fault.text.lines().find(|line| line.contains("red")).unwrap();
    assert!(told.starts_with("    in red\u{fffd}[31m\u{fffd}xxx") && told.len() < 300, "{told}");
    assert!(!fault.text.contains('\u{1b}'), "{}", fault.text);
}
