//! The WebAssembly engine that all plugins of a process share: its settings, the compile cache, the ticker of deadlines.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use wasmtime::component::Linker;
use wasmtime::{Cache, CacheConfig, Config, Engine, Store, UpdateDeadline};

use crate::clock::thread_cpu;

use super::bindings::engine::workload::actions;
use super::bindings::engine::workload::types;
use super::fault::DeadlineExceeded;
use super::limits::Limits;
use super::room::Room;

/// The most bytes one call between plugin and host may copy out of the plugin, beyond the largest body.
const COPY_OVERHEAD: usize = 1 << 20;
/// Stack of a plugin's calls.
const STACK: usize = 512 << 10;

/// Compiles and links plugins.
pub struct Host {
    pub(super) engine: Engine,
    pub(super) linker: Linker<Room>,
    pub(super) limits: Arc<Limits>,
    pub(super) ticker: Arc<Ticker>,
}

/// The thread that counts the time of calls. Shared by the host and its plugins: without it no call would ever end by its
/// deadline. It stops with the last of them.
pub(super) struct Ticker {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// How the time limit of a call is counted in epochs.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    length: Duration,
    per_call: u64,
}

impl Ticks {
    /// About ten ticks a limit, each of 1 to 10 ms: finer costs wake-ups, coarser costs precision. Of limits beyond 10 s a
    /// thousandth is fine enough.
    fn for_limit(limit: Duration) -> Self {
        let longest = (limit / 1_000).max(Duration::from_millis(10));
        let length = (limit / 10).clamp(Duration::from_millis(1), longest);
        let per_call = limit.as_nanos().div_ceil(length.as_nanos()).max(1);
        Self { length, per_call: u64::try_from(per_call).unwrap_or(u64::MAX) }
    }
}

impl Host {
    /// An engine under `limits`. Compiled code is kept in `cache` (the user's cache folder where absent), where only
    /// what this machine compiled is read back.
    ///
    /// # Errors
    /// When this machine cannot run the compiler's code, or the ticker thread cannot be started. A cache that cannot be
    /// used is no error: plugins are then compiled anew.
    pub fn new(limits: Limits, cache: Option<&Path>) -> anyhow::Result<Self> {
        let mut config = Config::new();
        config
            .wasm_component_model(true)
            // Synchronous calls are three times as expensive with it, and every plugin's calls are synchronous.
            .concurrency_support(false)
            .epoch_interruption(true)
            .max_wasm_stack(STACK)
            .cache(open_cache(cache));
        let engine = Engine::new(&config)?;
        let mut linker = Linker::new(&engine);
        types::add_to_linker::<Room, Own>(&mut linker, |room| room)?;
        actions::add_to_linker::<Room, Own>(&mut linker, |room| room)?;
        let ticker = Arc::new(Ticker::start(&engine, Ticks::for_limit(limits.call).length)?);
        Ok(Self { engine, linker, limits: Arc::new(limits), ticker })
    }

    /// A store for one instance, its limits armed.
    pub(super) fn store(engine: &Engine, limits: &Arc<Limits>) -> Store<Room> {
        let mut store = Store::new(engine, Room::new(Arc::clone(limits)));
        store.limiter(|room| &mut room.memory);
        store.set_hostcall_fuel(limits.string.saturating_add(COPY_OVERHEAD));
        let limit = limits.call;
        let ticks = Ticks::for_limit(limit);
        store.epoch_deadline_callback(move |mut store| {
            // The first tick after a call began only starts the watch, so that a call costs nothing for it; from then on
            // the thread's own CPU time counts, not the time in which a neighbour had the core.
            let used = thread_cpu();
            let room = store.data_mut();
            let Some(first) = room.cpu_at_first_tick else {
                room.cpu_at_first_tick = Some(used);
                return Ok(UpdateDeadline::Continue(ticks.per_call));
            };
            let computed = used.saturating_sub(first);
            if computed + ticks.length / 2 >= limit {
                return Err(wasmtime::Error::new(DeadlineExceeded { limit_ms: limit.as_millis() }));
            }
            let rest = limit.saturating_sub(computed).as_nanos().div_ceil(ticks.length.as_nanos());
            Ok(UpdateDeadline::Continue(u64::try_from(rest).unwrap_or(1).max(1)))
        });
        store
    }
}

impl Ticker {
    /// Advances the engine's epoch every `length`.
    fn start(engine: &Engine, length: Duration) -> std::io::Result<Self> {
        let engine = engine.weak();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("plugin-deadlines".into()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                std::thread::park_timeout(length);
                match engine.upgrade() {
                    Some(engine) => engine.increment_epoch(),
                    None => return,
                }
            }
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It only sleeps and counts: a join fails if it panicked, which would leave nothing to clean up.
            let _ = thread.join();
        }
    }
}

/// The imported functions work on the room itself.
struct Own;

impl wasmtime::component::HasData for Own {
    type Data<'a> = &'a mut Room;
}

/// Opens the compile cache; none where that fails.
fn open_cache(folder: Option<&Path>) -> Option<Cache> {
    let mut config = CacheConfig::new();
    if let Some(folder) = folder {
        config.with_directory(folder);
    }
    Cache::new(config).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_about_ten_ticks_and_never_none() {
        let ticks = Ticks::for_limit(Duration::from_millis(100));
        assert_eq!((ticks.length, ticks.per_call), (Duration::from_millis(10), 10));
        let ticks = Ticks::for_limit(Duration::from_millis(10));
        assert_eq!((ticks.length, ticks.per_call), (Duration::from_millis(1), 10));
        let ticks = Ticks::for_limit(Duration::from_secs(2));
        assert_eq!((ticks.length, ticks.per_call), (Duration::from_millis(10), 200));
        let ticks = Ticks::for_limit(Duration::from_mins(1));
        assert_eq!((ticks.length, ticks.per_call), (Duration::from_millis(60), 1_000));
        assert_eq!(Ticks::for_limit(Duration::ZERO).per_call, 1);
    }
}
