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

mod answering;
mod play;
pub(crate) mod recorder;
mod run;
mod script;

pub use answering::{Answering, SocketScript, StreamScript};
pub use recorder::{Payload, Sent};
pub use run::{Marked, Outcome, Run};
pub use script::Script;

use crate::bindings::exports::engine::workload::workload::Guest;
use crate::component::{Component, Plan};
use crate::{Metric, Workload};

/// What the plugin says of its configuration: its JSON Schema (draft 07).
///
/// ```
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Config {
///     /// What is ordered.
///     item: String,
/// }
///
/// struct Order;
///
/// impl engine_sdk::Workload for Order {
///     type Config = Config;
///     // …
/// #     const NAME: &str = "order";
/// #     const VERSION: &str = "0.1.0";
/// #     const SUMMARY: &str = "Orders";
/// #     fn configure(_: Config, _: engine_sdk::Shared) -> Result<Self, String> { Ok(Self) }
/// #     async fn iterate(&self, _: engine_sdk::Context) -> engine_sdk::Verdict { Ok(()) }
/// }
///
/// let schema = engine_sdk::testing::config_schema::<Order>();
/// assert_eq!(schema["properties"]["item"]["description"], "What is ordered.");
/// ```
pub fn config_schema<W: Workload>() -> serde_json::Value {
    serde_json::from_str(&Component::<W>::describe().config_schema).unwrap_or_default()
}

/// Whether a configuration, as JSON, is accepted; the refusal's text where not.
///
/// # Errors
/// The text a user would see.
///
/// ```
/// # engine_sdk::example!(Agents(_ctx) { Ok(()) });
/// use engine_sdk::testing::configure;
///
/// let refusal = configure::<Agents>(r#"{"item":"tea"}"#).unwrap_err();
/// assert!(refusal.contains("unknown field `item`"), "{refusal}");
/// ```
pub fn configure<W: Workload>(config: &str) -> Result<(), String> {
    let _recording = recorder::Recording::start();
    Plan::<W>::build(config, None).map(drop)
}

/// As [`configure`], given what setup has shared.
///
/// # Errors
/// As [`configure`].
///
/// ```
/// # engine_sdk::example!(Agents(_ctx) { Ok(()) });
/// use engine_sdk::testing::configure_shared;
///
/// let shared = serde_json::json!({ "token": "t1" });
/// assert_eq!(configure_shared::<Agents>("{}", &shared), Ok(()));
/// ```
pub fn configure_shared<W: Workload>(config: &str, shared: &serde_json::Value) -> Result<(), String> {
    let _recording = recorder::Recording::start();
    Plan::<W>::build(config, Some(&shared.to_string())).map(drop)
}

/// The metrics' names in the order of their ids.
fn metric_names(metrics: &[Metric]) -> Vec<&'static str> {
    metrics.iter().map(|metric| metric.name).collect()
}

/// A workload of one flow, for the hidden lines of this crate's examples; no part of its interface.
#[doc(hidden)]
#[macro_export]
macro_rules! example {
    ($name:ident($ctx:ident) $flow:block) => {
        $crate::example!($name($ctx) [&[]] $flow);
    };
    ($name:ident($ctx:ident) [$metrics:expr] $flow:block) => {
        struct $name;

        impl $crate::Workload for $name {
            type Config = $crate::NoConfig;
            const NAME: &str = "example";
            const VERSION: &str = "0.1.0";
            const SUMMARY: &str = "An example";
            const METRICS: &[$crate::Metric] = $metrics;

            fn configure(_: $crate::NoConfig, _: $crate::Shared) -> Result<Self, String> {
                Ok(Self)
            }

            async fn iterate(&self, $ctx: $crate::Context) -> $crate::Verdict $flow
        }
    };
}
