//! What a threshold judges.

use std::fmt;

use serde::{Serialize, Serializer};

/// A figure of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metric {
    /// (failed + abandoned) ÷ (started − lost).
    ErrorRate,
    /// How many arrivals were never started, or which part of those offered.
    Missed,
    /// A statistic over a series of samples.
    Statistic(Statistic, Series),
}

/// How the samples of a series become one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// A percentile by nearest rank.
    Percentile(Percentile),
    /// The arithmetic mean.
    Mean,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// Above 0 and below 100, exact to a thousandth of a per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percentile(u32);

/// A series of samples of one workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Series {
    /// Iteration times.
    Iteration,
    /// Response times: of all exchanges, or of the requests of this name.
    Response(Option<String>),
    /// Service times of all exchanges.
    Service,
    /// A mark of the plugin's own. Whether the plugin has it is not known here.
    Plugin(String),
}

impl Percentile {
    /// Thousandths of a per cent: 99,900 for p99.9.
    pub fn thousandths(self) -> u32 {
        self.0
    }

    /// As a part of one: 0.999 for p99.9.
    pub fn as_part(self) -> f64 {
        f64::from(self.0) / 100_000.0
    }

    /// From its digits, such as `99.9`.
    fn parse(digits: &str) -> Option<Self> {
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(decimals) || whole.len() > 2 || decimals.len() > 3 {
            return None;
        }
        let thousandths: u32 = format!("{whole}{decimals:0<3}").parse().ok()?;
        (thousandths > 0).then_some(Self(thousandths))
    }
}

impl Metric {
    /// From its text: `error_rate`, `missed`, `p95`, `p99.9(response)`, `mean(response(agents))`, `max(first_token)`.
    /// A statistic without a series is over the iteration times. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "error_rate" => return Some(Self::ErrorRate),
            "missed" => return Some(Self::Missed),
            _ => {}
        }
        let (statistic, series) = match text.split_once('(') {
            Some((statistic, rest)) => (statistic, Series::parse(rest.strip_suffix(')')?)?),
            None => (text, Series::Iteration),
        };
        Some(Self::Statistic(Statistic::parse(statistic)?, series))
    }

    /// The least number of samples below which it is not measured, unless the threshold says otherwise.
    pub fn least(&self) -> u64 {
        match self {
            Self::Statistic(Statistic::Percentile(_), _) => 20,
            _ => 1,
        }
    }
}

impl Statistic {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "mean" => Some(Self::Mean),
            "min" => Some(Self::Min),
            "max" => Some(Self::Max),
            _ => text.strip_prefix('p').and_then(Percentile::parse).map(Self::Percentile),
        }
    }
}

impl Series {
    fn parse(text: &str) -> Option<Self> {
        let (kind, name) = match text.split_once('(') {
            Some((kind, rest)) => (kind, Some(rest.strip_suffix(')').filter(|name| !name.is_empty())?.to_owned())),
            None => (text, None),
        };
        match (kind, name) {
            ("iteration", None) => Some(Self::Iteration),
            ("response", name) => Some(Self::Response(name)),
            ("service", None) => Some(Self::Service),
            (name, None) if is_metric_name(name) => Some(Self::Plugin(name.to_owned())),
            _ => None,
        }
    }
}

/// Whether a plugin may name a metric so: 1 to 64 lower-case letters, digits and `_`.
fn is_metric_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(allowed)
}

impl fmt::Display for Metric {
    /// As [`Metric::parse`] reads it, the series always named.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ErrorRate => formatter.write_str("error_rate"),
            Self::Missed => formatter.write_str("missed"),
            Self::Statistic(statistic, series) => write!(formatter, "{statistic}({series})"),
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percentile(percentile) => write!(formatter, "{percentile}"),
            Self::Mean => formatter.write_str("mean"),
            Self::Min => formatter.write_str("min"),
            Self::Max => formatter.write_str("max"),
        }
    }
}

impl fmt::Display for Percentile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("p{}.{:03}", self.0 / 1_000, self.0 % 1_000);
        formatter.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl fmt::Display for Series {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iteration => formatter.write_str("iteration"),
            Self::Response(None) => formatter.write_str("response"),
            Self::Response(Some(name)) => write!(formatter, "response({name})"),
            Self::Service => formatter.write_str("service"),
            Self::Plugin(name) => formatter.write_str(name),
        }
    }
}

impl Serialize for Metric {
    /// As its text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
