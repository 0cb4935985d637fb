//! What a plugin implements.

use std::pin::Pin;
use std::rc::Rc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Context, Metric, Shared, Verdict};

/// A flow of `setup` or `teardown`, boxed: `Some(Box::pin(async move { … }))`.
pub type Flow = Pin<Box<dyn Future<Output = Verdict>>>;

/// A workload plugin. The value is the configured plan: one in each instance, shared by its iterations.
pub trait Workload: Sized + 'static {
    /// What the workload's `config` table holds. Give it `#[serde(deny_unknown_fields)]`, so that a mistyped key is
    /// refused; its doc comments become the descriptions of the JSON Schema. [`crate::NoConfig`] where there is none.
    type Config: DeserializeOwned + JsonSchema;

    /// The name by which scenarios call it: lower-case letters, digits and `_`, at most 64 bytes.
    const NAME: &str;

    /// Its own version: `env!("CARGO_PKG_VERSION")`.
    const VERSION: &str;

    /// One line for people.
    const SUMMARY: &str;

    /// Its metrics, as [`crate::metrics!`] lists them.
    const METRICS: &[Metric] = &[];

    /// Called once in each instance, before the first arrival. `shared` is what setup flows have shared. Do here what
    /// need not be done in every iteration: format field values, register bodies ([`crate::Blob::register`]).
    ///
    /// # Errors
    /// A text shown to the user as the plugin's refusal, which ends the run before it starts: say what to change.
    fn configure(config: Self::Config, shared: Shared) -> Result<Self, String>;

    /// The flow of one iteration. What it sends before it first waits counts from the arrival's due time.
    fn iterate(&self, ctx: Context) -> impl Future<Output = Verdict>;

    /// The flow to run once before the load, in an instance of its own; `None` where there is nothing to do.
    fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        drop(ctx);
        None
    }

    /// The flow to run once after the load, as [`Workload::setup`].
    fn teardown(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        drop(ctx);
        None
    }
}
