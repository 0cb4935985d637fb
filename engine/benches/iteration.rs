//! What the generator itself spends on an iteration, in CPU time: its plugin, its records, its place in the schedule.
//!
//! `cargo bench -p engine --bench iteration`

#[path = "work/cpu.rs"]
mod cpu;
#[path = "work/plugin.rs"]
mod plugin;
#[path = "work/record.rs"]
mod record;

use criterion::{Criterion, criterion_group, criterion_main};
use engine::schedule::{Mix, Profile, Rate, Schedule, Spacing, Stretch, Weight, Whole};

use cpu::ThreadCpu;
use plugin::Iterations;
use record::Records;

/// Start, answer and drop, through the engine's host.
fn plugins(criterion: &mut Criterion<ThreadCpu>) {
    let mut group = criterion.benchmark_group("plugin");
    for (name, plugin) in [("raw", plugin::RAW), ("sdk", plugin::SDK)] {
        let mut iterations = Iterations::of(plugin, None);
        group.bench_function(name, |bencher| bencher.iter(|| iterations.make()));
    }
    group.finish();
}

/// From the start of an iteration to its final state, in a run that has gone on for a while.
fn records(criterion: &mut Criterion<ThreadCpu>) {
    let mut records = Records::many();
    criterion.bench_function("record", |bencher| bencher.iter(|| records.make()));
}

/// The next arrival of one worker of two, where six workloads are mixed.
fn arrivals(criterion: &mut Criterion<ThreadCpu>) {
    const HOUR: u64 = 3_600_000_000_000;
    let rate = |per_second| Rate::per_second(per_second).expect("a rate");
    let constant = Stretch::new(HOUR, Profile::Constant { rate: rate(10_000.0) });
    let ramp = Stretch::new(HOUR, Profile::Ramp { from: rate(0.0), to: rate(20_000.0) });
    let random = Stretch { spacing: Spacing::Random, ..constant.clone() };
    let mut group = criterion.benchmark_group("next arrival");
    for (name, stretch) in [("constant", constant), ("ramp", ramp), ("random", random)] {
        let weights = [45.0, 20.0, 15.0, 12.0, 5.0, 3.0].map(|weight| Weight::new(weight).expect("a weight"));
        let mix = Mix::new(&weights).expect("a mix");
        let schedule = Schedule::new(&[stretch], mix, &Whole::default()).expect("a schedule");
        let mut share = schedule.share(0, 2);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let next = share.next();
                if next.is_none() {
                    share = schedule.share(0, 2);
                }
                next
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = iteration;
    config = Criterion::default().with_measurement(ThreadCpu);
    targets = plugins, records, arrivals
}
criterion_main!(iteration);
