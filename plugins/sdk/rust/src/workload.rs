//! What a plugin implements.

use std::pin::Pin;
use std::rc::Rc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Context, Metric, Shared, Verdict};

/// A flow of `setup` or `teardown`, boxed: `Some(Box::pin(async move { … }))`.
///
/// ```
/// use engine_sdk::{Context, Flow};
///
/// fn login(ctx: Context) -> Flow {
///     Box::pin(async move {
///         ctx.post("/login").send().await?.expect_status(200)?;
///         Ok(())
///     })
/// }
/// ```
pub type Flow = Pin<Box<dyn Future<Output = Verdict>>>;

/// A workload plugin. The value is the configured plan: one in each instance, shared by its iterations.
///
/// ```
/// use engine_sdk::testing::Script;
/// use engine_sdk::{Context, Shared, Verdict, Workload};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// struct Config {
///     /// What is read; begins with `/`.
///     path: String,
/// }
///
/// struct Read {
///     path: String,
/// }
///
/// impl Workload for Read {
///     type Config = Config;
///     const NAME: &str = "read";
///     const VERSION: &str = env!("CARGO_PKG_VERSION");
///     const SUMMARY: &str = "Reads one page";
///
///     fn configure(config: Config, _: Shared) -> Result<Self, String> {
///         if !config.path.starts_with('/') {
///             return Err("config.path: begin it with /".to_owned());
///         }
///         Ok(Self { path: config.path })
///     }
///
///     async fn iterate(&self, ctx: Context) -> Verdict {
///         ctx.get(&self.path).send().await?.expect_status(200)?;
///         Ok(())
///     }
/// }
///
/// let script = Script::new().on("GET", "/tea").reply(200, "");
/// assert_eq!(script.run::<Read>(r#"{"path":"/tea"}"#).reason(), None);
/// ```
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

    /// Its metrics, as [`metrics!`](crate::metrics) lists them, at most 64; none where not said.
    const METRICS: &[Metric] = &[];

    /// Called once in each instance, before the first arrival. `shared` is what setup flows have shared. Do here what
    /// need not be done in every iteration: format field values, register bodies ([`crate::Blob::register`]).
    ///
    /// # Errors
    /// A text shown to the user as the plugin's refusal, which ends the run before it starts: say what to change.
    fn configure(config: Self::Config, shared: Shared) -> Result<Self, String>;

    /// The flow of one iteration. What it sends before it first waits counts from the arrival's due time.
    fn iterate(&self, ctx: Context) -> impl Future<Output = Verdict>;

    /// The flow to run once before the load, in an instance of its own; `None` where there is nothing to do. Its
    /// requests belong to no phase. A verdict other than `Ok` refuses the run. [`Context::share`] hands on what it got.
    ///
    /// ```
    /// use std::rc::Rc;
    ///
    /// use engine_sdk::{Context, Flow, NoConfig, Shared, Verdict, Workload};
    ///
    /// struct Warm;
    ///
    /// impl Workload for Warm {
    ///     // …
    /// #     type Config = NoConfig;
    /// #     const NAME: &str = "warm";
    /// #     const VERSION: &str = "0.1.0";
    /// #     const SUMMARY: &str = "Fills a cache";
    /// #     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> { Ok(Self) }
    /// #     async fn iterate(&self, _: Context) -> Verdict { Ok(()) }
    ///     fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
    ///         Some(Box::pin(async move {
    ///             ctx.post("/cache").send().await?.expect_status(204)?;
    ///             Ok(())
    ///         }))
    ///     }
    /// }
    /// # let script = engine_sdk::testing::Script::new().on("POST", "/cache").reply(204, "");
    /// # assert_eq!(script.setup::<Warm>("{}").expect("a setup flow").reason(), None);
    /// ```
    fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        drop(ctx);
        None
    }

    /// The flow to run once after the load, as [`setup`](Self::setup).
    ///
    /// ```
    /// use std::rc::Rc;
    ///
    /// use engine_sdk::{Context, Flow, NoConfig, Shared, Verdict, Workload};
    ///
    /// struct Tidy;
    ///
    /// impl Workload for Tidy {
    ///     // …
    /// #     type Config = NoConfig;
    /// #     const NAME: &str = "tidy";
    /// #     const VERSION: &str = "0.1.0";
    /// #     const SUMMARY: &str = "Cleans up";
    /// #     fn configure(_: NoConfig, _: Shared) -> Result<Self, String> { Ok(Self) }
    /// #     async fn iterate(&self, _: Context) -> Verdict { Ok(()) }
    ///     fn teardown(self: Rc<Self>, ctx: Context) -> Option<Flow> {
    ///         Some(Box::pin(async move {
    ///             ctx.delete("/jobs").send().await?.expect_status(204)?;
    ///             Ok(())
    ///         }))
    ///     }
    /// }
    /// # let script = engine_sdk::testing::Script::new().on("DELETE", "/jobs").reply(204, "");
    /// # assert_eq!(script.teardown::<Tidy>("{}").expect("a teardown flow").reason(), None);
    /// ```
    fn teardown(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        drop(ctx);
        None
    }
}
