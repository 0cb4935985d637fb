//! Write workloads for the load engine in Rust.
//!
//! A plugin says what one arrival of a workload does: which requests it sends, and when an answer is right. It is a
//! plain struct that implements [`Workload`]; one call of [`plugin!`] makes it a WebAssembly component. The flow of an
//! iteration is an ordinary async function.
//!
//! # A workload and its test
//!
//! ```
//! use std::time::Duration;
//!
//! use engine_sdk::{Context, Metric, Shared, Since, Verdict, Workload, ensure};
//!
//! /// What a scenario may set under `[workload.config]`; these comments go into its JSON Schema.
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Config {
//!     /// What is ordered.
//!     item: String,
//!     /// How long the shopper looks at the page, in milliseconds.
//!     #[serde(default)]
//!     think_ms: u64,
//! }
//!
//! engine_sdk::metrics! {
//!     /// From due to the moment the page was there.
//!     mark PAGE_READ = "page_read";
//! }
//!
//! /// The configured workload: one in each instance of the plugin, shared by its iterations.
//! struct Checkout {
//!     order: Vec<u8>,
//!     think: Duration,
//! }
//!
//! impl Workload for Checkout {
//!     type Config = Config;
//!     const NAME: &str = "checkout";
//!     const VERSION: &str = env!("CARGO_PKG_VERSION");
//!     const SUMMARY: &str = "Reads a page, then posts an order";
//!     const METRICS: &[Metric] = METRICS;
//!
//!     fn configure(config: Config, _: Shared) -> Result<Self, String> {
//!         if config.item.is_empty() {
//!             return Err("config.item: say what is ordered".to_owned());
//!         }
//!         Ok(Self { order: config.item.into_bytes(), think: Duration::from_millis(config.think_ms) })
//!     }
//!
//!     async fn iterate(&self, ctx: Context) -> Verdict {
//!         ctx.get("/page").send().await?.expect_status(200)?;
//!         ctx.mark(PAGE_READ, Since::Due);
//!         ctx.wait(self.think).await;
//!         let reply = ctx.post("/orders").name("order").body(&self.order).send().await?;
//!         reply.expect_status(201)?;
//!         ensure(reply.body() == self.order, "order not confirmed")
//!     }
//! }
//!
//! engine_sdk::plugin!(Checkout);
//!
//! // Its test: scripted answers, virtual time, no network.
//! use engine_sdk::testing::Script;
//!
//! let config = r#"{ "item": "tea", "think_ms": 30000 }"#;
//! let shop = Script::new().on("GET", "/page").reply(200, "");
//! let run = shop.clone().on("POST", "/orders").reply(201, "tea").run::<Checkout>(config);
//! assert_eq!(run.reason(), None);
//! assert_eq!(run.request_lines(), ["GET /page", "POST /orders"]);
//! assert_eq!(run.marks()[0].name, "page_read");
//! assert!(run.took() > Duration::from_secs(30));
//!
//! let run = shop.on("POST", "/orders").reply(201, "cake").run::<Checkout>(config);
//! assert_eq!(run.reason(), Some("check: order not confirmed"));
//! ```
//!
//! # Where to look
//! | for | see |
//! |---|---|
//! | the parts of a plugin | [`Workload`], [`plugin!`], [`metrics!`] |
//! | requests, timers, figures, the arrival | [`Context`] |
//! | requests and whole answers | [`RequestBuilder`], [`Reply`] |
//! | answers in pieces, sockets | [`Stream`], [`Socket`] |
//! | how an iteration ends | [`Verdict`], [`Stop`], [`ensure`] |
//! | several things at once | [`join`], [`join_all`], [`race`] |
//! | configuration and what setup shares | [`Workload::configure`], [`Shared`] |
//! | tests | [`testing`] |
//!
//! # How it runs
//! One future per iteration, polled when the engine delivers an event of that iteration and at no other time. A future
//! waits for exchanges, timers and other futures of its own iteration only: there is no clock, no thread and no
//! spawning. Wakers work as combinators of other crates expect (`FuturesUnordered` and the like), but they never start
//! a poll of another iteration: do not hand work from one iteration to another through shared state and wait for it.
//!
//! A request leaves when `send` is called, not when its future is first polled: start several, then await them, and
//! they are open together. A dropped future cancels its exchange or timer.
//!
//! # Panics
//! In a component a panic is the failure `plugin_trap`, and the other iterations of its instance end as `lost`.
//! Natively, whatever acts through a [`Context`] panics outside of what [`testing`] runs; a test never sees that.
//!
//! # Versions
//! Semantic versioning. Before 1.0 a minor version may break, and the patch version takes corrections alone: a plugin
//! that was built with 0.1.0 builds with every 0.1.
//!
//! | change | version, before 1.0 | from 1.0 on |
//! |---|---|---|
//! | breaking | minor | major |
//! | additive; deprecations | minor | minor |
//! | corrections, documentation | patch | patch |
//!
//! Breaking is:
//!
//! - a public item that goes, is called otherwise or has another type; a further item of [`Workload`] or [`Statuses`]
//!   that must be written; a further variant of an enum; a further field of a struct whose fields are all public;
//! - another interface: this version speaks `engine:workload@0.1.0`, and a plugin runs on engines that know the
//!   interface of its SDK;
//! - a newer Rust than 1.95, the least that this version is built with;
//! - another major version of a crate whose types or traits are in the interface: `serde`, `serde_json`, `schemars`;
//! - another meaning of a call: other bytes sent for it, another default, another sequence of [`Rng`] for a seed.
//!
//! What is to go is deprecated first (`#[deprecated]`, with what to use instead), and stays for one minor version at
//! least.
//!
//! Not part of the interface: items that these pages do not show, and the wording of texts for people (`Debug` and
//! `Display` forms, [`ExchangeFailed::detail`], refusals, log lines, panics).

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
mod sending;
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
pub use request::RequestBuilder;
pub use rng::Rng;
pub use sending::{Blob, Sending};
pub use socket::{OpeningSocket, Socket, SocketBuilder};
pub use stream::{Empty, OpeningStream, Stream, StreamItem};
pub use verdict::{ExchangeFailed, Stop, Verdict, ensure};
pub use workload::{Flow, Workload};

/// What [`Context::arrival`] gives: one scheduled start of the workload.
///
/// ```
/// use engine_sdk::{Arrival, Context};
///
/// fn path(arrival: &Arrival) -> String {
///     format!("/clients/{}?n={}", arrival.client, arrival.index)
/// }
/// # engine_sdk::example!(Clients(ctx) { ctx.get(path(ctx.arrival())).name("client").send().await?; Ok(()) });
/// # let script = engine_sdk::testing::Script::new().on("GET", "/clients/1?n=0").reply(200, "");
/// # assert_eq!(script.run::<Clients>("{}").reason(), None);
/// ```
pub use bindings::engine::workload::types::Arrival;

/// What [`Socket::close`] and [`Socket::close_info`] give: how a WebSocket was closed.
///
/// ```
/// use engine_sdk::{CloseInfo, Verdict, ensure};
///
/// fn judge(info: &CloseInfo) -> Verdict {
///     ensure(info.code == 1000, "closed otherwise")
/// }
///
/// assert!(judge(&CloseInfo { code: 1001, reason: String::new() }).is_err());
/// ```
pub use bindings::engine::workload::types::CloseInfoResult as CloseInfo;

/// How loud a line of [`Context::log`] is.
///
/// ```
/// # engine_sdk::example!(Agents(ctx) {
/// use engine_sdk::Level;
///
/// ctx.log(Level::Warn, "the list is empty");
/// # Ok(())
/// # });
/// # let run = engine_sdk::testing::Script::new().run::<Agents>("{}");
/// # assert_eq!(run.logs().len(), 1);
/// ```
pub use bindings::engine::workload::types::Level;

/// What [`Socket::next`] gives: one WebSocket message.
///
/// ```
/// use engine_sdk::Message;
///
/// fn size(message: &Message) -> usize {
///     match message {
///         Message::Text(text) => text.len(),
///         Message::Binary(bytes) => bytes.len(),
///     }
/// }
///
/// assert_eq!(size(&Message::Text("tea".to_owned())), 3);
/// ```
pub use bindings::engine::workload::types::MessageResult as Message;

/// What kind of figure a [`Metric`] is; [`metrics!`] sets it.
///
/// ```
/// engine_sdk::metrics! {
///     /// Bytes of the answers.
///     counter BYTES = "bytes" in "bytes";
/// }
///
/// assert_eq!(METRICS[0].kind, engine_sdk::MetricKind::Counter);
/// ```
pub use bindings::engine::workload::types::MetricKind;

/// The item of a stream of [`events`](RequestBuilder::events).
///
/// ```
/// use engine_sdk::ServerSentEvent;
///
/// fn is_last(event: &ServerSentEvent) -> bool {
///     event.event == "end" || event.data == "[DONE]"
/// }
///
/// let event = ServerSentEvent { event: "message".to_owned(), data: "[DONE]".to_owned(), id: String::new() };
/// assert!(is_last(&event));
/// ```
pub use bindings::engine::workload::types::ServerSentEvent;

/// From where [`Context::mark`] measures.
///
/// ```
/// engine_sdk::metrics! {
///     /// From due to the moment the page was there.
///     mark PAGE_READ = "page_read";
///     /// The same from when it was asked for.
///     mark PAGE_TOOK = "page_took";
/// }
///
/// fn page_read(ctx: &engine_sdk::Context, reply: &engine_sdk::Reply) {
///     ctx.mark(PAGE_READ, engine_sdk::Since::Due);
///     ctx.mark(PAGE_TOOK, engine_sdk::Since::Asked(reply.exchange()));
/// }
/// ```
pub use bindings::engine::workload::types::Since;

/// Names one exchange within its iteration: given out in rising order from 0, for a mark measured from it and for
/// [`Stop::FailedBy`].
///
/// ```
/// use engine_sdk::{Exchange, Stop};
///
/// fn blame(exchange: Exchange) -> Stop {
///     Stop::FailedBy(exchange)
/// }
/// ```
pub type Exchange = u32;

/// Makes a [`Workload`] the workload of this component. Once per plugin, in its `lib.rs`.
///
/// On other targets than WebAssembly it exports nothing, so that the plugin's unit tests build anywhere.
///
/// ```
/// use engine_sdk::{Context, NoConfig, Shared, Verdict, Workload};
///
/// struct Agents;
///
/// impl Workload for Agents {
///     type Config = NoConfig;
///     const NAME: &str = "agents";
///     const VERSION: &str = env!("CARGO_PKG_VERSION");
///     const SUMMARY: &str = "Reads the list of agents";
///
///     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> {
///         Ok(Self)
///     }
///
///     async fn iterate(&self, ctx: Context) -> Verdict {
///         ctx.get("/agents").send().await?.expect_status(200)?;
///         Ok(())
///     }
/// }
///
/// engine_sdk::plugin!(Agents);
/// ```
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
