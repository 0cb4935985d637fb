//! The plugin host: loads WebAssembly components, keeps them within limits, calls them and hears what they ask for.
//!
//! A plugin is pure. Each call hands it one event; the actions it asks for are buffered and handed to the worker when the
//! call returns, or dropped when it traps. A trap poisons the instance it happened on, and only that one.

mod action;
mod bindings;
mod catalog;
mod event;
mod fault;
mod host;
mod instance;
mod limits;
mod load;
mod origin;
mod room;
mod schema;
#[cfg(test)]
pub(crate) mod tests;
mod wasi;

pub use action::{Action, ReadMode, Request, Since, Verdict};
pub use catalog::{BUILT_IN, Catalog, NoPlugin};
pub use event::{Arrival, Event};
pub use fault::{Fault, FaultKind};
pub use host::Host;
pub use instance::{Flow, Instance, Refused, START};
pub use limits::{ACTIONS_PER_CALL, LOG_LINES_PER_CALL, Limits};
pub use load::{ConfigKey, Description, INTERFACE, Metric, MetricKind, Plugin, Refusal};
pub use origin::{Origin, Tool};
pub use room::LogLine;
