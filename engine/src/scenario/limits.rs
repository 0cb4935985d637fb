//! `[limits]`: bounds on the run.

use std::time::Duration;

use serde::Serialize;

use super::code;
use super::fault::Fault;
use super::reader::{Field, Reader};
use super::tree::Text;
use super::units;

/// Bounds on the run. What a workload sets of its own is in the [`Workload`](super::Workload).
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Limits {
    /// The most iterations at once, over all workers.
    pub in_flight: u32,
    /// What `in_flight` is where nothing is set: peak rate × longest time-out of the mix, and what a closed
    /// phase holds on top of it. A cap below it is the
    /// generator's doing where it binds, one at or above it the target's.
    pub in_flight_default: u32,
    /// An arrival that cannot start this long after it was due is missed.
    #[serde(rename = "tolerance_s", serialize_with = "units::seconds")]
    pub tolerance: Duration,
    /// How finely a worker keeps its schedule.
    pub timer: Timer,
    /// The longest an exchange may take.
    #[serde(rename = "timeout_s", serialize_with = "units::seconds")]
    pub timeout: Duration,
    /// The longest a connection may take, TLS and all.
    #[serde(rename = "connect_timeout_s", serialize_with = "units::seconds")]
    pub connect_timeout: Duration,
    /// The longest until the first byte of an answer; bounded only by `timeout` where absent.
    #[serde(rename = "first_byte_timeout_s", serialize_with = "units::seconds_if_set")]
    pub first_byte_timeout: Option<Duration>,
    /// The longest an open answer may be silent.
    #[serde(rename = "idle_timeout_s", serialize_with = "units::seconds")]
    pub idle_timeout: Duration,
    /// The longest an iteration may take, where it is set for all workloads.
    #[serde(rename = "iteration_timeout_s", serialize_with = "units::seconds_if_set")]
    pub iteration_timeout: Option<Duration>,
    /// How long what is in flight at the end of the schedule may still take.
    #[serde(rename = "drain_s", serialize_with = "units::seconds")]
    pub drain: Duration,
    /// The most connections at once, over all workers; no cap where absent. At least the number of workers.
    pub connections: Option<u32>,
    /// How long an unused connection is kept.
    #[serde(rename = "connection_idle_s", serialize_with = "units::seconds")]
    pub connection_idle: Duration,
    /// Other hosts than the target that plugins may ask, in lower case.
    pub allowed_hosts: Vec<AllowedHost>,
    /// The most redirects to follow.
    pub redirects: u32,
    /// Bounds on plugins.
    pub plugin: PluginLimits,
}

/// How finely a worker keeps its schedule: finer wakes cost CPU time, which coarser ones turn into lateness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Timer {
    /// Wakes every 1 ms at most, and then starts all that is due.
    Coarse,
    /// Wakes every 250 µs at most: for each arrival up to 4,000/s a worker.
    #[default]
    Balanced,
    /// Wakes for each arrival.
    Precise,
}

impl Timer {
    const ALL: [Self; 3] = [Self::Coarse, Self::Balanced, Self::Precise];

    /// As scenarios have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Coarse => "coarse",
            Self::Balanced => "balanced",
            Self::Precise => "precise",
        }
    }

    /// The least time between two wakes for arrivals: how late the setting itself may make one.
    pub const fn wake_gap(self) -> Duration {
        match self {
            Self::Coarse => Duration::from_millis(1),
            Self::Balanced => Duration::from_micros(250),
            Self::Precise => Duration::ZERO,
        }
    }
}

/// A host that plugins may ask beside the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AllowedHost {
    /// Name or address, in lower case; of IPv6 with brackets.
    pub host: String,
    /// Its port; the scheme's own where absent.
    pub port: Option<u16>,
}

/// Bounds on plugins.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PluginLimits {
    /// The longest one call may take.
    #[serde(rename = "call_s", serialize_with = "units::seconds")]
    pub call: Duration,
    /// The most memory of an instance, in bytes.
    pub memory: u64,
    /// Instances per worker and plugin.
    pub instances: u32,
    /// After this many iterations an instance is replaced.
    pub iterations: u64,
    /// The most elements of a list from a plugin.
    pub list: u32,
    /// The longest string or body from a plugin, in bytes.
    pub string: u64,
}

