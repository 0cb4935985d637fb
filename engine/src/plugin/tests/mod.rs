//! The host against guests that mean it ill.

pub(crate) mod guest;
mod lifting;
mod misuse;
mod reach;
mod spots;

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
