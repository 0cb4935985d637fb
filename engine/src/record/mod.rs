//! What a run records: the final state of every arrival, distributions of times, and counters.
//!
//! One [`Recorder`] belongs to each worker and is written by one thread, without locks. Recorders are merged when the
//! run has ended; merging changes nothing: the result is what one recorder would hold that had seen everything.
//! The words and formulas are those of `docs/terminology.md`. This module knows nothing of plugins, files or reports.

mod buckets;
mod cell;
mod distribution;
mod flight;
mod layout;
mod live;
mod names;
mod percentile;
mod recorder;
mod sample;
mod select;
mod trail;
mod values;
mod window;
mod work;

pub use buckets::{BUCKET_BOUNDS_MS, Buckets};
pub use cell::{Cell, Counts, MetricData, Request, Series, Traffic};
pub use distribution::{Distribution, EXACT_SAMPLES, RANGE_END_NS, Ranked};
pub use flight::Flight;
pub use layout::{Layout, Metric, MetricKind, Span};
pub use live::{Live, Tally};
pub use names::{MOST_NAMES, MOST_REASONS, NameId, OTHER, is_free_text};
pub use percentile::Percentile;
pub use recorder::Recorder;
pub use sample::{
    CheckSample, ConnectParts, CountSample, ExchangeOutcome, ExchangeSample, Finished, MarkSample, Missed,
    ObservationSample, Outcome,
};
pub use select::Selection;
pub use trail::{Trail, TrailPart, part_length};
pub use values::Values;
pub use window::Window;
pub use work::{LongestCall, PluginCost, WorkerLoad};

#[cfg(test)]
mod tests;
