//! What can go wrong with results on disk, and what to do about it.

use std::path::PathBuf;

/// A result that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file of the result is not JSON.
    #[error("{path} is not JSON: {source}. A result is the `result.json` that a run writes, or the folder it is in")]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// The JSON is something else than a result.
    #[error("{path} is no result of this engine: {what}. Give the `result.json` that a run has written, or its folder")]
    NotAResult {
        /// The file.
        path: PathBuf,
        /// What is missing or wrong.
        what: String,
    },
    /// A result of another format version.
    #[error("{path} has format version {found}, and this engine reads version {known}. {advice}")]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// Ours.
        known: u32,
        /// What to do.
        advice: &'static str,
    },
    /// A result cannot be read.
    #[error("cannot read {path}: {source}. Give the folder of a result, or its `result.json`")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A text cannot be made of a result.
    #[error("cannot render the report: {0}")]
    Render(String),
    /// Results cannot be written there.
    #[error(
        "cannot write results to {path}: {source}. Make the folder writable, free some space, or choose another folder \
         for results"
    )]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}
