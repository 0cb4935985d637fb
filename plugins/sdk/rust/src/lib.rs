//! Write workloads for the load engine in Rust.
//!
//! A plugin is a plain struct that implements [`Workload`]; one call of [`plugin!`] makes it a component. The flow of
//! an iteration is an ordinary async function:
//!
//! ```
//! use engine_sdk::{Context, NoConfig, Shared, Verdict, Workload};
//!
//! struct Agents;
//!
//! impl Workload for Agents {
//!     type Config = NoConfig;
//!     const NAME: &str = "agents";
//!     const VERSION: &str = env!("CARGO_PKG_VERSION");
//!     const SUMMARY: &str = "Reads the list of agents";
//!
//!     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> {
//!         Ok(Self)
//!     }
//!
//!     async fn iterate(&self, ctx: Context) -> Verdict {
//!         let reply = ctx.get("/agents").field("accept", "application/json").send().await?;
//!         reply.expect_status(200)?;
//!         Ok(())
//!     }
//! }
//!
//! engine_sdk::plugin!(Agents);
//!
//! // In a unit test, against scripted answers and virtual time:
//! let run = engine_sdk::testing::Script::new().on("GET", "/agents").reply(503, "").run::<Agents>("{}");
//! assert_eq!(run.reason(), Some("http_503"));
//! ```
//!
//! # How it runs
//! One future per iteration, polled when the engine delivers an event of that iteration and at no other time. A future
//! waits for exchanges, timers and other futures of its own iteration only: there is no clock, no thread and no
//! spawning. Wakers work as combinators of other crates expect (`FuturesUnordered` and the like), but they never start
//! a poll of another iteration: do not hand work from one iteration to another through shared state and wait for it.
//!
//! A request leaves when `send` is called, not when its future is first polled: start several, then await them, and
//! they are open together. A dropped future cancels its exchange or timer.

#[doc(hidden)]
pub mod bindings;

mod backend;
mod component;
mod config;
mod context;
mod encode;
mod flow;
mod inbox;
mod join;
mod metric;
mod reply;
mod request;
mod rng;
mod socket;
mod stream;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod verdict;
mod workload;

#[doc(hidden)]
pub use component::Component;
pub use config::{NoConfig, Shared};
pub use context::{Context, Wait};
pub use encode::percent_encode;
pub use join::{Either, join, join_all, race};
pub use metric::{Check, Counter, Mark, Metric, Observation};
pub use reply::{Reply, Statuses};
pub use request::{Blob, RequestBuilder, Sending};
pub use rng::Rng;
pub use socket::{OpeningSocket, Socket, SocketBuilder};
pub use stream::{Empty, OpeningStream, Stream, StreamItem};
pub use verdict::{ExchangeFailed, Stop, Verdict, ensure};
pub use workload::{Flow, Workload};

pub use bindings::engine::workload::types::{
    Arrival, CloseInfoResult as CloseInfo, Level, MessageResult as Message, MetricKind, ServerSentEvent, Since,
};

/// Names one exchange within its iteration: `reply.exchange()`, for a mark measured from it.
pub type Exchange = u32;

/// Makes a [`Workload`] the workload of this component. Once per plugin, in its `lib.rs`.
///
/// On other targets than WebAssembly it exports nothing, so that the plugin's unit tests build anywhere.
#[macro_export]
macro_rules! plugin {
    ($workload:ty) => {
        const _: () = {
            #[cfg(target_family = "wasm")]
            #[allow(unsafe_code, clippy::pedantic)]
            mod exports {
                use super::*;
                type Exported = $crate::Component<$workload>;
        $crate::bindings::export!(Exported with_types_in $crate::bindings);
            }
            #[cfg(not(target_family = "wasm"))]
            const _: fn() = || {
                fn is_a_workload<W: $crate::Workload>() {}
                is_a_workload::<$workload>();
            };
        };
    };
}
