//! How the rate of a phase runs: one of `rate`, `ramp`, `steps`, `spike`, `points`, `closed` and `pause`.

use std::cell::Cell;
use std::time::Duration;

use super::code;
use super::fault::Fault;
use super::keys::{Kind, MONTH, Spec, required};
use super::reader::{Field, Reader};
use super::source::Span;
use super::units::show_duration;
use crate::schedule::{Point, Profile, ProfileError, Rate, RateChange};

/// The keys of which a phase has one.
pub(super) const PROFILES: [&str; 7] = ["rate", "ramp", "steps", "spike", "points", "closed", "pause"];

const RATE: Kind = Kind::Number { min: 0.0, max: 100_000.0 };
const WITHIN: Kind = Kind::Duration { min: Duration::ZERO, max: MONTH };

/// `ramp` of a phase.
pub(crate) static RAMP: Spec = Spec {
    title: "[phase.ramp]",
    about: "From one rate to another along a line.",
    keys: &[
        required("from", RATE, "Arrivals per second at the start.", "0"),
        required("to", RATE, "Arrivals per second at the end.", "100"),
    ],
};

/// `steps` of a phase.
pub(crate) static STEPS: Spec = Spec {
    title: "[phase.steps]",
    about: "A staircase of constant rates, each as long as the others.",
    keys: &[
        required("from", RATE, "Arrivals per second of the first step.", "10"),
        required(
            "by",
            Kind::Number { min: -100_000.0, max: 100_000.0 },
            "By how much each step is above the one before; negative where they go down.",
            "10",
        ),
        required("count", Kind::Integer { min: 1, max: 100 }, "How many steps the phase is divided into.", "3"),
    ],
};

/// `spike` of a phase.
pub(crate) static SPIKE: Spec = Spec {
    title: "[phase.spike]",
    about: "A constant rate, but for a while another.",
    keys: &[
        required("base", RATE, "Arrivals per second before and after.", "10"),
        required("peak", Kind::Number { min: 0.1, max: 100_000.0 }, "Arrivals per second of the spike.", "100"),
        required("at", WITHIN, "When it begins, from the start of the phase.", "\"1s\""),
        required("for", WITHIN, "How long it lasts; over before the phase ends.", "\"500ms\""),
    ],
};

/// One of a phase's `points`.
pub(crate) static POINT: Spec = Spec {
    title: "[[phase.points]]",
    about: "Rates at given moments, joined by lines; level before the first and after the last.",
    keys: &[
        required("at", WITHIN, "The moment, from the start of the phase; two at one moment are a jump.", "\"10s\""),
        required("rate", RATE, "Arrivals per second at that moment.", "50"),
    ],
};

/// Reads the profile of a phase of this length; `None` after noting what is wrong with it.
pub(super) fn read(reader: &Reader<'_>, length: Option<Duration>) -> Option<Profile> {
    let set = Set::default();
    let rate = reader.number("rate").map(|rate| exact(reader, "rate", rate));
    let ramp = reader.table("ramp").map(|table| {
        let (from, to) = (set.number(&table, "from"), set.number(&table, "to"));
        table.finish();
        Some(Profile::Ramp { from: from?, to: to? })
    });
    let steps = reader.table("steps").map(|table| set.steps(table));
    let spike = reader.table("spike").map(|table| {
        let (base, peak) = (set.number(&table, "base"), set.number(&table, "peak"));
        let (at_ns, for_ns) = (set.moment(&table, "at"), set.moment(&table, "for"));
        table.finish();
        Some(Profile::Spike { base: base?, peak: peak?, at_ns: at_ns?, for_ns: for_ns? })
    });
    let points = reader.tables("points").into_iter().map(|table| {
        let (at_ns, rate) = (set.moment(&table, "at"), set.number(&table, "rate"));
        table.finish();
        Some(Point { at_ns: at_ns?, rate: rate? })
    });
    let points: Option<Vec<Point>> = points.collect();
    let closed = reader.integer("closed");
    let pause = reader.boolean("pause");

    let is_given = |name: &&&str| {
        // `pause = false` says nothing; one of the wrong type has its own fault.
        reader.has(name) && (**name != "pause" || pause.is_none_or(|pause| pause.value))
    };
    let given: Vec<&str> = PROFILES.iter().filter(is_given).copied().collect();
    let name = match given[..] {
        [name] => name,
        [] => {
            let fault = Fault::new(code::CONFLICT, "a phase needs a profile, or `pause = true`");
            reader.note(
                fault
                    .at(reader.place(), "has none")
                    .hint("for example: rate = 20; there are also `ramp`, `steps`, `spike`, `points` and `closed`"),
            );
            return None;
        }
        [first, second, ..] => {
            let fault = Fault::new(code::CONFLICT, "a phase has one profile, or is a pause");
            let label = |name: &str| format!("`{name}`");
            let fault = fault.at(reader.place_of(second), label(second)).also(reader.place_of(first), label(first));
            reader.note(fault);
            return None;
        }
    };
    let profile = match name {
        "rate" => Profile::Constant { rate: rate?? },
        "ramp" => ramp??,
        "steps" => steps??,
        "spike" => spike??,
        "points" => Profile::Points(points?.into()),
        "closed" => Profile::Closed { concurrency: u32::try_from(closed?.value).ok()? },
        _ if pause.is_some() => Profile::Pause,
        _ => return None,
    };
    let length_ns = u64::try_from(length?.as_nanos()).ok()?;
    match profile.check(length_ns) {
        Ok(()) => Some(profile),
        Err(error) => {
            let place = set.0.get().unwrap_or_else(|| reader.place_of(name));
            reader.note(told(error, length?).at(place, "here"));
            None
        }
    }
}