impl Default for Limits {
    /// As documented; the cap and the drain are set when the mix is known.
    fn default() -> Self {
        Self {
            in_flight: 1,
            in_flight_default: 1,
            tolerance: Duration::from_millis(50),
            timer: Timer::default(),
            timeout: Duration::from_mins(1),
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: None,
            idle_timeout: Duration::from_secs(30),
            iteration_timeout: None,
            drain: Duration::from_mins(1),
            connections: None,
            connection_idle: Duration::from_mins(1),
            allowed_hosts: Vec::new(),
            redirects: 0,
            plugin: PluginLimits::default(),
        }
    }
}

impl Default for PluginLimits {
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

/// Limits as read, with what depends on the mix still open.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) limits: Limits,
    pub(super) in_flight: Option<Field<u64>>,
    pub(super) drain: Option<Duration>,
    pub(super) connections: Option<Field<u64>>,
}

/// Reads `[limits]`.
pub(super) fn read(reader: Reader<'_>) -> Draft {
    let mut limits = Limits::default();
    let in_flight = reader.integer("in_flight");
    set(&mut limits.tolerance, reader.duration("tolerance"));
    if let Some(choice) = reader.choice("timer") {
        // One of them: the reader has refused all else.
        let timer = Timer::ALL.into_iter().find(|timer| timer.name() == choice.value);
        limits.timer = timer.unwrap_or_default();
    }
    set(&mut limits.timeout, reader.duration("timeout"));
    set(&mut limits.connect_timeout, reader.duration("connect_timeout"));
    limits.first_byte_timeout = reader.duration("first_byte_timeout").map(|field| field.value);
    set(&mut limits.idle_timeout, reader.duration("idle_timeout"));
    limits.iteration_timeout = reader.duration("iteration_timeout").map(|field| field.value);
    let drain = reader.duration("drain").map(|field| field.value);
    let connections = reader.integer("connections");
    limits.connections = connections.map(|field| narrow(field.value));
    set(&mut limits.connection_idle, reader.duration("connection_idle"));
    for text in reader.texts("allowed_hosts").unwrap_or_default() {
        limits.allowed_hosts.extend(allowed_host(&reader, text));
    }
    limits.redirects = reader.integer("redirects").map_or(limits.redirects, |field| narrow(field.value));
    if let Some(plugin) = reader.table("plugin") {
        limits.plugin = read_plugin(plugin);
    }
    reader.finish();
    Draft { limits, in_flight, drain, connections }
}

fn read_plugin(reader: Reader<'_>) -> PluginLimits {
    let mut limits = PluginLimits::default();
    set(&mut limits.call, reader.duration("call"));
    set(&mut limits.memory, reader.bytes("memory"));
    limits.instances = reader.integer("instances").map_or(limits.instances, |field| narrow(field.value));
    set(&mut limits.iterations, reader.integer("iterations"));
    limits.list = reader.integer("list").map_or(limits.list, |field| narrow(field.value));
    set(&mut limits.string, reader.bytes("string"));
    reader.finish();
    limits
}

fn set<T>(place: &mut T, field: Option<Field<T>>) {
    if let Some(field) = field {
        *place = field.value;
    }
}

/// The ranges of all keys read so end below 2³².
pub(super) fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn allowed_host(reader: &Reader<'_>, text: Field<&Text>) -> Option<AllowedHost> {
    let parsed = parse_host(&text.value.value);
    if parsed.is_none() {
        let fault = Fault::new(code::LIMITS_BAD_HOST, "an allowed host is written as `host` or `host:port`");
        reader.note(fault.at(text.span, "not one").hint("for example: \"login.example.com\" or \"[::1]:8443\""));
    }
    parsed
}

fn parse_host(text: &str) -> Option<AllowedHost> {
    let authority: http::uri::Authority = text.parse().ok()?;
    let explicit = authority.port_u16();
    let well_formed = !authority.host().is_empty()
        && !text.contains(['@', '*'])
        && (explicit.is_some() || authority.port().is_none());
    let whole = text.len() == authority.host().len() + authority.port().map_or(0, |port| port.as_str().len() + 1);
    let host = authority.host().to_ascii_lowercase();
    (well_formed && whole && explicit != Some(0)).then_some(AllowedHost { host, port: explicit })
}
