//! Every table and key there is: what the reader accepts, what a fault lists, what the JSON Schema and the reference
//! page say. One list, so that the four cannot differ.

use std::time::Duration;

use super::profile::{POINT, RAMP, SPIKE, STEPS};

/// What a table may hold.
#[derive(Debug)]
pub(crate) struct Spec {
    /// How it is called in faults, such as `[run]`.
    pub(crate) title: &'static str,
    /// What it is for, in one line.
    pub(crate) about: &'static str,
    pub(crate) keys: &'static [Key],
}

/// One key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Must be there.
    pub(crate) required: bool,
    /// What holds where it is not there, for people; empty where nothing does.
    pub(crate) default: &'static str,
    /// What it means, in one line.
    pub(crate) about: &'static str,
    /// A value as it would be written.
    pub(crate) example: &'static str,
}

/// What a key holds.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Any string.
    Text,
    /// A string of 1 to 64 letters, digits, `-` and `_`; lower-case letters only unless `upper`.
    Name { upper: bool },
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// Strings.
    Texts,
    /// A whole number.
    Integer { min: u64, max: u64 },
    /// A number.
    Number { min: f64, max: f64 },
    /// `true` or `false`.
    Boolean,
    /// A string with a length of time.
    Duration { min: Duration, max: Duration },
    /// A string with a size.
    Bytes { min: u64, max: u64 },
    /// What a figure is held against: a string or a number.
    Limit,
    /// A table of anything.
    Free,
    /// Anything.
    Any,
    /// One table.
    Table(&'static Spec),
    /// A list of tables, each of this kind.
    Tables(&'static Spec),
}

impl Spec {
    /// The key of that name.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// All names, as a list for people.
    pub(crate) fn names(&self) -> String {
        self.keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")
    }
}

/// The longest that may be waited for one thing.
const DAY: Duration = Duration::from_hours(24);
/// The longest a phase may last.
pub(crate) const MONTH: Duration = Duration::from_hours(24 * 30);
const MS: Duration = Duration::from_millis(1);
const WAIT: Kind = Kind::Duration { min: MS, max: DAY };
const WHY: Key = optional("why", Kind::Text, "", "Why it is so; printed in the report.", "\"what we expect at noon\"");

pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str, example: &'static str) -> Key {
    Key { name, kind, required: true, default: "", about, example }
}

pub(crate) const fn optional(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    about: &'static str,
    example: &'static str,
) -> Key {
    Key { name, kind, required: false, default, about, example }
}

/// The whole file.
pub(crate) static ROOT: Spec = Spec {
    title: "the scenario",
    about: "What is loaded, with what, how hard, and what must hold.",
    keys: &[
        optional("run", Kind::Table(&RUN), "", "The run itself.", ""),
        required("target", Kind::Table(&TARGET), "What is loaded.", ""),
        optional("limits", Kind::Table(&LIMITS), "", "Bounds on the run.", ""),
        optional("setup", Kind::Tables(&SETUP), "", "What is done once, before the load.", ""),
        required("workload", Kind::Tables(&WORKLOAD), "What is sent.", ""),
        required("phase", Kind::Tables(&PHASE), "How much is sent, and when.", ""),
        optional("threshold", Kind::Tables(&THRESHOLD), "", "What must hold.", ""),
        optional("probes", Kind::Table(&PROBES), "", "What is read beside the load.", ""),
    ],
};

/// `[run]`.
pub(crate) static RUN: Spec = Spec {
    title: "[run]",
    about: "The run itself.",
    keys: &[
        optional("name", Kind::Name { upper: true }, "the file's name", "Names the folder of results.", "\"checkout\""),
        optional("title", Kind::Text, "", "Heads the report.", "\"Checkout at noon\""),
        optional(
            "seed",
            Kind::Integer { min: 0, max: u64::MAX },
            "42",
            "Seeds all randomness: two runs with one seed send the same.",
            "7",
        ),
        optional("topology", Kind::Text, "", "How the parts were placed; printed in the report.", "\"one machine\""),
    ],
};