/// Where the last value stands that was set on the command line within a table of the file: what is wrong with the whole
/// is told there.
#[derive(Default)]
struct Set(Cell<Option<Span>>);

impl Set {
    fn note(&self, table: &Reader<'_>, span: Span) {
        if !span.same_source(table.place()) {
            self.0.set(Some(span));
        }
    }

    fn number(&self, table: &Reader<'_>, name: &str) -> Option<Rate> {
        let rate = table.number(name)?;
        self.note(table, rate.span);
        exact(table, name, rate)
    }

    fn moment(&self, table: &Reader<'_>, name: &str) -> Option<u64> {
        let at = table.duration(name)?;
        self.note(table, at.span);
        u64::try_from(at.value.as_nanos()).ok()
    }

    fn steps(&self, table: Reader<'_>) -> Option<Profile> {
        let from = self.number(&table, "from");
        let count = table.integer("count");
        if let Some(count) = &count {
            self.note(&table, count.span);
        }
        let by = table.number("by").and_then(|by| {
            self.note(&table, by.span);
            let change = RateChange::per_second(by.value);
            if change.is_none() {
                too_fine(&table, "by", by);
            }
            change
        });
        table.finish();
        Some(Profile::Steps { from: from?, by: by?, steps: u16::try_from(count?.value).ok()? })
    }
}

fn exact(reader: &Reader<'_>, name: &str, rate: Field<f64>) -> Option<Rate> {
    let exact = Rate::per_second(rate.value);
    if exact.is_none() {
        too_fine(reader, name, rate);
    }
    exact
}

fn too_fine(reader: &Reader<'_>, name: &str, rate: Field<f64>) {
    let rounded = (rate.value * 1e6).round() / 1e6;
    let fault = Fault::new(code::PROFILE_TOO_FINE, "a rate has at most six decimals, so that counts are exact");
    reader.note(fault.at(rate.span, "too fine").hint(format!("for example: {name} = {rounded}")));
}

/// What is wrong with a profile, for people.
fn told(error: ProfileError, length: Duration) -> Fault {
    let code = match error {
        ProfileError::SpikeEmpty | ProfileError::SpikeTooLong => code::PROFILE_SPIKE,
        ProfileError::StepCount | ProfileError::StepBelowZero => code::PROFILE_STEPS,
        ProfileError::NoPoints | ProfileError::PointsOutOfOrder | ProfileError::PointOutside => code::PROFILE_POINTS,
        _ => code::OUT_OF_RANGE,
    };
    let fault = Fault::new(code, error.to_string());
    match error {
        ProfileError::SpikeTooLong | ProfileError::PointOutside => {
            fault.hint(format!("the phase lasts {}", show_duration(length)))
        }
        ProfileError::StepBelowZero => fault.hint("fewer steps, a smaller `by`, or a higher `from`"),
        ProfileError::SpikeEmpty => fault.hint("for example: for = \"500ms\""),
        ProfileError::NoPoints => {
            fault.hint("for example: points = [{ at = \"0s\", rate = 10 }, { at = \"10s\", rate = 50 }]")
        }
        ProfileError::PointsOutOfOrder => fault.hint("the earlier one first; two at one moment are a jump"),
        ProfileError::RateTooLow | ProfileError::RateTooHigh | ProfileError::StepCount => {
            fault.hint("rates are from 0.1 to 100,000 a second, steps from 1 to 100")
        }
    }
}

/// A profile in a line, for people.
pub(super) fn shown(profile: &Profile) -> String {
    let time = |ns: u64| show_duration(Duration::from_nanos(ns));
    match profile {
        Profile::Constant { rate } => format!("constant {}/s", rate.as_f64()),
        Profile::Ramp { from, to } => format!("ramp from {}/s to {}/s", from.as_f64(), to.as_f64()),
        Profile::Steps { from, by, steps } => {
            format!("{steps} steps from {}/s by {}/s", from.as_f64(), by.as_f64())
        }
        Profile::Spike { base, peak, at_ns, for_ns } => format!(
            "constant {}/s, a spike of {}/s at {} for {}",
            base.as_f64(),
            peak.as_f64(),
            time(*at_ns),
            time(*for_ns)
        ),
        Profile::Points(points) => {
            let points = points.iter().map(|point| format!("{}/s at {}", point.rate.as_f64(), time(point.at_ns)));
            format!("lines through {}", points.collect::<Vec<_>>().join(", "))
        }
        Profile::Closed { concurrency } => format!("closed, {concurrency} at once"),
        Profile::Pause => "pause".to_owned(),
    }
}
