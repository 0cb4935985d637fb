//! The result of a run and its views.
//!
//! [`RunResult`] is the one data set behind every view: `result.json` is it, and every text is rendered from it alone,
//! so that no two views can disagree.

mod build;
mod colour;
mod error;
mod folder;
mod mask;
mod probe;
mod result;
mod run;
mod sections;
mod spread;
mod summary;
mod table;
mod text;

pub use build::{About, build};
pub use colour::coloured;
pub use error::ReportError;
pub use folder::{
    Prepared, REPORT_FILE, RESULT_FILE, SPREAD_FILE, SPREAD_REPORT_FILE, load, prepare, write, write_spread,
};
pub use mask::Mask;
pub use probe::{ProbeFailure, ProbeResult, ProbeSample, ProbeSeries};
pub use result::*;
pub use run::*;
pub use spread::{RunOf, Spread, SpreadFigure, SpreadFormat, ThresholdCounts, spread_markdown};
pub use summary::{Bucket, Summary, ValueSummary};
pub use text::markdown;

pub(crate) use table::{NONE, code, plain, table};

#[cfg(test)]
pub(crate) mod tests;