/// `[target]`.
pub(crate) static TARGET: Spec = Spec {
    title: "[target]",
    about: "What is loaded. Exactly one of `url` and `stub`.",
    keys: &[
        optional(
            "url",
            Kind::Text,
            "",
            "Base URL, `http` or `https`, with a path that stands before every request's where it has one.",
            "\"https://api.example.com\"",
        ),
        optional(
            "stub",
            Kind::Text,
            "",
            "Command line of the stub, which is started as a child process on a free port.",
            "\"small\"",
        ),
        optional(
            "ca",
            Kind::Text,
            "",
            "PEM file of certificates to trust beside the built-in ones, relative to the scenario.",
            "\"ca.pem\"",
        ),
        optional(
            "client_certificate",
            Kind::Text,
            "",
            "PEM file of the client's certificate; with `client_key`.",
            "\"client.pem\"",
        ),
        optional(
            "client_key",
            Kind::Text,
            "",
            "PEM file of the client's key; with `client_certificate`.",
            "\"client.key\"",
        ),
        optional(
            "server_name",
            Kind::Text,
            "the host of `url`",
            "The name that TLS asks for and checks.",
            "\"api.example.com\"",
        ),
        optional(
            "resolve",
            Kind::Text,
            "",
            "Connects to this address; the host of `url` is still what is asked for.",
            "\"127.0.0.1:8443\"",
        ),
    ],
};

/// `[limits]`.
pub(crate) static LIMITS: Spec = Spec {
    title: "[limits]",
    about: "Bounds on the run.",
    keys: &[
        optional(
            "in_flight",
            Kind::Integer { min: 1, max: u32::MAX as u64 },
            "peak rate × longest time-out of the mix",
            "The most iterations at once, over all workers.",
            "500",
        ),
        optional(
            "tolerance",
            Kind::Duration { min: MS, max: Duration::from_mins(1) },
            "50ms",
            "An arrival that cannot start this long after it was due is missed.",
            "\"50ms\"",
        ),
        optional(
            "timer",
            Kind::Choice(&["coarse", "balanced", "precise"]),
            "balanced",
            "How often a worker wakes to start what is due: every 1ms at most, every 250us at most, or for each arrival.",
            "\"coarse\"",
        ),
        optional("timeout", WAIT, "60s", "The longest a whole exchange may take.", "\"10s\""),
        optional("connect_timeout", WAIT, "10s", "The longest a connection may take, TLS and all.", "\"2s\""),
        optional("first_byte_timeout", WAIT, "", "The longest until the first byte of an answer.", "\"5s\""),
        optional("idle_timeout", WAIT, "30s", "The longest an open answer may be silent.", "\"15s\""),
        optional(
            "iteration_timeout",
            WAIT,
            "the workload's `timeout` + 30s",
            "The longest an iteration may take from when it was due.",
            "\"2m\"",
        ),
        optional(
            "drain",
            Kind::Duration { min: Duration::ZERO, max: DAY },
            "the longest time-out of the mix",
            "How long what is in flight at the end may still take.",
            "\"30s\"",
        ),
        optional(
            "connections",
            Kind::Integer { min: 1, max: u32::MAX as u64 },
            "no cap",
            "The most connections at once, over all workers.",
            "100",
        ),
        optional(
            "connection_idle",
            Kind::Duration { min: Duration::ZERO, max: DAY },
            "60s",
            "How long an unused connection is kept.",
            "\"20s\"",
        ),
        optional(
            "allowed_hosts",
            Kind::Texts,
            "none",
            "Other hosts than the target that plugins may ask, as `host` or `host:port`.",
            "[\"login.example.com\"]",
        ),
        optional("redirects", Kind::Integer { min: 0, max: 20 }, "0", "The most redirects to follow.", "3"),
        optional("plugin", Kind::Table(&PLUGIN), "", "Bounds on plugins.", ""),
    ],
};

