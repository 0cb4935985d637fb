//! Workers on virtual time against any network: the rig of the worker's tests and of the fuzz targets.
//!
//! All of a run that wants no thread and no machine is the real thing: schedule, shares, drivers, cores, clients, plugins,
//! recorders and the cap they share. Each worker is a task of one thread, so that all have one clock, and what they do is
//! the same every time.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::books::Desk;
use crate::client::{self, Connect};
use crate::clock::{Clock, Time, Virtual};
use crate::record::{Layout, Recorder, Span};
use crate::schedule::{Mix, Profile, Schedule, Stretch, Weight, Whole};

use super::books::{self, Books};
use super::control::{Control, Stop};
use super::core::{Core, Parts};
use super::crew::{WorkloadSettings, assemble_core, jobs};
use super::drive::{Driver, Offer};
use super::layout::metrics_of;
use super::pace::{Pacer, TokioPacer};
use super::slots::Slots;
use super::words::Notice;

/// The seed of all its runs.
const SEED: u64 = 42;

/// What is run, and under which limits.
pub(super) struct Rig {
    /// The phases.
    pub(super) stretches: Vec<Stretch>,
    /// The mix: each workload with its share.
    pub(super) workloads: Vec<(f64, WorkloadSettings)>,
    pub(super) workers: u32,
    /// The settings of each worker's client.
    pub(super) client: client::Settings,
    /// The cap on iterations in flight of all workers together.
    pub(super) in_flight: usize,
    pub(super) drain: Duration,
    /// The least time between two wakes for arrivals.
    pub(super) wake_gap: Duration,
    /// Offering is stopped then.
    pub(super) stop: Option<(Duration, Stop)>,
    /// Where each exchange is noted.
    pub(super) books: Option<Desk>,
    /// When the loop of a worker does not come round: what it should wake for in that time it wakes for at its end.
    pub(super) absences: Vec<(u32, Range<Duration>)>,
}

/// What is left of the workers.
pub(super) struct Ran {
    pub(super) schedule: Schedule,
    /// Which phases are closed.
    closed: Vec<bool>,
    pub(super) workers: Vec<Left>,
    pub(super) slots: Arc<Slots>,
    /// What a person is told meanwhile.
    #[cfg_attr(not(test), expect(dead_code, reason = "fuzz targets do not ask"))]
    pub(super) notices: Vec<Notice>,
    /// From the start of the schedule to the end of the last worker's drain.
    #[cfg_attr(not(test), expect(dead_code, reason = "fuzz targets do not ask"))]
    pub(super) took: Duration,
}

/// What is left of one worker.
pub(super) struct Left {
    pub(super) core: Rc<RefCell<Core>>,
    /// Arrivals that fell due, by phase and workload (`phase × workloads + workload`).
    pub(super) taken: Vec<u64>,
}

impl Rig {
    /// Names of the phases, by position.
    pub(super) fn phases(&self) -> Vec<String> {
        (0..self.stretches.len()).map(|phase| format!("phase-{phase}")).collect()
    }

    /// When what is due.
    pub(super) fn schedule(&self) -> Schedule {
        let weights: Vec<_> =
            self.workloads.iter().map(|&(share, _)| Weight::new(share).expect("a share above 0")).collect();
        let mix = Mix::new(&weights).expect("a workload");
        Schedule::new(&self.stretches, mix, &Whole::default()).expect("a schedule")
    }

    /// The shape of what is recorded.
    fn layout(&self, schedule: &Schedule, t0: Time) -> Layout {
        let bounds = (0..self.stretches.len()).filter_map(|phase| schedule.phase_bounds_ns(phase));
        Layout {
            t0,
            workloads: self.workloads.iter().map(|(_, workload)| metrics_of(&workload.plugin)).collect(),
            phases: bounds.map(|(start, end)| Span { start, end }).collect(),
            plugins: 1 + self.workloads.iter().map(|(_, workload)| workload.plugin_position).max().unwrap_or(0),
        }
    }

