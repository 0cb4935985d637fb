//! The check that what an iteration does depends on its arrival and its events alone.

use crate::author::play::{MOST_EVENTS, Target, Way};
use crate::author::rehearsal::{Rehearsal, TakeId};

use super::bench::Bench;
use super::course::Path;
use super::{Check, Subject};

/// Iterations that are compared.
const ITERATIONS: u64 = 6;

/// In which order the iterations of one instance get their events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    OneAfterTheOther,
    Reversed,
    RoundRobin,
    Shuffled,
}

impl Order {
    const ALL: [Self; 4] = [Self::OneAfterTheOther, Self::Reversed, Self::RoundRobin, Self::Shuffled];

    fn name(self) -> &'static str {
        match self {
            Self::OneAfterTheOther => "one after the other",
            Self::Reversed => "in reversed order",
            Self::RoundRobin => "in turn, an event each",
            Self::Shuffled => "among one another, by chance",
        }
    }
}

/// What an iteration asked for, and how it ended.
struct Deeds {
    acts: Vec<String>,
    outcome: String,
    story: Vec<String>,
}

/// The same arrivals with the same answers ask for the same, to the byte, alone and among others.
pub(super) fn repeats(bench: &Bench<'_>, paths: &[Path]) -> Check {
    const NAME: &str = "repeats itself";
    let Some(path) = paths.iter().find(|path| path.flow.is_none()) else {
        return Check::skipped(NAME, "no iteration ends by itself");
    };
    let subject = bench.subject;
    let target = subject.target(path.flavour);
    let alone = |index: u64| {
        let mut rehearsal = bench.fresh().ok()?;
        run(&mut rehearsal, subject, &target, &[index], Order::OneAfterTheOther).pop()
    };
    let indices: Vec<u64> = (0..ITERATIONS).collect();
    let (Some(first), Some(second)) = (
        indices.iter().map(|&index| alone(index)).collect::<Option<Vec<_>>>(),
        indices.iter().map(|&index| alone(index)).collect::<Option<Vec<_>>>(),
    ) else {
        return Check::skipped(NAME, "there is no instance");
    };
    if let Some(deeds) = first.iter().chain(&second).find(|deeds| deeds.outcome.starts_with("plugin_")) {
        return Check::skipped(NAME, format!("an iteration ends as {}: mend that first", deeds.outcome));
    }
    for (index, (one, other)) in first.iter().zip(&second).enumerate() {
        if let Some(what) = difference(one, other) {
            return wrong(NAME, format!("arrival {index}, twice alone in a fresh instance: {what}"), other);
        }
    }
    for order in Order::ALL {
        let Ok(mut rehearsal) = bench.fresh() else { return Check::skipped(NAME, "there is no instance") };
        let together = run(&mut rehearsal, subject, &target, &indices, order);
        for (index, (one, other)) in first.iter().zip(&together).enumerate() {
            if let Some(what) = difference(one, other) {
                let how = order.name();
                return wrong(NAME, format!("arrival {index}, alone and with others {how}: {what}"), other);
            }
        }
    }
    let acts: usize = first.iter().map(|deeds| deeds.acts.len()).sum();
    Check::ok(
        NAME,
        format!(
            "{acts} actions of {ITERATIONS} iterations are the same twice alone and in {} orders",
            Order::ALL.len()
        ),
    )
}

fn wrong(name: &'static str, what: String, deeds: &Deeds) -> Check {
    Check::failed(
        name,
        what,
        "draw chance from the arrival's seed, and keep nothing from one iteration to the next",
        deeds.story.clone(),
    )
}

/// The first thing in which two iterations differ.
fn difference(one: &Deeds, other: &Deeds) -> Option<String> {
    use crate::author::piece::cut;
    for (at, (left, right)) in one.acts.iter().zip(&other.acts).enumerate() {
        if left != right {
            // From a little before where they part.
            let same = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
            let from = |text: &str| cut(&text[text.floor_char_boundary(same.saturating_sub(20))..]);
            return Some(format!("action {at} is …{} and …{}", from(left), from(right)));
        }
    }
    if one.acts.len() != other.acts.len() {
        return Some(format!("it asks for {} things and for {}", one.acts.len(), other.acts.len()));
    }
    (one.outcome != other.outcome).then(|| format!("ended as {} and as {}", one.outcome, other.outcome))
}

/// Runs these arrivals on one instance; what each did, in the order of `indices`.
fn run(
    rehearsal: &mut Rehearsal,
    subject: &Subject<'_>,
    target: &Target<'_>,
    indices: &[u64],
    order: Order,
) -> Vec<Deeds> {
    let mut chance = fastrand::Rng::with_seed(subject.seed);
    let mut takes: Vec<Option<(TakeId, Way)>> = indices.iter().map(|_| None).collect();
    let mut turns: Vec<usize> = (0..indices.len()).collect();
    if order == Order::Reversed {
        turns.reverse();
    }
    if matches!(order, Order::RoundRobin | Order::Shuffled) {
        for &at in &turns {
            takes[at] = rehearsal.begin(&subject.arrival(indices[at])).map(|id| (id, Way::default()));
        }
        let mut going = turns.clone();
        let mut left = MOST_EVENTS * indices.len();
        while !going.is_empty() && left > 0 {
            if order == Order::Shuffled {
                chance.shuffle(&mut going);
            }
            going.retain(|&at| match &mut takes[at] {
                Some((id, way)) => target.step(rehearsal, *id, way),
                None => false,
            });
            left -= going.len().min(left);
        }
    } else {
        for &at in &turns {
            takes[at] = target.play(rehearsal, &subject.arrival(indices[at])).map(|(id, _, way)| (id, way));
        }
    }
    let deeds = takes.into_iter().flatten().filter_map(|(id, _)| rehearsal.forget(id));
    deeds
        .map(|take| Deeds {
            acts: take.acts.iter().map(|action| format!("{action:?}")).collect(),
            outcome: take.ending().map_or(String::new(), |ending| ending.outcome.clone()),
            story: take.story(),
        })
        .collect()
}
