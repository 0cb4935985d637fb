//! The host against guests that mean it ill.

pub(crate) mod guest;
mod lifting;
mod misuse;
mod reach;
mod spots;
mod wasi;

use std::path::Path;
use std::time::Duration;

use super::{Arrival, Host, Instance, Limits, Plugin, Refusal};
use guest::Guest;

/// Limits that are soon reached.
fn limits() -> Limits {
    Limits { call: Duration::from_millis(10), memory: 16 << 20, ..Limits::default() }
}

/// Loads a guest under these limits.
fn load_under(limits: Limits, guest: &Guest) -> Result<Plugin, Refusal> {
    let host = Host::new(limits, None).expect("a host");
    host.load_bytes(Path::new("raw.wasm"), &guest.component())
}

/// Loads a guest that describes itself well.
fn load(guest: &Guest) -> Plugin {
    load_under(limits(), guest).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// An instance of a guest that configures itself well.
fn instance(guest: &Guest) -> Instance {
    Instance::new(&load(guest), "{}", None).unwrap_or_else(|refused| panic!("{refused}"))
}

/// The arrival at a position.
fn arrival(index: u64) -> Arrival<'static> {
    Arrival { sequence: index, index, seed: 1, client: 1, wall_time: 0, phase: "load" }
}

#[test]
fn a_raw_guest_that_behaves_is_an_ordinary_plugin() {
    let mut instance = instance(&Guest::new());
    let mut flow = instance.start(&arrival(3)).unwrap();
    let mut actions = Vec::new();
    instance.take_actions(&mut actions);
    assert!(format!("{actions:?}").contains("method: \"GET\""), "{actions:?}");
    actions.clear();
    let fields = http::HeaderMap::new();
    let answer =
        super::Event::Response { exchange: 0, status: 200, fields: &fields, wanted: None, body: b"x", size: 1 };
    instance.deliver(&mut flow, &answer).unwrap();
    instance.take_actions(&mut actions);
    assert_eq!(format!("{actions:?}"), "[Finish(Ok)]");
    instance.end(flow).unwrap();
}

/// A guest of this version of the interface, kept as a file for `tests/it/golden.rs`. It is written where it is missing,
/// and only then: `WRITE_GOLDEN=1 cargo test -p engine golden`.
#[test]
fn the_golden_raw_guest_imports_every_action_and_exports_every_event() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/0.1.0/raw.wasm");
    if std::env::var_os("WRITE_GOLDEN").is_some() && !Path::new(file).exists() {
        std::fs::write(file, Guest::new().component()).expect("it can be written");
    }
    let kept = std::fs::read(file).expect("it is there");
    let printed = String::from_utf8_lossy(&kept).into_owned();
    let wit = include_str!("../../../../wit/workload.wit");
    let functions = wit.lines().filter_map(|line| {
        let (name, rest) = line.trim().split_once(": ")?;
        (rest.starts_with("func(") || rest.starts_with("static func(")).then_some(name)
    });
    let missing: Vec<&str> = functions.filter(|name| !printed.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let host = Host::new(limits(), None).expect("a host");
    let plugin = host.load_bytes(Path::new("raw.wasm"), &kept).unwrap_or_else(|refusal| panic!("{refusal}"));
    let mut instance = Instance::new(&plugin, "{}", None).unwrap();
    let mut flow = instance.start(&arrival(0)).unwrap();
    instance.deliver(&mut flow, &super::Event::Failed { exchange: 0, reason: "refused", detail: "" }).unwrap();
    instance.end(flow).unwrap();
}
