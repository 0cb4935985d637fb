//! Arbitrary text into the scenario reader: never a panic, every fault has its code and a line of the text, and a plan
//! that is accepted keeps its bounds.
//!
//! Lines at the very beginning that read `#set KEY=VALUE` are given as `--set`.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use engine::scenario::{Faults, Overrides, Plan, Surroundings, code, parse};

const FILE: &str = "fuzz.toml";
/// What `${TOKEN}` stands for.
const SECRET: &str = "s3cret-of-the-environment";
const MS: Duration = Duration::from_millis(1);
const DAY: Duration = Duration::from_hours(24);
/// Arrivals of a plan that are looked at.
const LOOKED_AT: usize = 200;

/// One input: the text of a scenario.
///
/// # Panics
/// On a finding.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut rest = text.as_ref();
    let mut set = Vec::new();
    while let Some(line) = rest.strip_prefix("#set ") {
        let (value, after) = line.split_once('\n').unwrap_or((line, ""));
        set.push(value.to_owned());
        rest = after;
    }
    let overrides = Overrides { set, ..Overrides::default() };
    match parse(Path::new(FILE), rest, &overrides, &surroundings()) {
        Ok(plan) => {
            check_plan(&plan);
            check_secret(&plan, &text);
            check_faults(&plan.warnings(), rest, true);
        }
        Err(faults) => {
            assert!(faults.iter().any(|fault| !fault.is_warning()), "refused without a reason:\n{faults}");
            check_faults(&faults, rest, false);
        }
    }
}

