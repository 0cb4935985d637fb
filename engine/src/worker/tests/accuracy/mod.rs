//! Each pathology of a target or a generator implies percentiles: the report must show them. What is expected comes from
//! a model of its own, a closed form or a few lines over the due times, then a sort and nearest ranks.
//!
//! Everything is in whole milliseconds, to which tokio's timers are true, so that up to 10,000 samples are compared to
//! the nanosecond; beyond that to the width of the histogram's buckets.

mod closed;
mod failures;
mod generator;
mod queues;
mod speeds;
mod stalls;
mod stops;
mod views;

use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{MS, Ran, Rig, SECOND, constant, gets, run_rig, settings};
use crate::client::tests::kit::{Memory, OK, Peer};
use crate::record::{Percentile, Recorder};
use crate::report::tests::support::about;
use crate::report::{About, Run, RunResult, Summary, Times, WorkloadResult, build, markdown};
use crate::schedule::Stretch;
use crate::verdict::{
    ConnectionCap, Evidence, InFlightCap, Inputs, Measure, Op, Scope, Statistic, Threshold, TimeSeries, judge,
};

/// One worker with GETs of the built-in plugin and no bounds that matter.
fn rig(stretches: Vec<Stretch>) -> Rig {
    Rig {
        stretches,
        workloads: vec![(1.0, gets())],
        workers: 1,
        client: settings("http://test"),
        in_flight: 10_000,
        drain: 60 * SECOND,
        stop: None,
        books: None,
        wake_gap: Duration::from_micros(250),
        absences: Vec::new(),
    }
}

/// One phase at a constant rate.
fn steady(per_second: u32, length: Duration) -> Rig {
    rig(vec![constant(f64::from(per_second), length)])
}

/// When the arrivals of `steady` are due: evenly spaced from the start on, none at the end.
fn due(per_second: u32, length: Duration) -> impl Iterator<Item = Duration> + Clone {
    let gap = SECOND / per_second;
    (0..).map(move |k| k * gap).take_while(move |due| *due < length)
}

/// From one moment to a later one.
fn since(later: Duration, earlier: Duration) -> Duration {
    later.checked_sub(earlier).expect("it is the later one")
}

/// A request as a target sees it.
struct Asked<'a> {
    /// From the first request of all; where arrivals are due from the start on, from the start of the schedule.
    at: Duration,
    /// Its number among the requests of all connections, from 0.
    number: usize,
    head: &'a str,
}

/// What a target does with a request.
enum Reply {
    /// Is right after that long.
    Ok(Duration),
    /// The same with a 503.
    Unavailable(Duration),
    /// The same as `Ok` by a connection that closes after it.
    LastOk(Duration),
    /// The right answer, a byte each time this long has gone by.
    Dribble(Duration),
    /// Ends the connection after that long, without an answer.
    HangUp(Duration),
    Never,
}

/// A target that decides on each request by itself.
fn target(reply: impl Fn(&Asked<'_>) -> Reply + 'static) -> Rc<Memory> {
    let begun = Rc::new(OnceCell::new());
    let seen = Rc::new(Cell::new(0));
    let reply = Rc::new(reply);
    Memory::new(move |_, mut peer: Peer| {
        let (begun, seen, reply) = (Rc::clone(&begun), Rc::clone(&seen), Rc::clone(&reply));
        async move {
            loop {
                let head = peer.request().await;
                if head.is_empty() {
                    return;
                }
                let begun: &Instant = begun.get_or_init(Instant::now);
                let asked = Asked { at: begun.elapsed(), number: seen.replace(seen.get() + 1), head: &head };
                match reply(&asked) {
                    Reply::Ok(after) => {
                        sleep(after).await;
                        peer.send(OK).await;
                    }
                    Reply::Unavailable(after) => {
                        sleep(after).await;
                        peer.send("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n").await;
                    }
                    Reply::LastOk(after) => {
                        sleep(after).await;
                        peer.send("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok").await;
                        return;
                    }
                    Reply::Dribble(gap) => {
                        for byte in OK.bytes() {
                            sleep(gap).await;
                            peer.send([byte]).await;
                        }
                    }
                    Reply::HangUp(after) => return sleep(after).await,
                    Reply::Never => return peer.closed().await,
                }
            }
        }
    })
}

/// Times as a model has them, in nanoseconds and rising.
struct Expected(Vec<u64>);

impl Expected {
    fn of(times: impl IntoIterator<Item = Duration>) -> Self {
        let mut times: Vec<u64> =
            times.into_iter().map(|time| u64::try_from(time.as_nanos()).expect("short")).collect();
        times.sort_unstable();
        Self(times)
    }

    /// The ⌈percent ÷ 100 × n⌉-th smallest.
    fn percentile(&self, percent: usize) -> u64 {
        self.0[(percent * self.0.len()).div_ceil(100) - 1]
    }

    /// A series of the report has these times and no others.
    #[track_caller]
    fn assert(&self, series: &str, shown: &Summary) {
        let exact = self.0.len() <= 10_000;
        assert_eq!((shown.count, shown.exact), (self.0.len() as u64, exact), "{series}");
        let ms = |ns: u64| Some(ns as f64 / 1e6);
        let sum: u64 = self.0.iter().sum();
        assert_eq!(shown.min_ms, ms(self.0[0]), "min of {series}");
        assert_eq!(shown.max_ms, ms(self.0[self.0.len() - 1]), "max of {series}");
        assert_eq!(shown.mean_ms, Some(sum as f64 / self.0.len() as f64 / 1e6), "mean of {series}");
        for (percent, shown) in [(50, shown.p50_ms), (90, shown.p90_ms), (95, shown.p95_ms), (99, shown.p99_ms)] {
            let expected = self.percentile(percent);
            if exact {
                assert_eq!(shown, ms(expected), "p{percent} of {series}");
            } else {
                let shown = shown.expect("a percentile") * 1e6;
                let past = shown - expected as f64;
                assert!(
                    (0.0..bucket_width(expected)).contains(&past),
                    "p{percent} of {series}: {shown} for {expected}"
                );
            }
        }
    }
}

/// The width of the bucket that holds a value: of three significant digits there are 1,024 buckets or more between a
/// power of two and the next.
fn bucket_width(value: u64) -> f64 {
    f64::from(value.max(1).ilog2().saturating_sub(10)).exp2()
}

/// All times alike.
fn all(count: usize, time: Duration) -> Expected {
    Expected::of(std::iter::repeat_n(time, count))
}

/// What is judged, besides that nothing is missed and something is right.
#[derive(Default)]
struct Judged<'a> {
    phase: usize,
    thresholds: &'a [Threshold],
}

