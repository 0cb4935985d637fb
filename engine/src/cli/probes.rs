//! `[probes]`: read on the main thread, beside the load.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::client::{self, Tls, TlsFiles};
use crate::clock::{Clock, Monotonic, Time};
use crate::probe::{self, Probe, Readings, Sample, Selector, Watching};
use crate::report::{ProbeFailure, ProbeResult, ProbeSample, ProbeSeries};
use crate::scenario::{Fault, Plan, ProbeUrl, code};

use super::exit::{Exit, Failure};
use super::prepare::{self, Target};

/// All probes of a run.
pub(super) struct Probes {
    watching: Vec<Watching>,
    t0: Rc<Cell<Option<Time>>>,
}

/// The series of each probe.
///
/// # Errors
/// Those that are not written as one, each with its place.
pub(super) fn selectors(plan: &Plan) -> Result<Vec<Vec<Selector>>, Failure> {
    let mut faults = Vec::new();
    let mut all = Vec::new();
    for probe in &plan.probes {
        let mut selectors = Vec::new();
        for (text, span) in probe.series.iter().zip(&probe.spans) {
            match text.parse() {
                Ok(selector) => selectors.push(selector),
                Err(error) => {
                    let error: probe::BadSelector = error;
                    faults.push(Fault::new(code::PROBE_BAD_SERIES, error.to_string()).at(*span, "not one"));
                }
            }
        }
        all.push(selectors);
    }
    if faults.is_empty() { Ok(all) } else { Err(prepare::refused(&plan.faults(faults), Exit::Usage)) }
}

/// Reads each probe for the first time, and goes on reading. What cannot be read is told at once and kept for the report.
///
/// # Errors
/// As [`selectors`]; or where TLS cannot be had.
pub(super) async fn start(plan: &Plan, target: &Target, clock: Monotonic) -> Result<Probes, Failure> {
    let t0 = Rc::new(Cell::new(None));
    let mut watching = Vec::new();
    for (entry, series) in plan.probes.iter().zip(selectors(plan)?) {
        let (client, path) = match &entry.url {
            ProbeUrl::Target(path) => ((*target.clients[0]).clone(), path.clone()),
            ProbeUrl::Elsewhere(url) => {
                let path = if url.path.is_empty() { "/".to_owned() } else { url.path.clone() };
                let origin = format!("{}://{}", if url.tls { "https" } else { "http" }, url.authority());
                let failed = |error: &dyn std::fmt::Display| {
                    Failure::new(Exit::Usage, format!("error: probe `{}`: {error}", entry.name))
                };
                let origin = origin.parse().map_err(|error: client::TargetError| failed(&error))?;
                let files = TlsFiles { ca: plan.target.ca.iter().cloned().collect(), ..TlsFiles::default() };
                (client::Settings::new(origin, Tls::load(&files).map_err(|error| failed(&error))?), path)
            }
        };
        let probe = Probe {
            name: entry.name.clone(),
            client: Arc::new(client::Settings { connections: 1, ..client }),
            path,
            series,
            every: entry.every,
        };
        let clock: Rc<dyn Clock> = Rc::new(clock);
        watching.push(probe::watch(probe, clock, Rc::clone(&t0)).await);
    }
    Ok(Probes { watching, t0 })
}

impl Probes {
    /// The schedule has started.
    pub(super) fn started(&self, t0: Time) {
        self.t0.set(Some(t0));
    }

    /// A last reading of each, and all that was read.
    pub(super) async fn finish(self, plan: &Plan) -> Vec<ProbeResult> {
        let mut results = Vec::new();
        for watching in self.watching {
            let (name, series, readings) = watching.finish().await;
            results.push(result(plan, name, series, &readings));
        }
        results
    }
}

fn result(plan: &Plan, probe: String, series: Vec<String>, readings: &Readings) -> ProbeResult {
    let sample = |sample: &Sample| ProbeSample { at_s: sample.at.as_secs_f64(), value: sample.value };
    ProbeResult {
        probe,
        readings: readings.read,
        failures: readings
            .failures
            .iter()
            .map(|(failure, count)| ProbeFailure { failure: failure.clone(), count: *count })
            .collect(),
        series: series
            .into_iter()
            .zip(&readings.series)
            .map(|(series, read)| ProbeSeries {
                series,
                before: read.before,
                peak: read.peak.as_ref().map(sample),
                peak_phase: read.peak.map(|peak| {
                    plan.phases
                        .iter()
                        .find(|phase| peak.at < phase.end())
                        .map_or_else(|| "drain".to_owned(), |phase| phase.name.clone())
                }),
                after: read.after,
                samples: read.samples.iter().map(sample).collect(),
            })
            .collect(),
    }
}
