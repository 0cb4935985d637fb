//! Watching a run from beside it: progress, notices, signals, and what is read of the machine meanwhile.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::clock::{Clock, Monotonic, Time};
use crate::report::Mask;
use crate::scenario::Plan;
use crate::worker::{Control, Crew, Notice, Stop};

use super::exit::Exit;
use super::progress::Progress;
use super::signals::Signals;
use super::{machine, output};

/// Watches a run: progress, notices, signals.
pub(super) struct Watch<'a> {
    pub(super) plan: &'a Plan,
    pub(super) clock: Monotonic,
    pub(super) control: &'a Control,
    pub(super) progress: &'a Progress,
    pub(super) heard: &'a Receiver<Notice>,
    pub(super) mask: &'a Mask,
    pub(super) t0: Time,
}

/// What was seen.
pub(super) struct Watched {
    pub(super) signal: Option<Exit>,
    /// When offering was stopped, from the start of the schedule.
    pub(super) stopped_at: Option<Duration>,
    /// The most descriptors seen open.
    pub(super) descriptors: Option<u64>,
    /// For how long the control group had been held back when the judged phase began, and when it ended.
    throttled: Vec<Option<u64>>,
}

impl Watched {
    /// For how long the control group was held back in the judged phase; none where that never began, or it cannot be read.
    pub(super) fn throttled_ns(&self) -> Option<u64> {
        let [Some(before), Some(after)] = self.throttled[..] else { return None };
        Some(after.saturating_sub(before))
    }
}

impl Watch<'_> {
    pub(super) async fn until_ended(&self, crew: &mut Crew, signals: &mut Signals) -> Watched {
        let descriptors = machine::open_descriptors();
        let mut watched = Watched { signal: None, stopped_at: None, descriptors, throttled: Vec::new() };
        let judged = &self.plan.phases[usize::from(self.plan.judged)];
        let edges =
            [judged.start, judged.end()].map(|at| tokio::time::Instant::now() + (self.t0 + at - self.clock.now()));
        let edge = tokio::time::sleep_until(edges[0]);
        tokio::pin!(edge);
        let mut second =
            tokio::time::interval_at(tokio::time::Instant::now() + Duration::from_secs(1), Duration::from_secs(1));
        loop {
            tokio::select! {
                () = crew.ended() => break,
                _ = second.tick() => self.look(&mut watched),
                () = &mut edge, if watched.throttled.len() < edges.len() => {
                    watched.throttled.push(machine::throttled_ns());
                    edge.as_mut().reset(edges[1]);
                }
                signal = signals.next() => self.stop(&mut watched, signal),
            }
        }
        if watched.throttled.len() == 1 {
            // Stopped within it.
            watched.throttled.push(machine::throttled_ns());
        }
        self.tell_notices();
        // A plugin that is beyond help stops the run by itself.
        if self.control.stopped() > Stop::No && watched.stopped_at.is_none() {
            watched.stopped_at = Some((self.clock.now() - self.t0).min(self.plan.duration()));
        }
        watched
    }

    fn look(&self, watched: &mut Watched) {
        watched.descriptors = watched.descriptors.max(machine::open_descriptors());
        self.tell_notices();
        let stopping = self.control.stopped() > Stop::No;
        if stopping && watched.stopped_at.is_none() {
            watched.stopped_at = Some(self.clock.now() - self.t0);
        }
        self.progress.show(self.clock.now() - self.t0, &self.control.look(), stopping);
    }

    fn stop(&self, watched: &mut Watched, signal: Exit) {
        let now = self.clock.now() - self.t0;
        if watched.signal.is_none() {
            watched.signal = Some(signal);
            watched.stopped_at.get_or_insert(now.min(self.plan.duration()));
            self.control.stop(Stop::Drain);
            self.progress
                .say("stopping: nothing more is offered; waiting for what is in flight (again: wait for nothing)");
        } else {
            self.control.stop(Stop::Now);
        }
    }

    fn tell_notices(&self) {
        for notice in self.heard.try_iter() {
            let name = |workload: usize| &self.plan.workloads[workload].name;
            let text = match &notice {
                Notice::Fault { workload, reason, text } => format!("{}: {reason}: {text}", name(*workload)),
                Notice::Log { workload, level, text } => format!("{}: {level}: {text}", name(*workload)),
            };
            self.progress.say(&output::printable(&self.mask.apply(&text)));
        }
    }
}