/// A run with its report.
struct Told {
    ran: Ran,
    recorder: Recorder,
    /// As it is read back from its JSON.
    result: RunResult,
    /// As text.
    text: String,
}

impl Told {
    /// The only workload, over the whole run.
    fn workload(&self) -> &WorkloadResult {
        &self.result.whole.workloads[0]
    }

    /// Its times over the whole run.
    fn times(&self) -> &Times {
        &self.workload().times
    }
}

/// A percentile of the iteration times is at most that many milliseconds.
fn at_most(percentile: Percentile, limit: f64) -> Threshold {
    Threshold {
        workload: Some(0),
        scope: Scope::Judged,
        measure: Measure::Time(TimeSeries::Iteration, Statistic::Percentile(percentile)),
        op: Op::AtMost,
        limit,
        least: None,
        why: None,
    }
}

/// Runs workers against a target, and reports.
fn report(rig: Rig, network: &Rc<Memory>) -> Told {
    judged(rig, network, &Judged::default())
}

/// The same, with thresholds.
fn judged(rig: Rig, network: &Rc<Memory>, judged: &Judged<'_>) -> Told {
    let connections = rig.client.connections;
    let cap = rig.in_flight as u64;
    let stopped_at_s = rig.stop.map(|(after, _)| after.as_secs_f64());
    let phases = rig.phases();
    let workloads: Vec<String> = (0..rig.workloads.len()).map(|workload| format!("workload-{workload}")).collect();
    let (ran, recorder) = run_rig(rig, network);
    let capped = connections < 10_000;
    let evidence = Evidence {
        connection_cap: Some(if capped { ConnectionCap::At(connections as u64) } else { ConnectionCap::Unlimited }),
        ..Evidence::default()
    };
    let inputs = Inputs {
        recorder: &recorder,
        workloads: &workloads,
        phases: &phases,
        plugins: &[],
        judged: judged.phase,
        thresholds: judged.thresholds,
        in_flight: InFlightCap { cap, default: cap },
        wake_gap: Duration::from_micros(250),
        evidence: &evidence,
        interrupted: stopped_at_s.is_some(),
        plugin_faults: false,
    };
    let run = Run {
        schedule_s: ran.schedule.length_ns() as f64 / 1e9,
        took_s: ran.took.as_secs_f64(),
        stopped_at_s,
        plugins: Vec::new(),
        mix: Vec::new(),
        phases: Vec::new(),
        ..about().run
    };
    let about = About {
        run,
        setup: Vec::new(),
        recovery: None,
        plugin_traps: Vec::new(),
        probes: Vec::new(),
        notes: Vec::new(),
    };
    let built = build(about, &inputs, judge(&inputs));
    let json = serde_json::to_string(&built).expect("it can be written");
    let result = serde_json::from_str(&json).expect("it can be read");
    assert_eq!(built, result, "JSON keeps all of it");
    let text = markdown(&result).expect("it can be rendered");
    Told { ran, recorder, result, text }
}
