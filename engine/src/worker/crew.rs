//! The workers of a run: a thread each, made ready, started together, gathered at the end.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::LocalSet;

use crate::books::Desk;
use crate::client::{self, Client, Connect, Network, Timeouts, Usage};
use crate::clock::{Clock, Monotonic, Time};
use crate::plugin::{Plugin, Refused};
use crate::record::{Layout, Recorder};
use crate::schedule::{Schedule, Share};

use super::books::{self, Books};
use super::control::Control;
use super::core::{Core, Parts, Workload};
use super::drive::{Driven, Driver, Offer};
use super::flight::Job;
use super::hear::Ears;
use super::instances::{Instances, Isolation};
use super::pace;
use super::slots::Slots;
use super::words::Notice;

/// A workload, as workers need it.
#[derive(Clone)]
pub struct WorkloadSettings {
    /// Its plugin.
    pub plugin: Arc<Plugin>,
    /// Position of the plugin among the run's plugins.
    pub plugin_position: usize,
    /// Its configuration as JSON.
    pub config: Arc<str>,
    /// Limits on its exchanges where a request does not say otherwise.
    pub timeouts: Timeouts,
    /// The longest an iteration may take from its start.
    pub iteration_timeout: Duration,
    /// Redirects to follow where a request does not say.
    pub redirects: u32,
    /// Whether its iterations share instances.
    pub isolation: Isolation,
    /// Instances a worker keeps.
    pub instances: usize,
    /// Iterations after which an instance is replaced.
    pub iterations: u64,
}

impl WorkloadSettings {
    /// Makes an instance of the plugin with this configuration, as before a run, and lets go of it.
    ///
    /// # Errors
    /// The plugin's refusal, or its fault.
    pub fn try_configure(&self) -> Result<(), Refused> {
        self.prepare(None).instances.warm_up()
    }

    /// Its runtime side, without an instance yet.
    pub(super) fn prepare(&self, shared: Option<&Arc<str>>) -> Workload {
        Workload {
            instances: Instances::new(
                Arc::clone(&self.plugin),
                Arc::clone(&self.config),
                shared.cloned(),
                self.isolation,
                self.instances,
                self.iterations,
            ),
            timeouts: self.timeouts,
            iteration_timeout: self.iteration_timeout,
            redirects: self.redirects,
            metrics: self.plugin.description.metrics.iter().map(|metric| metric.kind).collect(),
            plugin: self.plugin_position,
            held: self.plugin.limits().string,
        }
    }
}

/// What all workers of a run are given.
pub struct Settings {
    /// How many workers, at least 1.
    pub workers: usize,
    /// The workloads, in the order of the schedule's.
    pub workloads: Vec<WorkloadSettings>,
    /// Names of the phases.
    pub phases: Arc<[String]>,
    /// When what is due.
    pub schedule: Arc<Schedule>,
    /// Seeds each arrival, with its sequence.
    pub seed: u64,
    /// The shape of what is recorded; its `t0` is set when the run starts.
    pub layout: Layout,
    /// For each worker, the client's settings: its part of the connection cap is its own.
    pub clients: Vec<Arc<client::Settings>>,
    /// The in-flight cap.
    pub in_flight: usize,
    /// How late an arrival may start.
    pub tolerance: Duration,
    /// The least time between two wakes of a worker for arrivals.
    pub wake_gap: Duration,
    /// How long what is in flight is waited for at the end.
    pub drain: Duration,
    /// What setup has shared, as JSON.
    pub shared: Option<Arc<str>>,
    /// Connections each worker opens before the start.
    pub warm_connections: usize,
    /// Where each exchange and arrival is noted, if that was asked for.
    pub books: Option<Desk>,
}

/// Why a worker could not be made ready.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NotReady {
    /// The target cannot be reached.
    #[error("{}: {}", .0.reason.as_str(), .0.detail)]
    Target(client::Failure),
    /// A plugin refused its configuration, or trapped on it.
    #[error("{error}")]
    Plugin {
        /// Position of the workload.
        workload: usize,
        /// The plugin's words.
        error: Refused,
    },
    /// The operating system has no timer, thread or event queue left.
    #[error("{0}")]
    System(String),
}

