//! What cannot be held against each other, and what to do about it.

use std::path::PathBuf;

/// Books that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BooksError {
    /// A run without them.
    #[error("{folder} has no requests.jsonl\n  help: run again with --requests, and verify that run", folder = .0.display())]
    NoRequests(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {path}: {source}\n  help: {help}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
        /// What to do.
        help: &'static str,
    },
    /// A file is something else.
    #[error("{path}, line {line}: {what}\n  help: {help}", path = .path.display())]
    NotBooks {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// A file of another format version.
    #[error(
        "{path} has format version {found}, and this engine reads version {known}\n  help: verify with the version that \
         wrote it",
        path = .path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A file has no last line.
    #[error("{path} was cut short: {what}\n  help: {help}", path = .path.display())]
    CutShort {
        /// The file.
        path: PathBuf,
        /// How that shows.
        what: String,
        /// What to do.
        help: &'static str,
    },
    /// The two files of a folder are not of one run.
    #[error(
        "{path} is of another run than the result.json beside it: one started at {requests}, the other at {result}\n  \
         help: give the folder as the run has left it",
        path = .path.display()
    )]
    NotOneRun {
        /// The file.
        path: PathBuf,
        /// Start of the one.
        requests: String,
        /// Start of the other.
        result: String,
    },
    /// Not one request of a journal is of the run.
    #[error(
        "no request in {files} carries an id of this run ({run}), of {sent} that it sent\n  help: give the journal of the \
         stub that this run loaded; proxies between the two must pass `x-request-id` on"
    )]
    OtherJournal {
        /// The journals.
        files: String,
        /// The run.
        run: String,
        /// Requests sent.
        sent: u64,
    },
}
