//! Checks on the course of single iterations: they begin, they end, whatever comes; and they ask for what can be sent.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::author::mishap::Mishap;
use crate::author::play::{Flavour, Target};
use crate::author::rehearsal::Begin;
use crate::plugin::ReadMode;

use super::Check;
use super::bench::{Bench, Played, Seen};

/// Arrivals that get plain answers: what a plugin does every so many times is among them.
const ARRIVALS: u64 = 20;
/// Exchanges of one iteration to each of which every mishap comes.
const POSITIONS: usize = 8;
/// Different faults after which no more are looked for: each takes an instance with it.
const ENOUGH: usize = 5;

/// A flow and where it goes with plain answers.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// None for the arrivals, whose position changes.
    pub(super) flow: Option<Begin>,
    pub(super) flavour: Flavour,
    pub(super) reads: Vec<ReadMode>,
}

/// The first arrival asks for something.
pub(super) fn starts(bench: &mut Bench<'_>) -> Check {
    const NAME: &str = "starts";
    let begin = bench.subject.arrival(0);
    let Some(played) = bench.begin(&begin) else { return Check::skipped(NAME, "there is no instance") };
    match &played.ending {
        Some(ending) => {
            let what = if ending.detail.is_empty() { "it asked for nothing" } else { &ending.detail };
            Check::failed(
                NAME,
                format!("the first arrival ended as {} at once: {what}", ending.outcome),
                "`start` asks for an exchange or a timer before it returns",
                played.story,
            )
        }
        None => Check::ok(NAME, "the first arrival asks for something"),
    }
}

/// With plain answers every iteration ends.
pub(super) fn finishes(bench: &mut Bench<'_>) -> (Check, Vec<Path>) {
    const NAME: &str = "finishes";
    let subject = *bench.subject;
    let case = (!subject.script.is_empty()).then_some(Flavour::Case);
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut paths: Vec<Path> = Vec::new();
    let mut wrong: Vec<Seen> = Vec::new();
    let mut events = 0;
    for flavour in case.into_iter().chain(Flavour::ALL) {
        let target = subject.target(flavour);
        let slow = Target { slow: true, ..target };
        let arrivals = (0..ARRIVALS).map(|index| (None, bench.subject.arrival(index)));
        let others = [(Some(Begin::Setup), Begin::Setup), (Some(Begin::Teardown), Begin::Teardown)];
        for (at, (flow, begin)) in arrivals.chain(others).enumerate() {
            if wrong.len() >= ENOUGH {
                break;
            }
            let Some(played) = bench.play(if at % 2 == 0 { &target } else { &slow }, &begin) else { continue };
            events = events.max(played.events);
            let ended = played.ending.as_ref().map_or("no end", |ending| ending.outcome.as_str());
            *outcomes.entry(ended.to_owned()).or_default() += 1;
            if let Some(what) = played.wrong() {
                keep(&mut wrong, format!("with {} as the answer {} {what}", flavour.name(), name(&begin)), &played);
            } else {
                further(&mut paths, Path { flow, flavour, reads: played.reads });
            }
        }
    }
    let mut ended: Vec<_> = outcomes.iter().collect();
    ended.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let total: u64 = outcomes.values().sum();
    let mut seen = format!("{total} iterations, at most {events} events each");
    for (outcome, count) in ended.iter().take(4) {
        let _ = write!(seen, "; {count} {outcome}");
    }
    if !outcomes.contains_key("ok") {
        seen.push_str("; no answer was one it takes for right: --script with a case that ends well goes further");
    }
    let check = conclude(NAME, seen, wrong, "let every way through `iterate` end, and wait only for what can come");
    (check, paths)
}

/// Whatever befalls an exchange, the iteration ends.
pub(super) fn survives(bench: &mut Bench<'_>, paths: &[Path]) -> Check {
    const NAME: &str = "survives failures";
    let subject = *bench.subject;
    let mut wrong: Vec<Seen> = Vec::new();
    let (mut played_all, mut befallen) = (0, 0);
    for (path, position, mishap) in mishaps(paths) {
        for for_good in [false, true] {
            if wrong.len() >= ENOUGH {
                break;
            }
            let begin = path.flow.clone().unwrap_or_else(|| bench.subject.arrival(played_all % ARRIVALS));
            let plain = subject.target(path.flavour);
            let target = Target { mishap: Some((position, mishap, for_good)), slow: played_all % 5 == 4, ..plain };
            let Some(played) = bench.play(&target, &begin) else { continue };
            played_all += 1;
            befallen += u64::from(played.befell);
            if let Some(what) = played.wrong() {
                let which = if for_good { "and every later one " } else { "" };
                keep(
                    &mut wrong,
                    format!("where exchange {position} {which}{mishap}, {} {what}", name(&begin)),
                    &played,
                );
            }
        }
    }
    if played_all == 0 {
        return Check::skipped(NAME, "no iteration has an exchange and ends by itself");
    }
    let seen = format!("{befallen} mishaps in {played_all} iterations: failures, statuses, bodies, early ends");
    conclude(NAME, seen, wrong, "treat every failure, status and body as one that can come; `?` on an answer does")
}

/// Every request could leave.
pub(super) fn sends(bench: &Bench<'_>) -> Check {
    const NAME: &str = "asks for what can be sent";
    if let Some(first) = bench.unsendable.first() {
        return Check::failed(
            NAME,
            format!("a request that cannot be sent: {}{}", first.what, more(bench.unsendable.len())),
            "encode what goes into a path or a field; the interface (wit/) has the bounds",
            first.story.clone(),
        );
    }
    if let Some(first) = bench.elsewhere.first() {
        return Check::failed(
            NAME,
            format!("a request to {}, which is not the target{}", first.what, more(bench.elsewhere.len())),
            "leave the host out; where it is meant, give --allow-host, and `allowed_hosts` in the scenario",
            first.story.clone(),
        );
    }
    Check::ok(NAME, "every request seen can leave as it is, for the target")
}

/// What can befall the exchanges of these paths, at each position.
pub(super) fn mishaps(paths: &[Path]) -> Vec<(&Path, usize, Mishap)> {
    let mut all = Vec::new();
    for path in paths {
        for (position, &read) in path.reads.iter().enumerate().take(POSITIONS) {
            all.extend(Mishap::all(read).into_iter().map(|mishap| (path, position, mishap)));
        }
    }
    all
}

/// Keeps a path in the place of one of its flow that goes less far.
fn further(paths: &mut Vec<Path>, path: Path) {
    match paths.iter_mut().find(|known| known.flow == path.flow) {
        Some(known) if path.reads.len() > known.reads.len() => *known = path,
        Some(_) => {}
        None => paths.push(path),
    }
}

fn keep(wrong: &mut Vec<Seen>, what: String, played: &Played) {
    if !wrong.iter().any(|seen| seen.what == what) {
        wrong.push(Seen { what, story: played.story.clone() });
    }
}

fn name(begin: &Begin) -> String {
    match begin {
        Begin::Setup => "the setup flow".to_owned(),
        Begin::Teardown => "the teardown flow".to_owned(),
        Begin::Arrival { index, .. } => format!("arrival {index}"),
    }
}

fn more(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}

fn conclude(name: &'static str, seen: String, wrong: Vec<Seen>, help: &str) -> Check {
    let count = wrong.len();
    match wrong.into_iter().next() {
        None => Check::ok(name, seen),
        Some(first) => Check::failed(name, format!("{}{}", first.what, more(count)), help, first.story),
    }
}
