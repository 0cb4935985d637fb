//! A plugin's own figures: declared once, used by typed handles.

use crate::MetricKind;

/// A figure of the plugin's own, as [`metrics!`](crate::metrics) declares it.
///
/// ```
/// engine_sdk::metrics! {
///     /// Bytes of the answers.
///     counter BYTES = "bytes" in "bytes";
/// }
///
/// let bytes: &engine_sdk::Metric = &METRICS[0];
/// assert_eq!((bytes.name, bytes.unit, bytes.kind), ("bytes", "bytes", engine_sdk::MetricKind::Counter));
/// ```
#[derive(Debug, Clone)]
pub struct Metric {
    /// Unique within the plugin: lower-case letters, digits and `_`, at most 64 bytes. Thresholds name it.
    pub name: &'static str,
    /// What kind it is.
    pub kind: MetricKind,
    /// Its unit for people; empty for marks.
    pub unit: &'static str,
    /// One line for reports.
    pub summary: &'static str,
}

macro_rules! handles {
    ($($(#[$doc:meta])* $handle:ident: $kind:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $handle(u32);

        impl $handle {
            #[doc(hidden)]
            pub const KIND: MetricKind = MetricKind::$kind;

            #[doc(hidden)]
            pub const fn at(position: u32) -> Self {
                Self(position)
            }

            /// Its position in the plugin's list of metrics.
            pub(crate) const fn id(self) -> u32 {
                self.0
            }
        }
    )*};
}

handles! {
    /// A time, recorded by [`Context::mark`](crate::Context::mark) and [`lap`](crate::Context::lap).
    ///
    /// ```
    /// engine_sdk::metrics! {
    ///     /// From due to the first token.
    ///     mark FIRST_TOKEN = "first_token";
    /// }
    ///
    /// fn first(ctx: &engine_sdk::Context) {
    ///     ctx.mark(FIRST_TOKEN, engine_sdk::Since::Due);
    /// }
    /// ```
    Mark: Mark;
    /// A sum, added to by [`Context::count`](crate::Context::count).
    ///
    /// ```
    /// engine_sdk::metrics! {
    ///     /// Tokens received.
    ///     counter TOKENS = "tokens" in "tokens";
    /// }
    ///
    /// fn received(ctx: &engine_sdk::Context, tokens: u64) {
    ///     ctx.count(TOKENS, tokens);
    /// }
    /// ```
    Counter: Counter;
    /// A distribution of values, recorded by [`Context::observe`](crate::Context::observe).
    ///
    /// ```
    /// engine_sdk::metrics! {
    ///     /// Tokens in one read.
    ///     observation BATCH = "batch" in "tokens";
    /// }
    ///
    /// fn read(ctx: &engine_sdk::Context, tokens: f64) {
    ///     ctx.observe(BATCH, tokens);
    /// }
    /// ```
    Observation: Observation;
    /// Passed and failed, counted by [`Context::check`](crate::Context::check).
    ///
    /// ```
    /// engine_sdk::metrics! {
    ///     /// The list is sorted.
    ///     check SORTED = "sorted";
    /// }
    ///
    /// fn list(ctx: &engine_sdk::Context, list: &[u64]) {
    ///     ctx.check(SORTED, list.is_sorted());
    /// }
    /// ```
    Check: Check;
}

/// Declares a plugin's metrics: a constant handle each, and `METRICS` to give to [`Workload`](crate::Workload).
///
/// The doc comment is the summary in reports.
///
/// ```
/// engine_sdk::metrics! {
///     /// Until the first token.
///     mark FIRST_TOKEN = "first_token";
///     /// Tokens received.
///     counter TOKENS = "tokens" in "tokens";
///     /// Tokens in one chunk.
///     observation BATCH = "batch" in "tokens";
///     /// The list is sorted.
///     check SORTED = "sorted";
/// }
/// assert_eq!(METRICS[1].name, "tokens");
/// ```
#[macro_export]
macro_rules! metrics {
    (@handle mark) => { $crate::Mark };
    (@handle counter) => { $crate::Counter };
    (@handle observation) => { $crate::Observation };
    (@handle check) => { $crate::Check };
    ($($(#[doc = $doc:literal])+ $kind:ident $handle:ident = $name:literal $(in $unit:literal)?;)+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum MetricPosition { $($handle),+ }

        $(
            $(#[doc = $doc])+
            const $handle: $crate::metrics!(@handle $kind) =
                <$crate::metrics!(@handle $kind)>::at(MetricPosition::$handle as u32);
        )+

        /// The plugin's metrics.
        const METRICS: &[$crate::Metric] = &[$($crate::Metric {
            name: $name,
            kind: <$crate::metrics!(@handle $kind)>::KIND,
            unit: concat!($($unit)?),
            summary: concat!($($doc),+),
        }),+];
    };
}
