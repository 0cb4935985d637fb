//! One exchange, written against the bindings of `wit/` without the SDK: the least that an iteration of a Rust plugin
//! costs. `cost_sdk` does the same through the SDK; `engine/benches/` measures both.
//!
//! Each iteration sends a POST of 300 bytes with five fields. The answer is right when it is a 200 whose `content-type` is
//! JSON; then the time since the request was asked for is marked.

mod bindings {
    //! As in the SDK: what is sent is lowered from where it lies.
    #![allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic)]

    wit_bindgen::generate!({
        path: "../../wit",
        world: "plugin",
        ownership: Borrowing { duplicate_if_necessary: true },
    });
}

use bindings::engine::workload::actions;
use bindings::engine::workload::types::{self, Body, MetricKind, ReadMode, Request, Since, Verdict};
use bindings::exports::engine::workload::workload::{
    self, End, Exchange, Failure, FieldsResult, Guest, GuestIteration, GuestPlan, Item, Response, Timer,
};

/// The request's fields, as many as a client of an authenticated API sends.
const FIELDS: [(&str, &str); 5] = [
    ("accept", "application/json"),
    ("content-type", "application/json"),
    ("authorization", "Bearer 0123456789abcdef0123456789abcdef"),
    ("x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"),
    ("user-agent", "cost/0.1"),
];
/// Bytes of the request's body.
const BODY: usize = 300;
/// The most bytes of an answer.
const MOST: u32 = 16 << 20;
/// Position of the mark in the description.
const ANSWERED: u32 = 0;

struct Component;

/// What need not be made for each iteration.
struct Plan {
    body: Vec<u8>,
}

/// The exchange is the engine's to remember: there is one, and everything about it comes by its id.
struct Iteration;

impl Guest for Component {
    type Plan = Plan;
    type Iteration = Iteration;

    fn describe() -> types::Description {
        types::Description {
            name: "cost_raw".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            summary: "Measures what an iteration costs the engine: one exchange, with raw bindings".to_owned(),
            metrics: vec![types::Metric {
                name: "answered".to_owned(),
                kind: MetricKind::Mark,
                unit: String::new(),
                summary: "From asking to the answer.".to_owned(),
            }],
            config_schema: r#"{"type": "object", "additionalProperties": false}"#.to_owned(),
        }
    }
}

impl GuestPlan for Plan {
    fn configure(config: String, _shared: Option<String>) -> Result<workload::Plan, String> {
        let bare: String = config.split_whitespace().collect();
        if bare != "{}" {
            return Err("config: this plugin has none".to_owned());
        }
        Ok(workload::Plan::new(Self { body: vec![b'x'; BODY] }))
    }

    fn setup(&self) -> Option<workload::Iteration> {
        None
    }

    fn teardown(&self) -> Option<workload::Iteration> {
        None
    }

    fn start(&self, _arrival: types::Arrival) -> workload::Iteration {
        actions::send(Request {
            name: Some("cost"),
            method: "POST",
            authority: None,
            path_with_query: "/api/v1/cost?limit=20",
            fields: &FIELDS,
            body: Body::Bytes(&self.body),
            read: ReadMode::Whole(MOST),
            wanted_fields: None,
            follow_redirects: None,
            extensions: &[],
            timeout: None,
        });
        workload::Iteration::new(Iteration)
    }
}

impl GuestIteration for Iteration {
    fn on_response(&self, exchange: Exchange, response: Response) {
        let json = |(name, value): &(String, String)| name == "content-type" && value == "application/json";
        if response.status != 200 {
            actions::finish(Verdict::FailedBy(exchange));
        } else if !response.fields.iter().any(json) {
            actions::finish(Verdict::Failed("unexpected content type"));
        } else {
            actions::mark(ANSWERED, Since::Asked(exchange), 1);
            actions::finish(Verdict::Ok);
        }
    }

    fn on_failure(&self, exchange: Exchange, _failure: Failure) {
        actions::finish(Verdict::FailedBy(exchange));
    }

    // Nothing that this plugin asks for ends in one of these.
    fn on_head(&self, _exchange: Exchange, _status: u16, _fields: FieldsResult) {}
    fn on_open(&self, _exchange: Exchange, _subprotocol: String, _fields: FieldsResult) {}
    fn on_items(&self, _exchange: Exchange, _items: Vec<Item>) {}
    fn on_end(&self, _exchange: Exchange, _end: End) {}
    fn on_timer(&self, _timer: Timer) {}
}

#[cfg(target_family = "wasm")]
#[allow(unsafe_code, reason = "the exported functions are generated")]
mod exports {
    use super::{Component, bindings};

    bindings::export!(Component with_types_in bindings);
}
