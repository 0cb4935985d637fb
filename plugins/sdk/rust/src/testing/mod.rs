//! Runs a plugin natively against scripted answers, in virtual time and without a network.
//!
//! ```
//! # use engine_sdk::{Context, NoConfig, Shared, Verdict, Workload};
//! # struct Jobs;
//! # impl Workload for Jobs {
//! #     type Config = NoConfig;
//! #     const NAME: &str = "jobs";
//! #     const VERSION: &str = "0.1.0";
//! #     const SUMMARY: &str = "Starts a job and waits for it";
//! #     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> { Ok(Self) }
//! #     async fn iterate(&self, ctx: Context) -> Verdict {
//! #         ctx.post("/jobs").send().await?.expect_status(202)?;
//! #         loop {
//! #             ctx.wait(std::time::Duration::from_secs(1)).await;
//! #             if ctx.get("/jobs/1").send().await?.text() == "done" { return Ok(()) }
//! #         }
//! #     }
//! # }
//! use std::time::Duration;
//! use engine_sdk::testing::Script;
//!
//! let script = Script::new()
//!     .on("POST", "/jobs").reply(202, "")
//!     .on("GET", "/jobs/1").once().reply(200, "running")
//!     .on("GET", "/jobs/1").reply(200, "done");
//! let run = script.run::<Jobs>("{}");
//! assert_eq!(run.reason(), None);
//! assert_eq!(run.requests().len(), 3);
//! assert!(run.took() > Duration::from_secs(2));
//!
//! let slow = Script::new().on("POST", "/jobs").after(Duration::from_secs(30)).fail("timeout_total");
//! assert_eq!(slow.run::<Jobs>("{}").reason(), Some("timeout_total"));
//! ```

mod play;
pub(crate) mod recorder;
mod run;
mod script;

pub use recorder::{Payload, Sent};
pub use run::{Marked, Outcome, Run};
pub use script::{Answering, Script, SocketScript, StreamScript};

use crate::bindings::exports::engine::workload::workload::Guest;
use crate::component::{Component, Plan};
use crate::{Metric, Workload};

/// What the plugin says of its configuration: its JSON Schema.
pub fn config_schema<W: Workload>() -> serde_json::Value {
    serde_json::from_str(&Component::<W>::describe().config_schema).unwrap_or_default()
}

/// Whether a configuration is accepted; the refusal's text where not.
///
/// # Errors
/// The text a user would see.
pub fn configure<W: Workload>(config: &str) -> Result<(), String> {
    let _recording = recorder::Recording::start();
    Plan::<W>::build(config, None).map(drop)
}

/// As [`configure`], given what setup has shared.
///
/// # Errors
/// As [`configure`].
pub fn configure_shared<W: Workload>(config: &str, shared: &serde_json::Value) -> Result<(), String> {
    let _recording = recorder::Recording::start();
    Plan::<W>::build(config, Some(&shared.to_string())).map(drop)
}

/// The metrics' names in the order of their ids.
fn metric_names(metrics: &[Metric]) -> Vec<&'static str> {
    metrics.iter().map(|metric| metric.name).collect()
}