/// `[limits.plugin]`.
pub(crate) static PLUGIN: Spec = Spec {
    title: "[limits.plugin]",
    about: "Bounds on plugins.",
    keys: &[
        optional(
            "call",
            Kind::Duration { min: MS, max: Duration::from_mins(1) },
            "100ms",
            "The longest one call may take.",
            "\"50ms\"",
        ),
        optional(
            "memory",
            Kind::Bytes { min: 1 << 16, max: 1 << 32 },
            "64MiB",
            "The most memory of an instance. One that has grown over half of the way there is replaced by a new one.",
            "\"128MiB\"",
        ),
        optional(
            "instances",
            Kind::Integer { min: 1, max: 1_000 },
            "4",
            "Instances per worker and plugin. Up to as many again may be ending: replaced ones with iterations in flight.",
            "8",
        ),
        optional(
            "iterations",
            Kind::Integer { min: 1, max: 1_000_000_000 },
            "10000",
            "After this many iterations an instance is replaced by a new one.",
            "1000",
        ),
        optional(
            "list",
            Kind::Integer { min: 1, max: 1_000_000 },
            "10000",
            "The most elements of a list from a plugin.",
            "1000",
        ),
        optional(
            "string",
            Kind::Bytes { min: 1 << 10, max: 1 << 30 },
            "64MiB",
            "The longest string or body from a plugin.",
            "\"1MiB\"",
        ),
    ],
};

const CONFIG: Key = optional(
    "config",
    Kind::Free,
    "{}",
    "What the plugin is configured with; its own documentation says what it takes.",
    "{ path = \"/\" }",
);

/// `[[setup]]`.
pub(crate) static SETUP: Spec = Spec {
    title: "[[setup]]",
    about: "A plugin whose setup is run once before the load, in the order of the file.",
    keys: &[
        required(
            "plugin",
            Kind::Text,
            "Name of the plugin, or the path of its file relative to the scenario.",
            "\"login\"",
        ),
        CONFIG,
    ],
};

/// `[[workload]]`.
pub(crate) static WORKLOAD: Spec = Spec {
    title: "[[workload]]",
    about: "One kind of what is sent. The shares of all of them make the mix.",
    keys: &[
        required("name", Kind::Name { upper: false }, "Its name in reports and thresholds.", "\"api_read\""),
        required(
            "share",
            Kind::Number { min: 0.000_001, max: 1_000_000.0 },
            "Its part of the arrivals, in proportion to the other shares; six decimals at most.",
            "45",
        ),
        optional(
            "plugin",
            Kind::Text,
            "the workload's name",
            "Name of the plugin, or the path of its file relative to the scenario.",
            "\"http\"",
        ),
        CONFIG,
        optional("timeout", WAIT, "`limits.timeout`", "The longest a whole exchange may take.", "\"5s\""),
        optional(
            "iteration_timeout",
            WAIT,
            "`limits.iteration_timeout`, else `timeout` + 30s",
            "The longest an iteration may take from when it was due.",
            "\"1m\"",
        ),
        optional(
            "isolation",
            Kind::Choice(&["shared", "iteration"]),
            "shared",
            "Whether iterations share instances of the plugin, or each has its own.",
            "\"iteration\"",
        ),
        WHY,
    ],
};

