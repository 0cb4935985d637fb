//! The exports of a component, for any workload.

use std::marker::PhantomData;
use std::rc::Rc;
#[cfg(target_family = "wasm")]
use std::sync::Once;

use crate::bindings::engine::workload::types;
use crate::bindings::exports::engine::workload::workload as exports;
use crate::flow::Iteration;
use crate::{Shared, Workload, config};

/// A workload as a component. Used by [`plugin!`](crate::plugin) alone.
pub struct Component<W>(PhantomData<W>);

/// A configured workload: what the engine holds a handle to.
pub struct Plan<W>(pub(crate) Rc<W>);

impl<W: Workload> Plan<W> {
    /// Configures a workload.
    ///
    /// # Errors
    /// The refusal, for people.
    pub(crate) fn build(config: &str, shared: Option<&str>) -> Result<Self, String> {
        W::configure(config::parse(config)?, Shared::parse(shared)?).map(|workload| Self(Rc::new(workload)))
    }
}

impl<W: Workload> exports::Guest for Component<W> {
    type Plan = Plan<W>;
    type Iteration = Iteration;

    fn describe() -> types::Description {
        log_panics();
        types::Description {
            name: W::NAME.to_owned(),
            version: W::VERSION.to_owned(),
            summary: W::SUMMARY.to_owned(),
            metrics: W::METRICS
                .iter()
                .map(|metric| types::Metric {
                    name: metric.name.to_owned(),
                    kind: metric.kind,
                    unit: metric.unit.to_owned(),
                    summary: metric.summary.trim().to_owned(),
                })
                .collect(),
            config_schema: config::schema::<W::Config>(),
        }
    }
}

impl<W: Workload> exports::GuestPlan for Plan<W> {
    fn configure(config: String, shared: Option<String>) -> Result<exports::Plan, String> {
        log_panics();
        Self::build(&config, shared.as_deref()).map(exports::Plan::new)
    }

    fn setup(&self) -> Option<exports::Iteration> {
        Iteration::once(|ctx| Rc::clone(&self.0).setup(ctx)).map(exports::Iteration::new)
    }

    fn teardown(&self) -> Option<exports::Iteration> {
        Iteration::once(|ctx| Rc::clone(&self.0).teardown(ctx)).map(exports::Iteration::new)
    }

    fn start(&self, arrival: types::Arrival) -> exports::Iteration {
        exports::Iteration::new(Iteration::start(&self.0, arrival))
    }
}

/// A panic's text and place become a log line: the trap that follows carries neither. (Log lines of a call that traps
/// are kept, its actions are not.)
#[cfg(target_family = "wasm")]
fn log_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let text = panic.payload_as_str().unwrap_or("a value that is no text");
            let line = match panic.location() {
                Some(place) => format!("panicked at {place}: {text}"),
                None => format!("panicked: {text}"),
            };
            crate::backend::log(types::Level::Error, &line);
        }));
    });
}

/// Natively a panic is the test's own.
#[cfg(not(target_family = "wasm"))]
fn log_panics() {}
