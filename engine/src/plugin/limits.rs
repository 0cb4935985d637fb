//! What a plugin may use, and the watch over its memory.

use std::time::Duration;

use wasmtime::ResourceLimiter;

/// Limits on a plugin's calls and instances. One set for all plugins of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest one call may compute, 10 ms and up. Time in which a neighbour had the core does not count.
    pub call: Duration,
    /// Linear memory and tables of one instance, in bytes.
    pub memory: usize,
    /// Instances a worker keeps for each workload, at least 1.
    pub instances: usize,
    /// Iterations after which an instance is replaced by a fresh one, at least 1.
    pub iterations: u64,
    /// The most elements of a list that a plugin hands over (fields, subprotocols, metrics).
    pub list: usize,
    /// The most bytes of one string or byte list that a plugin hands over.
    pub string: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_millis(100),
            memory: 64 << 20,
            instances: 4,
            iterations: 10_000,
            list: 10_000,
            string: 64 << 20,
        }
    }
}

/// The most actions one call may ask for.
pub const ACTIONS_PER_CALL: usize = 10_000;
/// The most actions one iteration may ask for: what it records is kept until it ends.
pub(super) const ACTIONS_PER_ITERATION: u32 = 1_000_000;
/// The most bytes of one log line; the rest is cut.
pub(super) const LOG_BYTES: usize = 4 << 10;
/// The most log lines kept from one call; the rest are counted.
pub const LOG_LINES_PER_CALL: usize = 100;
/// The most bytes that one flow may `share`.
pub(super) const SHARE_BYTES: usize = 1 << 20;
/// The most bytes of a description.
pub(super) const DESCRIPTION_BYTES: usize = 1 << 20;
/// The most bytes of a plugin's refusal that are shown; the rest is cut.
pub(super) const REFUSAL_BYTES: usize = 4 << 10;
/// The most bytes of a component file: an interpreter's has some 20 MiB, and compiling takes memory and time.
pub(super) const FILE_BYTES: u64 = 128 << 20;
/// The most bytes of a plan's blobs together.
pub(super) const BLOB_BYTES: usize = 64 << 20;
/// Core instances a component may have: an interpreter's needs a few dozen.
const CORE_INSTANCES: usize = 100;
/// Bytes a table element takes on the host.
const TABLE_ELEMENT_BYTES: usize = 16;

/// A plugin asked for more memory than it may have.
#[derive(Debug)]
pub(super) struct MemoryExceeded {
    /// Bytes it would have had.
    wanted: usize,
    /// Bytes it may have.
    limit: usize,
}

impl std::fmt::Display for MemoryExceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "asked for {} KiB of memory where {} KiB are allowed (limits.plugin.memory)",
            self.wanted >> 10,
            self.limit >> 10
        )
    }
}

impl std::error::Error for MemoryExceeded {}

/// Counts the memory of one instance, over all its memories and tables.
#[derive(Debug)]
pub(super) struct MemoryWatch {
    used: usize,
    limit: usize,
}

impl MemoryWatch {
    /// A watch that lets an instance have `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { used: 0, limit }
    }

    /// Bytes so far.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Adds a growth, or fails with an error, so that the trap carries the plugin's backtrace.
    fn grow(&mut self, current: usize, desired: usize) -> wasmtime::Result<bool> {
        let wanted = self.used.saturating_add(desired.saturating_sub(current));
        if wanted > self.limit {
            return Err(wasmtime::Error::new(MemoryExceeded { wanted, limit: self.limit }));
        }
        self.used = wanted;
        Ok(true)
    }
}

impl ResourceLimiter for MemoryWatch {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        self.grow(current, desired)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        self.grow(current.saturating_mul(TABLE_ELEMENT_BYTES), desired.saturating_mul(TABLE_ELEMENT_BYTES))
    }

    fn instances(&self) -> usize {
        CORE_INSTANCES
    }

    fn tables(&self) -> usize {
        CORE_INSTANCES
    }

    fn memories(&self) -> usize {
        CORE_INSTANCES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted_over_all_memories_and_tables() {
        let mut watch = MemoryWatch::new(100_000);
        assert!(watch.memory_growing(0, 65_536, None).unwrap());
        assert!(watch.table_growing(0, 100, None).unwrap());
        let refused = watch.memory_growing(0, 65_536, None).unwrap_err();
        assert_eq!(refused.to_string(), "asked for 129 KiB of memory where 97 KiB are allowed (limits.plugin.memory)");
    }
}