/// What a worker gives back.
pub struct Done {
    /// All it recorded.
    pub recorder: Recorder,
    /// What plugins' faults said, by workload and reason, with how often.
    pub faults: BTreeMap<(usize, &'static str, String), u64>,
    /// Log lines of plugins that were not passed on.
    pub log_dropped: u64,
    /// CPU time of its thread in each second of the run.
    pub cpu: Vec<Duration>,
    /// How many arrivals of its share fell due before the end or a stop, by phase and workload (`phase × workloads +
    /// workload`).
    pub taken: Vec<u64>,
    /// What its connections were like.
    pub usage: Usage,
    /// A workload whose plugin faulted over and over.
    pub hopeless: Option<usize>,
}

/// When the run starts.
#[derive(Clone)]
struct Start {
    t0: Time,
    wall_t0: u64,
    layout: Arc<Layout>,
}

/// The workers of a run, ready to start.
pub struct Crew {
    clock: Monotonic,
    settings: Arc<Settings>,
    starts: Vec<oneshot::Sender<Start>>,
    threads: Vec<JoinHandle<Result<Done, NotReady>>>,
    /// Closed when the last worker has ended.
    ended: mpsc::Receiver<()>,
}

/// Time between the start signal and the first due time, in which every worker arrives at its timer.
const LEAD: Duration = Duration::from_millis(20);
/// How many tasks a worker's runtime serves before it looks at sockets and timers again. tokio's 61 would let a burst of
/// answers hold up what is due.
const EVENT_INTERVAL: u32 = 13;

impl Crew {
    /// Starts the threads and makes them ready: plugins instantiated and configured, connections open.
    ///
    /// # Errors
    /// Why the first worker that could not be made ready could not.
    pub async fn assemble(
        settings: Settings,
        clock: Monotonic,
        control: &Arc<Control>,
        notices: &Sender<Notice>,
    ) -> Result<Self, NotReady> {
        let settings = Arc::new(settings);
        let slots = Arc::new(Slots::new(settings.in_flight));
        let (ended_sender, ended) = mpsc::channel(1);
        let mut crew = Self { clock, settings: Arc::clone(&settings), starts: Vec::new(), threads: Vec::new(), ended };
        let mut ready = Vec::new();
        for number in 0..settings.workers {
            let (start_sender, start) = oneshot::channel();
            let (ready_sender, ready_receiver) = oneshot::channel();
            let post = Post {
                number,
                clock,
                settings: Arc::clone(&settings),
                slots: Arc::clone(&slots),
                control: Arc::clone(control),
                notices: notices.clone(),
                start,
                ready: ready_sender,
                _ended: ended_sender.clone(),
            };
            let thread = std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || post.man());
            crew.threads.push(thread.map_err(|error| NotReady::System(format!("no thread for a worker: {error}")))?);
            crew.starts.push(start_sender);
            ready.push(ready_receiver);
        }
        for receiver in ready {
            if receiver.await.is_err() {
                // The worker has given up; its thread says why.
                return Err(crew.why_not());
            }
        }
        Ok(crew)
    }

    /// Why a worker gave up before the start.
    fn why_not(self) -> NotReady {
        drop(self.starts);
        let mut ends = self.threads.into_iter().map(JoinHandle::join);
        ends.find_map(|end| match end {
            Ok(result) => result.err(),
            Err(_) => Some(NotReady::System("a worker panicked".into())),
        })
        .unwrap_or_else(|| NotReady::System("a worker gave up without a reason".into()))
    }

    /// Starts the schedule. Gives its first moment, on the run's clock and in nanoseconds since the Unix epoch.
    pub fn start(&mut self) -> (Time, u64) {
        let t0 = self.clock.now() + LEAD;
        let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default() + LEAD;
        let wall_t0 = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
        let layout = Arc::new(Layout { t0, ..self.settings.layout.clone() });
        for start in self.starts.drain(..) {
            // A worker that is gone says why when it is gathered.
            let _ = start.send(Start { t0, wall_t0, layout: Arc::clone(&layout) });
        }
        (t0, wall_t0)
    }

    /// Waits until every worker has ended.
    pub async fn ended(&mut self) {
        while self.ended.recv().await.is_some() {}
    }

    /// Gathers what the workers recorded.
    ///
    /// # Errors
    /// Where a worker could not do its work, or panicked.
    pub fn gather(self) -> Result<Vec<Done>, NotReady> {
        drop(self.starts);
        self.threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(NotReady::System("a worker panicked".into()))))
            .collect()
    }
}

/// What one worker's thread is given.
struct Post {
    number: usize,
    clock: Monotonic,
    settings: Arc<Settings>,
    slots: Arc<Slots>,
    control: Arc<Control>,
    notices: Sender<Notice>,
    start: oneshot::Receiver<Start>,
    ready: oneshot::Sender<()>,
    /// Dropped when the thread ends.
    _ended: mpsc::Sender<()>,
}

