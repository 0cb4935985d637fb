//! Checks of what the generator used of its machine.

use super::checks::{Check, CheckVerdict, strictest_time_limit};
use super::judge::Inputs;
use super::number::{Quantity, grouped, percent};
use super::threshold::Scope;
use super::{ConnectionCap, Usage};
use crate::record::{Percentile, Series};

/// A second in which a worker's thread ran for more than this share counts as full.
const FULL_CORE: f64 = 0.9;

/// So many full seconds in a row make a run invalid.
const FULL_SECONDS: u64 = 10;

/// No worker used up its core for ten seconds.
pub(super) fn cpu(inputs: &Inputs<'_>) -> Check {
    let name = "seconds above 90 % of a core";
    let worst = inputs.evidence.cpu.iter().flatten().filter(|cpu| !cpu.seconds.is_empty()).map(|cpu| {
        let mut longest = 0;
        let mut streak = 0;
        for &share in &cpu.seconds {
            streak = if share > FULL_CORE { streak + 1 } else { 0 };
            longest = longest.max(streak);
        }
        let mean = cpu.seconds.iter().sum::<f64>() / cpu.seconds.len() as f64;
        (longest, mean, cpu.worker)
    });
    let Some((longest, mean, worker)) = worst.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))) else {
        return Check::not_checked(name, "the workers' use of their cores was not sampled");
    };
    Check::judged(
        name,
        Quantity::seconds(longest as f64),
        Quantity::seconds(FULL_SECONDS as f64),
        longest < FULL_SECONDS,
        format!("in a row, must be fewer than that; worker {worker}, mean {}", percent(mean)),
        "a worker had no core left to be on time with: use more workers, more cores, or a lower rate",
    )
}

/// The cgroup was not throttled in the judged phase.
pub(super) fn throttling(inputs: &Inputs<'_>) -> Check {
    let name = "cgroup throttling";
    let Some(throttled) = inputs.evidence.throttled_ns else {
        return Check::not_checked(name, "the counters of the cgroup were not read");
    };
    Check::at_most(
        name,
        Quantity::ns(throttled as f64),
        Quantity::ms(0.0),
        "judged phase".to_owned(),
        "the container's CPU quota stopped the generator: raise or remove it",
    )
}

/// Plugins left the workers time: above 20 % of a worker's core in the judged phase is a warning, above 50 % invalid.
pub(super) fn plugin_time(inputs: &Inputs<'_>) -> Check {
    let name = "plugin time of a worker's core";
    let length = inputs.recorder.layout().phases.get(inputs.judged).map_or(0, |phase| phase.length());
    if length == 0 || inputs.recorder.plugins().iter().all(|plugin| plugin.calls.count() == 0) {
        return Check::not_checked(name, "no call of a plugin was timed");
    }
    let workers = inputs.recorder.workers().iter();
    let worst = workers.map(|load| (load.plugin_ns.get(inputs.judged).copied().unwrap_or(0), load.worker)).max();
    let (nanoseconds, worker) = worst.unwrap_or((0, 0));
    let share = nanoseconds as f64 / length as f64;
    let advice = "plugins take time that starts and timestamps need: use more workers, or make the plugins cheaper";
    let mut detail = format!("worker {worker}, judged phase; above 20 % a warning");
    if share > 0.2 {
        detail.extend(longest_call(inputs, 0.0));
    }
    let mut check = Check::at_most(name, Quantity::share(share), Quantity::share(0.5), detail, advice);
    if share > 0.2 && check.verdict == CheckVerdict::Ok {
        check.verdict = CheckVerdict::Warning;
        check.advice = Some(advice.to_owned());
    }
    check
}

/// The longest call of all plugins, in words that go on from others: what to look at first where plugins took too long.
/// None where no call took so many nanoseconds.
pub(super) fn longest_call(inputs: &Inputs<'_>, at_least: f64) -> Option<String> {
    let plugins = inputs.recorder.plugins().iter().enumerate();
    let longest = plugins.filter_map(|(plugin, cost)| Some((cost.longest?, plugin)));
    let (call, plugin) = longest.max_by_key(|(call, _)| call.nanoseconds)?;
    if (call.nanoseconds as f64) < at_least {
        return None;
    }
    let name = inputs.plugins.get(plugin).map_or("", String::as_str);
    let took = Quantity::ns(call.nanoseconds as f64);
    Some(format!("; the longest call of a plugin: {took} in `{}` of `{name}`", call.function))
}

/// A cap on connections did not hold exchanges back. Only exchanges that met a full cap have waited, so that the p99 of
/// the waits of all of them is 0 where the cap did not bind.
pub(super) fn connection_cap(inputs: &Inputs<'_>) -> Check {
    let name = "wait for a connection at the cap p99";
    let Some(cap) = inputs.evidence.connection_cap else {
        return Check::not_checked(name, "the cap on connections is not known");
    };
    let waits = inputs.select(None, Scope::Judged).times(Series::Queue);
    let Some(p99) = waits.percentile(Percentile::P99) else {
        return Check::not_checked(name, "no exchange in the judged phase");
    };
    let cap = match cap {
        ConnectionCap::Unlimited => "no cap".to_owned(),
        ConnectionCap::At(cap) => format!("cap {}", grouped(cap)),
    };
    Check::at_most(
        name,
        Quantity::ns(p99 as f64),
        Quantity::ns(strictest_time_limit(inputs)),
        format!("{cap}, {} exchanges", grouped(waits.count())),
        "the cap on connections and not the target set the pace: raise it",
    )
}

/// Descriptors did not run out.
pub(super) fn descriptors(inputs: &Inputs<'_>) -> Check {
    supply(
        inputs,
        "file descriptors in use",
        inputs.evidence.descriptors,
        "fd_exhausted",
        "raise the limit on open files (`ulimit -n`), or set fewer connections",
    )
}

/// Ephemeral ports did not run out.
pub(super) fn ports(inputs: &Inputs<'_>) -> Check {
    supply(
        inputs,
        "ephemeral ports in use",
        inputs.evidence.ports,
        "port_exhausted",
        "keep connections alive, set fewer of them, or give the target more addresses",
    )
}

/// A resource stayed at or below 90 % of what there is, and no exchange failed for want of it.
fn supply(inputs: &Inputs<'_>, name: &str, usage: Option<Usage>, reason: &str, advice: &str) -> Check {
    let exhausted = inputs.recorder.all().failed_by(reason);
    if exhausted > 0 {
        let detail = format!("failures by `{reason}`");
        return Check::at_most(name, Quantity::count(exhausted), Quantity::count(0), detail, advice);
    }
    let Some(usage) = usage.filter(|usage| usage.limit > 0) else {
        return Check::not_checked(name, "their use was not sampled");
    };
    Check::judged(
        name,
        Quantity::share(usage.peak as f64 / usage.limit as f64),
        Quantity::share(0.9),
        u128::from(usage.peak) * 10 <= u128::from(usage.limit) * 9,
        format!("at most {} of {}", grouped(usage.peak), grouped(usage.limit)),
        advice,
    )
}