/// Four cores, and three variables.
fn surroundings() -> Surroundings {
    let variable = |name: &str| match name {
        "TOKEN" => Some(SECRET.to_owned()),
        "HOST" => Some("api.test".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    Surroundings { variable: Box::new(variable), cores: 4 }
}

fn check_faults(faults: &Faults, text: &str, warnings: bool) {
    for fault in faults.iter() {
        let what = format!("{} {}", fault.code(), fault.message());
        assert!(code::ALL.iter().any(|(code, _)| *code == fault.code()), "a code that is not listed: {what}");
        assert!(!fault.message().is_empty(), "no message: {what}");
        assert!(!warnings || fault.is_warning(), "a fault among the warnings of a plan: {what}");
        assert!(fault.span().is_some(), "no place: {what}");
        let one = fault.message().chars().all(|c| !c.is_control());
        assert!(one, "the message is more than a line of text: {:?}", fault.message());
    }
    let shown = faults.render(false);
    assert_eq!(shown.is_empty(), faults.is_empty());
    let raw = shown.chars().find(|&c| c.is_control() && c != '\n' && c != '\t');
    assert!(raw.is_none(), "{raw:?} would reach the terminal: {shown:?}");
    let _ = faults.render(true);
    // Where a place is shown it is one of the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut places = 0;
    for line in shown.lines() {
        let Some(place) = line.trim_start().strip_prefix("--> ") else { continue };
        places += 1;
        let Some(place) = place.strip_prefix(FILE).and_then(|rest| rest.strip_prefix(':')) else { continue };
        let mut numbers = place.split(':').map(|number| number.parse::<usize>().expect("a number"));
        let (line, column) = (numbers.next().expect("a line"), numbers.next().expect("a column"));
        assert!((1..=lines.len()).contains(&line), "line {line} of {}:\n{shown}", lines.len());
        // The end of a text that ends with a newline is shown behind that.
        let longest = lines[line - 1].chars().count() + 2;
        assert!((1..=longest).contains(&column), "column {column} of {longest}:\n{shown}");
    }
    assert!(places >= faults.len(), "{places} places for {} faults:\n{shown}", faults.len());
}

fn check_plan(plan: &Plan) {
    assert!((1..=256).contains(&plan.workers));
    assert!(is_name(&plan.name), "{:?}", plan.name);
    let names: BTreeSet<_> = plan.workloads.iter().map(|workload| &workload.name).collect();
    assert_eq!(names.len(), plan.workloads.len());
    assert!(!names.is_empty() && names.iter().all(|name| is_name(name)));
    for workload in &plan.workloads {
        assert!(workload.share > 0.0 && workload.share <= 1_000_000.0, "{}", workload.share);
        assert!((MS..=DAY).contains(&workload.timeout), "{:?}", workload.timeout);
        assert!((MS..=2 * DAY).contains(&workload.iteration_timeout), "{:?}", workload.iteration_timeout);
    }
    check_limits(plan);
    check_phases(plan);
    check_schedule(plan);
    for threshold in &plan.thresholds {
        assert!(threshold.least >= 1);
    }
}

fn check_limits(plan: &Plan) {
    let limits = &plan.limits;
    assert!(limits.in_flight >= 1 && limits.in_flight_default >= 1);
    assert!(limits.connections.is_none_or(|connections| connections >= plan.workers));
    for wait in [Some(limits.timeout), Some(limits.connect_timeout), Some(limits.idle_timeout)] {
        assert!(wait.is_some_and(|wait| (MS..=DAY).contains(&wait)), "{wait:?}");
    }
    for wait in [limits.first_byte_timeout, limits.iteration_timeout] {
        assert!(wait.is_none_or(|wait| (MS..=DAY).contains(&wait)), "{wait:?}");
    }
    assert!((MS..=Duration::from_mins(1)).contains(&limits.tolerance));
    assert!(limits.connection_idle <= DAY && limits.redirects <= 20);
    let plugin = &limits.plugin;
    assert!((MS..=Duration::from_mins(1)).contains(&plugin.call));
    assert!((1 << 16..=1 << 32).contains(&plugin.memory));
    assert!((1..=1_000).contains(&plugin.instances));
    assert!((1..=1_000_000_000).contains(&plugin.iterations));
    assert!((1..=1_000_000).contains(&plugin.list));
    assert!((1 << 10..=1 << 30).contains(&plugin.string));
    for host in &limits.allowed_hosts {
        assert!(!host.host.is_empty() && host.port != Some(0));
    }
}

fn check_phases(plan: &Plan) {
    let names: BTreeSet<_> = plan.phases.iter().map(|phase| &phase.name).collect();
    assert_eq!(names.len(), plan.phases.len());
    assert!(names.iter().all(|name| is_name(name)));
    let mut start = Duration::ZERO;
    for phase in &plan.phases {
        assert_eq!(phase.start, start);
        assert!((MS..=30 * DAY).contains(&phase.duration), "{:?}", phase.duration);
        let rate = phase.rate().map_or(0.1, engine::schedule::Rate::as_f64);
        assert!((0.1..=100_000.0).contains(&rate), "{rate}");
        start = phase.end();
    }
    assert_eq!(plan.duration(), start);
    assert!(!plan.phases[usize::from(plan.judged)].is_pause());
    if let Some(recovery) = plan.recovery {
        assert!(!plan.phases[usize::from(recovery)].is_pause() && recovery != plan.judged);
    }
}

fn check_schedule(plan: &Plan) {
    let schedule = plan.schedule();
    assert!(schedule.planned() > 0);
    assert_eq!(plan.planned.total(), schedule.planned());
    let by_workload: u64 = (0..plan.workloads.len()).map(|at| plan.planned.workload(at)).sum();
    let by_phase: u64 = (0..plan.phases.len()).map(|at| plan.planned.phase(at)).sum();
    assert_eq!((by_workload, by_phase), (schedule.planned(), schedule.planned()));
    let mut before = 0;
    for (at, arrival) in schedule.all().take(LOOKED_AT).enumerate() {
        assert_eq!(arrival.sequence, at as u64);
        assert!(arrival.due_ns >= before && arrival.due_ns < schedule.length_ns(), "{arrival:?}");
        assert!(usize::from(arrival.workload) < plan.workloads.len());
        let (start, end) = schedule.phase_bounds_ns(usize::from(arrival.phase)).expect("a phase");
        assert!((start..end).contains(&arrival.due_ns), "{arrival:?} in {start}..{end}");
        before = arrival.due_ns;
    }
    if schedule.planned() <= LOOKED_AT as u64 {
        let shares = (0..plan.workers).map(|worker| schedule.share(worker, plan.workers).count());
        assert_eq!(shares.sum::<usize>() as u64, schedule.planned(), "the shares are not the whole");
    }
}

/// What came from the environment into a configuration is a secret: it is known as one, and not in what is shown.
fn check_secret(plan: &Plan, text: &str) {
    assert!(plan.secrets().is_sorted() && plan.secrets().iter().all(|secret| !secret.is_empty()));
    let json = serde_json::to_string(plan).expect("a plan has a JSON form");
    if plan.secrets().iter().any(|secret| secret.contains(SECRET)) && !text.contains(SECRET) {
        assert!(!json.contains(SECRET), "{json}");
        let debug = format!("{plan:?}");
        assert!(!debug.contains(SECRET), "{debug}");
    }
}

fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=64).contains(&text.len()) && text.chars().all(allowed)
}