impl Post {
    /// The worker's thread, from its runtime to its record.
    fn man(self) -> Result<Done, NotReady> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .event_interval(EVENT_INTERVAL)
            .build()
            .map_err(|error| NotReady::System(format!("no event queue for a worker: {error}")))?;
        LocalSet::new().block_on(&runtime, self.work())
    }

    async fn work(self) -> Result<Done, NotReady> {
        let clock: Rc<dyn Clock> = Rc::new(self.clock);
        let pacer =
            pace::finest(self.clock).map_err(|error| NotReady::System(format!("no timer for a worker: {error}")))?;
        let settings = &*self.settings;
        let mut workloads: Vec<Workload> =
            settings.workloads.iter().map(|workload| workload.prepare(settings.shared.as_ref())).collect();
        for (workload, prepared) in workloads.iter_mut().enumerate() {
            prepared.instances.warm_up().map_err(|error| NotReady::Plugin { workload, error })?;
        }
        let layout = Arc::new(settings.layout.clone());
        let client_settings = Arc::clone(&settings.clients[self.number]);
        let core = assemble_core(Rc::clone(&clock), client_settings, Rc::new(Network), |client| Parts {
            clock: Rc::clone(&clock),
            client,
            recorder: Recorder::new(layout, number(self.number)),
            listener: None,
            books: settings.books.as_ref().map(|desk| Box::new(Books::new(desk.pen(), number(self.number)))),
            workloads,
            phases: Arc::clone(&settings.phases),
            slots: Arc::clone(&self.slots),
            notices: self.notices.clone(),
            t0: clock.now(),
            wall_t0: 0,
        });
        let client = core.borrow().client.clone();
        client.warm_up(settings.warm_connections).await.map_err(NotReady::Target)?;
        let _ = self.ready.send(());
        let Ok(Start { t0, wall_t0, layout }) = self.start.await else {
            client.close();
            return Err(NotReady::System("the run was given up before it started".into()));
        };
        {
            let mut core = core.borrow_mut();
            core.t0 = t0;
            core.wall_t0 = wall_t0;
            core.recorder = Recorder::new(layout, number(self.number));
        }
        let (worker, of) = (number(self.number), number(settings.workers));
        let offer = Offer {
            source: jobs(settings.schedule.share(worker, of), settings.seed, t0),
            closed: settings.schedule.closed_share(worker, of),
            seed: settings.seed,
            end: t0 + Duration::from_nanos(settings.layout.length()),
            tolerance: settings.tolerance,
            wake_gap: settings.wake_gap,
            drain: settings.drain,
        };
        let driven = Driver::new(Rc::clone(&core), pacer, self.control, self.number, offer).run().await;
        books::finish(&core).await;
        let usage = client.usage();
        client.close();
        Ok(finish(&core, driven, usage))
    }
}

/// A share of the schedule as jobs, from the start of the schedule.
pub(super) fn jobs(share: Share, seed: u64, t0: Time) -> impl Iterator<Item = Job> {
    share.map(move |arrival| Job::of(&arrival, seed, t0))
}

/// Puts a core together with its client, which hears back through the core.
pub(super) fn assemble_core(
    clock: Rc<dyn Clock>,
    settings: Arc<client::Settings>,
    network: Rc<dyn Connect>,
    parts: impl FnOnce(Client) -> Parts,
) -> Rc<RefCell<Core>> {
    Rc::new_cyclic(|core: &Weak<RefCell<Core>>| {
        let client = Client::with_network(settings, clock, Rc::new(Ears(Weak::clone(core))), network);
        RefCell::new(Core::new(parts(client)))
    })
}

/// What a worker's core holds in the end.
fn finish(core: &Rc<RefCell<Core>>, driven: Driven, usage: Usage) -> Done {
    let mut core = core.borrow_mut();
    let core = &mut *core;
    for workload in &core.workloads {
        let (made, largest) = workload.instances.tally();
        core.recorder.plugin_instances(workload.plugin, made, largest);
    }
    let layout = Arc::new(Layout::default());
    Done {
        recorder: std::mem::replace(&mut core.recorder, Recorder::new(layout, 0)),
        faults: std::mem::take(&mut core.faults),
        log_dropped: core.log_gate.dropped,
        cpu: driven.cpu,
        taken: driven.taken,
        usage,
        hopeless: core.hopeless(),
    }
}

fn number(worker: usize) -> u32 {
    u32::try_from(worker).unwrap_or(u32::MAX)
}
