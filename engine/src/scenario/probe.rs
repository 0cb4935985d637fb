//! `[probes]`: what is read beside the load.

use std::time::Duration;

use serde::Serialize;

use super::code;
use super::fault::Fault;
use super::reader::Reader;
use super::source::Span;
use super::target::BaseUrl;
use super::units;

/// How often a probe is read where nothing is said.
const EVERY: Duration = Duration::from_secs(1);

/// A Prometheus endpoint, read before, during and after the load.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PrometheusProbe {
    /// Its name in reports.
    pub name: String,
    /// Where it is.
    pub url: ProbeUrl,
    /// The series to read, each `name` or `name{label="value"}`.
    pub series: Vec<String>,
    /// How often it is read during the load.
    #[serde(rename = "every_s", serialize_with = "units::seconds")]
    pub every: Duration,
    /// Where each series stands.
    #[serde(skip)]
    pub spans: Vec<Span>,
}

/// Where a probe is.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ProbeUrl {
    /// A path on the target.
    Target(String),
    /// Somewhere else; the path of the URL is the whole path.
    Elsewhere(BaseUrl),
}

/// Reads `[probes]`.
pub(super) fn read(reader: Reader<'_>) -> Vec<PrometheusProbe> {
    let probes = reader.tables("prometheus");
    super::reader::check_unique(&probes, code::PROBE_DUPLICATE, "probes");
    reader.finish();
    probes.into_iter().filter_map(one).collect()
}

fn one(reader: Reader<'_>) -> Option<PrometheusProbe> {
    let name = reader.name("name");
    let url = reader.text("url").and_then(|url| match url.value.value.strip_prefix('/') {
        Some(_) => Some(ProbeUrl::Target(url.value.value.clone())),
        None => match BaseUrl::parse(&url.value.value) {
            Ok(base) => Some(ProbeUrl::Elsewhere(base)),
            Err((message, hint)) => {
                let hint = format!("a path on the target, such as \"/metrics\", or a URL: {hint}");
                reader.note(Fault::new(code::PROBE_BAD_URL, message).at(url.span, "this URL").hint(hint));
                None
            }
        },
    });
    let series = reader.texts("series");
    let every = reader.duration("every").map_or(EVERY, |every| every.value);
    reader.finish();
    let series = series?;
    Some(PrometheusProbe {
        name: name?.value,
        url: url?,
        every,
        spans: series.iter().map(|series| series.span).collect(),
        series: series.into_iter().map(|series| series.value.value.clone()).collect(),
    })
}
