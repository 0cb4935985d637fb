//! The lines of a journal that are not requests: what it is about, and sums to check it by.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::clock::Moment;

/// The version of the format of journals.
pub const FORMAT: u32 = 1;

/// The clock of all times in it.
const CLOCK: &str = "CLOCK_MONOTONIC";

/// A line that is not a request. Serialised as an object with one member, `journal`, `reset` or `end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Comes first. Entries after it are those of a stub that has just started.
    Journal(Head),
    /// The journal was reset: entries after it are numbered from 0 again, and what was open has no line.
    Reset(Sums),
    /// Comes last. A file without it was cut off.
    End(Sums),
}

/// Whose journal it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// Which target: `small`, `model` or `platform`.
    pub stub: &'static str,
    /// Where it listens.
    pub listen: String,
}

/// What a journal is about, and how its clock stands to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// [`FORMAT`].
    pub format: u32,
    /// Which target: `small`, `model` or `platform`.
    pub stub: Cow<'static, str>,
    /// The program's version.
    pub version: Cow<'static, str>,
    /// Address and port.
    pub listen: String,
    /// The process's id.
    pub process: u32,
    /// The clock of all times: `CLOCK_MONOTONIC`.
    pub clock: Cow<'static, str>,
    /// Linux's name for the time since the machine was started. Two processes that were given the same one have the
    /// same clock; others can be set beside each other by the clock on the wall alone.
    pub boot_id: Option<String>,
    /// The same moment on both clocks.
    #[serde(flatten)]
    pub moment: Moment,
}

impl Head {
    /// With this moment.
    pub(super) fn now(about: &About) -> Self {
        Self {
            format: FORMAT,
            stub: about.stub.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            listen: about.listen.clone(),
            process: std::process::id(),
            clock: CLOCK.into(),
            boot_id: boot_id(),
            moment: Moment::now(),
        }
    }
}

/// Sums since the start or the last reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Requests that came.
    pub arrivals: u64,
    /// Those with a line in the file.
    pub written: u64,
    /// Those that have none because the disk could not keep up.
    pub lost: u64,
    /// The same moment on both clocks, once more: the clock on the wall may have been set.
    #[serde(flatten)]
    pub moment: Moment,
}

impl Sums {
    /// With this moment.
    pub(super) fn now(arrivals: u64, written: u64, lost: u64) -> Self {
        Self { arrivals, written, lost, moment: Moment::now() }
    }
}

fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned())
}