/// `[[phase]]`.
pub(crate) static PHASE: Spec = Spec {
    title: "[[phase]]",
    about: "A stretch of the schedule. Exactly one of `rate`, `ramp`, `steps`, `spike`, `points`, `closed` and `pause`.",
    keys: &[
        required("name", Kind::Name { upper: false }, "Its name in reports and thresholds.", "\"sustain\""),
        required("duration", Kind::Duration { min: MS, max: MONTH }, "How long it lasts.", "\"1m30s\""),
        optional(
            "rate",
            Kind::Number { min: 0.1, max: 100_000.0 },
            "",
            "Arrivals per second, all workloads together; six decimals at most.",
            "20",
        ),
        optional("ramp", Kind::Table(&RAMP), "", "From one rate to another along a line.", ""),
        optional("steps", Kind::Table(&STEPS), "", "A staircase of constant rates.", ""),
        optional("spike", Kind::Table(&SPIKE), "", "A constant rate, but for a while another.", ""),
        optional("points", Kind::Tables(&POINT), "", "Rates at given moments, joined by lines.", ""),
        optional(
            "closed",
            Kind::Integer { min: 1, max: 100_000 },
            "",
            "A capacity probe: so many iterations at once, each started when another has ended. Nothing is due, so that \
             waiting does not show.",
            "64",
        ),
        optional("pause", Kind::Boolean, "", "`true`: nothing is sent.", "true"),
        optional(
            "random",
            Kind::Boolean,
            "false",
            "`true`: a Poisson process of this rate, from the seed; else arrivals are evenly spread.",
            "true",
        ),
        optional(
            "max_arrivals",
            Kind::Integer { min: 1, max: 1_000_000_000_000 },
            "",
            "Nothing more is offered in this phase after so many arrivals; it keeps its length.",
            "1000",
        ),
        optional(
            "judged",
            Kind::Boolean,
            "the longest that is no pause",
            "Whether thresholds judge this phase; one at most. `false`: not by default.",
            "true",
        ),
        optional(
            "recovery",
            Kind::Boolean,
            "false",
            "Shown apart as the recovery after what was judged; one at most.",
            "true",
        ),
        WHY,
    ],
};

/// `[[threshold]]`.
pub(crate) static THRESHOLD: Spec = Spec {
    title: "[[threshold]]",
    about: "What must hold for the run to pass.",
    keys: &[
        required("workload", Kind::Text, "Name of the workload; `*` for each of them.", "\"api_read\""),
        required("metric", Kind::Text, "What is judged.", "\"p95(iteration)\""),
        optional(
            "op",
            Kind::Choice(&["<", "<=", ">", ">="]),
            "<=",
            "How the figure is to compare with `value`.",
            "\"<\"",
        ),
        required("value", Kind::Limit, "What it is held against.", "\"300ms\""),
        optional("phase", Kind::Text, "the judged phase", "Name of a phase; `*` for the whole run.", "\"*\""),
        optional(
            "least",
            Kind::Integer { min: 1, max: u64::MAX },
            "20 for percentiles, else 1",
            "With fewer samples it is not measured.",
            "100",
        ),
        WHY,
    ],
};

/// `[probes]`.
pub(crate) static PROBES: Spec = Spec {
    title: "[probes]",
    about: "What is read beside the load.",
    keys: &[optional("prometheus", Kind::Tables(&PROMETHEUS), "", "Endpoints in Prometheus' text format.", "")],
};

/// `[[probes.prometheus]]`.
pub(crate) static PROMETHEUS: Spec = Spec {
    title: "[[probes.prometheus]]",
    about: "An endpoint in Prometheus' text format: chosen series before, during and after the load.",
    keys: &[
        required("name", Kind::Name { upper: false }, "Its name in reports.", "\"platform\""),
        required("url", Kind::Text, "A path on the target, or a URL.", "\"/metrics\""),
        required(
            "series",
            Kind::Texts,
            "What is read: `name` or `name{label=\"value\"}`; where several fit, their sum.",
            "[\"pool_timeouts_total\"]",
        ),
        optional(
            "every",
            Kind::Duration { min: Duration::from_millis(100), max: Duration::from_mins(10) },
            "1s",
            "How often it is read during the load.",
            "\"5s\"",
        ),
    ],
};

/// Every table, in the order of the reference page.
pub(crate) static ALL: [&Spec; 15] = [
    &ROOT,
    &RUN,
    &TARGET,
    &LIMITS,
    &PLUGIN,
    &SETUP,
    &WORKLOAD,
    &PHASE,
    &RAMP,
    &STEPS,
    &SPIKE,
    &POINT,
    &THRESHOLD,
    &PROBES,
    &PROMETHEUS,
];
