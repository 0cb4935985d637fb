//! What an iteration costs in each language: the same work, one exchange with five fields each way, 300 bytes out and 2 KiB in.
//!
//! `cargo bench --workspace --bench languages -- FILE.wasm …` prints a table of those components. Each of them takes its turn in
//! every round, so that a busy moment of the machine is nobody's alone; times are CPU time.

#[path = "work/plugin.rs"]
mod plugin;

use std::path::Path;
use std::time::Duration;

use engine::clock::thread_cpu;
use engine::plugin::{Host, Instance, Limits, Plugin};
use plugin::{Iterations, NO_DEADLINE};
use rustix::time::{ClockId, clock_gettime};

/// Rounds, of which the median counts.
const ROUNDS: usize = 11;
/// About how long one turn is.
const TURN: Duration = Duration::from_millis(60);
/// Instances made for the median of making one.
const INSTANCES: usize = 21;

/// A component and what was measured of it.
struct Row {
    name: String,
    bytes: usize,
    /// CPU time of all threads for compiling it.
    compile: Duration,
    /// CPU time of an instance: made and configured.
    instance: Duration,
    /// Bytes of memory of a fresh instance.
    fresh: usize,
    turns: Vec<Duration>,
    iterations: Iterations,
    /// Iterations in a turn.
    length: u32,
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let mut rows: Vec<Row> = files.iter().map(|file| row(file)).collect();
    for _ in 0..ROUNDS {
        for row in &mut rows {
            let began = thread_cpu();
            for _ in 0..row.length {
                row.iterations.make();
            }
            row.turns.push((thread_cpu() - began) / row.length);
        }
    }
    println!(
        "| plugin | KiB | compiling, s of CPU | an instance, µs | memory, KiB | after {ROUNDS} turns, KiB | an iteration, µs: median | least |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for row in &mut rows {
        row.turns.sort_unstable();
        println!(
            "| {} | {} | {:.2} | {:.0} | {} | {} | {:.2} | {:.2} |",
            row.name,
            row.bytes >> 10,
            row.compile.as_secs_f64(),
            micros(row.instance),
            row.fresh >> 10,
            row.iterations.memory() >> 10,
            micros(row.turns[ROUNDS / 2]),
            micros(row.turns[0]),
        );
    }
}

fn row(file: &str) -> Row {
    let cache = tempfile::tempdir().expect("a folder");
    let limits = Limits { call: NO_DEADLINE, ..Limits::default() };
    let host = Host::new(limits, Some(cache.path())).expect("a host");
    let began = process_cpu();
    let plugin = host.load(Path::new(file)).unwrap_or_else(|refusal| panic!("{refusal}"));
    let compile = process_cpu() - began;
    let mut made: Vec<Duration> = (0..INSTANCES).map(|_| instance(&plugin)).collect();
    made.sort_unstable();
    let (name, bytes) = (plugin.description.name.clone(), plugin.size);
    let mut iterations = Iterations::on(&plugin);
    let fresh = iterations.memory();
    // Enough for memory to have been grown and lists to have found their size; then as many as fill a turn.
    let began = thread_cpu();
    for _ in 0..200 {
        iterations.make();
    }
    let one = (thread_cpu() - began) / 200;
    let length = u32::try_from(TURN.as_nanos() / one.as_nanos().max(1)).unwrap_or(u32::MAX).max(100);
    Row { name, bytes, compile, instance: made[INSTANCES / 2], fresh, turns: Vec::new(), iterations, length }
}

/// CPU time of one more instance.
fn instance(plugin: &Plugin) -> Duration {
    let began = thread_cpu();
    let instance = Instance::new(plugin, "{}", None).expect("it takes an empty configuration");
    let took = thread_cpu() - began;
    drop(instance);
    took
}

/// CPU time of all threads of the process.
fn process_cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
