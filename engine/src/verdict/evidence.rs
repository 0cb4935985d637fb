//! What the engine noticed about itself. Whatever is absent is reported as not checked.

/// The engine's own use of the machine.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The use of its core by each worker's thread.
    pub cpu: Option<Vec<WorkerCpu>>,
    /// Nanoseconds for which the cgroup was throttled during the judged phase.
    pub throttled_ns: Option<u64>,
    /// File descriptors.
    pub descriptors: Option<Usage>,
    /// Ephemeral ports towards the target.
    pub ports: Option<Usage>,
    /// The cap on connections.
    pub connection_cap: Option<ConnectionCap>,
    /// Whether the judged phase offers one rate, or holds one number of iterations, throughout.
    pub level_rate: Option<bool>,
}

/// One worker's use of its core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerCpu {
    /// The number of the worker.
    pub worker: u32,
    /// For each second, the share of the second that its thread ran, 0 to 1.
    pub seconds: Vec<f64>,
}

/// A resource that may run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The most that was in use at one time.
    pub peak: u64,
    /// The most there can be.
    pub limit: u64,
}

/// The setting that bounds connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionCap {
    /// There is none.
    Unlimited,
    /// At most so many at a time.
    At(u64),
}

/// The cap on iterations in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlightCap {
    /// The cap that held in this run.
    pub cap: u64,
    /// What it is by default: peak rate × the longest time-out of the mix.
    pub default: u64,
}

impl InFlightCap {
    /// Whether it was set lower than its default, so that what it holds back is the generator's doing.
    pub fn is_lowered(self) -> bool {
        self.cap < self.default
    }
}