    /// Runs it to its end. To be called on a paused tokio runtime, within a `LocalSet`.
    pub(super) async fn run(self, network: Rc<dyn Connect>) -> Ran {
        let schedule = self.schedule();
        let clock: Rc<dyn Clock> = Rc::new(Virtual::start());
        let t0 = clock.now();
        let layout = Arc::new(self.layout(&schedule, t0));
        let phases: Arc<[String]> = self.phases().into();
        let slots = Arc::new(Slots::new(self.in_flight));
        let control = Arc::new(Control::new(self.workers as usize));
        let client = Arc::new(self.client);
        let (notices, heard) = mpsc::channel();
        let mut running = Vec::new();
        for worker in 0..self.workers {
            let core = assemble_core(Rc::clone(&clock), Arc::clone(&client), Rc::clone(&network), |client| Parts {
                clock: Rc::clone(&clock),
                client,
                recorder: Recorder::new(Arc::clone(&layout), worker),
                listener: None,
                books: self.books.as_ref().map(|desk| Box::new(Books::new(desk.pen(), worker))),
                workloads: self.workloads.iter().map(|(_, workload)| workload.prepare(None)).collect(),
                phases: Arc::clone(&phases),
                slots: Arc::clone(&slots),
                notices: notices.clone(),
                t0,
                wall_t0: 0,
            });
            let offer = Offer {
                source: jobs(schedule.share(worker, self.workers), SEED, t0),
                closed: schedule.closed_share(worker, self.workers),
                seed: SEED,
                end: t0 + Duration::from_nanos(schedule.length_ns()),
                tolerance: Duration::from_millis(50),
                wake_gap: self.wake_gap,
                drain: self.drain,
            };
            let absences = self.absences.iter().filter(|(absent, _)| *absent == worker);
            let pacer = Box::new(Oversleeping {
                pacer: TokioPacer::new(Rc::clone(&clock)),
                absences: absences.map(|(_, absence)| t0 + absence.start..t0 + absence.end).collect(),
            });
            let driver = Driver::new(Rc::clone(&core), pacer, Arc::clone(&control), worker as usize, offer);
            let kept = Rc::clone(&core);
            let ran = async move {
                let done = driver.run().await;
                books::finish(&kept).await;
                done
            };
            running.push((core, tokio::task::spawn_local(ran)));
        }
        if let Some((after, how)) = self.stop {
            tokio::task::spawn_local(async move {
                tokio::time::sleep(after).await;
                control.stop(how);
            });
        }
        let closed = |stretch: &Stretch| matches!(stretch.profile, Profile::Closed { .. });
        let closed = self.stretches.iter().map(closed).collect();
        let mut workers = Vec::new();
        for (core, driver) in running {
            let taken = driver.await.expect("the worker does not panic").taken;
            workers.push(Left { core, taken });
        }
        Ran { schedule, closed, workers, slots, notices: heard.try_iter().collect(), took: clock.now() - t0 }
    }
}

impl Ran {
    /// Arrivals that fell due.
    pub(super) fn taken(&self) -> u64 {
        self.workers.iter().flat_map(|left| &left.taken).sum()
    }

    /// What all workers recorded, with what was planned and not offered: as a run puts it together for its report.
    pub(super) fn recorder(&self) -> Recorder {
        let mut workers = self.workers.iter();
        let mut merged = workers.next().expect("a worker").core.borrow().recorder.clone();
        workers.for_each(|left| merged.merge(&left.core.borrow().recorder));
        let (phases, workloads) = (merged.layout().phases.len(), merged.layout().workloads.len());
        let counts = self.schedule.counts();
        for phase in 0..phases {
            for workload in 0..workloads {
                let taken: u64 = self.workers.iter().map(|left| left.taken[phase * workloads + workload]).sum();
                // Of a closed phase the plan is what came of it.
                let planned = if self.closed[phase] { taken } else { counts.cell(phase, workload) };
                merged.planned(workload, phase, planned);
                merged.not_offered(workload, phase, planned - taken);
            }
        }
        merged
    }
}

/// A pacer that wakes late where its worker is absent.
struct Oversleeping {
    pacer: TokioPacer,
    absences: Vec<Range<Time>>,
}

impl Pacer for Oversleeping {
    fn arm(&mut self, at: Time) {
        let absence = self.absences.iter().find(|absence| absence.contains(&at));
        self.pacer.arm(absence.map_or(at, |absence| absence.end));
    }

    fn poll_wake(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.pacer.poll_wake(context)
    }
}
