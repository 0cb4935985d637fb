//! An iteration of a plugin as a worker makes it, without client and network: start, answer, drop.

use std::path::Path;
use std::time::Duration;

use engine::plugin::{Action, Arrival, Event, Flow, Host, Instance, Limits, Plugin, Verdict};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The plugins that are measured, `plugins/NAME`.
pub(crate) const RAW: &str = "cost_raw";
pub(crate) const SDK: &str = "cost_sdk";

/// Five fields of an answer.
const FIELDS: [(&str, &str); 5] = [
    ("content-type", "application/json"),
    ("date", "Mon, 30 Nov 2026 12:00:00 GMT"),
    ("server", "stub"),
    ("x-request-id", "910a2dec-8902-4cc1-bfcd-5625358f25c6"),
    ("cache-control", "no-store"),
];
/// Bytes of its body.
const BODY: usize = 2 << 10;
/// Longer than any measurement: a call's deadline is armed as ever, and never looked at.
pub(crate) const NO_DEADLINE: Duration = Duration::from_hours(10_000);

/// One instance of a plugin, and the answer that each of its iterations gets.
pub(crate) struct Iterations {
    instance: Instance,
    fields: HeaderMap,
    body: Vec<u8>,
    actions: Vec<Action>,
    next: u64,
}

impl Iterations {
    /// Of a component of the project. `cache` is where compiled code is kept; the user's folder where absent.
    pub(crate) fn of(plugin: &str, cache: Option<&Path>) -> Self {
        // Under valgrind everything takes fifty times as long, and rustix cannot read the thread's CPU time.
        let limits = Limits { call: NO_DEADLINE, ..Limits::default() };
        let host = Host::new(limits, cache).expect("a host");
        let components = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/components");
        Self::on(&host.load(&components.join(plugin).with_extension("wasm")).expect("a committed component"))
    }

    /// Of a plugin that does the same work, in whatever language.
    pub(crate) fn on(plugin: &Plugin) -> Self {
        let instance = Instance::new(plugin, "{}", None).expect("it takes an empty configuration");
        let fields = FIELDS.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        Self { instance, fields: HeaderMap::from_iter(fields), body: vec![b'x'; BODY], actions: Vec::new(), next: 0 }
    }

    /// Makes one more.
    pub(crate) fn make(&mut self) {
        let arrival = Arrival {
            sequence: self.next,
            index: self.next,
            seed: self.next,
            client: 1,
            wall_time: 1_796_000_000_000_000_000,
            phase: "sustain",
        };
        self.next += 1;
        let mut flow = self.instance.start(&arrival).expect("no fault");
        let exchange = match self.asked_for() {
            [Action::Send { exchange, .. }] => *exchange,
            other => panic!("asked for {other:?}"),
        };
        self.answer(&mut flow, exchange);
        assert!(
            matches!(self.asked_for(), [Action::Mark { weight: 1, .. }, Action::Finish(Verdict::Ok)]),
            "{:?}",
            self.actions
        );
        self.instance.end(flow).expect("no fault");
    }

    /// Bytes of memory its instance has.
    #[allow(dead_code, reason = "each program that includes this file uses a part of it")]
    pub(crate) fn memory(&self) -> usize {
        self.instance.memory()
    }

    fn answer(&mut self, flow: &mut Flow, exchange: u32) {
        let size = self.body.len() as u64;
        let event =
            Event::Response { exchange, status: 200, fields: &self.fields, wanted: None, body: &self.body, size };
        self.instance.deliver(flow, &event).expect("no fault");
    }

    /// What the last call asked for, taken as a worker takes it.
    fn asked_for(&mut self) -> &[Action] {
        self.actions.clear();
        self.instance.take_actions(&mut self.actions);
        assert!(self.instance.take_misuse().is_none() && !self.instance.has_log());
        &self.actions
    }
}
