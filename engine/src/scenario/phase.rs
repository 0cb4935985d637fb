//! `[[phase]]`: how much is sent, and when.

use std::time::Duration;

use serde::Serialize;

use super::code;
use super::fault::Fault;
use super::reader::{Field, Reader};
use super::source::Span;
use super::units;
use crate::schedule::{Profile, Rate};

/// A stretch of the schedule.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Phase {
    /// Unique.
    pub name: String,
    /// Arrivals per second; `None` in a pause.
    pub rate: Option<Rate>,
    /// When it starts, from the start of the run.
    #[serde(rename = "start_s", serialize_with = "units::seconds")]
    pub start: Duration,
    /// How long it lasts.
    #[serde(rename = "duration_s", serialize_with = "units::seconds")]
    pub duration: Duration,
    /// Why it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Where it stands.
    #[serde(skip)]
    pub span: Span,
}

impl Phase {
    /// When it ends, from the start of the run.
    pub fn end(&self) -> Duration {
        self.start + self.duration
    }

    /// Whether nothing is offered in it.
    pub fn is_pause(&self) -> bool {
        self.rate.is_none()
    }

    /// How the rate runs over it.
    pub fn profile(&self) -> Profile {
        self.rate.map_or(Profile::Pause, |rate| Profile::Constant { rate })
    }
}

/// A phase as read, before all of them are looked at together.
pub(super) struct Draft {
    pub(super) name: Field<String>,
    pub(super) rate: Option<Rate>,
    pub(super) duration: Duration,
    judged: Option<Field<bool>>,
    recovery: Option<Field<bool>>,
    pub(super) why: Option<String>,
    pub(super) place: Span,
}

/// Which phases have a part in the report.
pub(super) struct Parts {
    pub(super) judged: usize,
    pub(super) recovery: Option<usize>,
}

/// Reads one phase; `None` after noting what is wrong with it.
pub(super) fn read(reader: Reader<'_>) -> Option<Draft> {
    let name = reader.name("name");
    let duration = reader.duration("duration");
    let rate = reader.number("rate");
    let pause = reader.boolean("pause");
    let judged = reader.boolean("judged");
    let recovery = reader.boolean("recovery");
    let why = reader.text("why").map(|why| why.value.value.clone());
    let place = reader.place();
    let exact = rate.and_then(|rate| exact_rate(&reader, rate));
    let paused = pause.is_some_and(|pause| pause.value);
    let conflict = match (reader.has("rate"), paused) {
        (true, true) => Some(
            Fault::new(code::CONFLICT, "a phase has either a `rate` or `pause = true`, not both")
                .at(reader.place_of("pause"), "a pause")
                .also(reader.place_of("rate"), "and a rate"),
        ),
        // A `pause` of the wrong type has its own fault.
        (false, false) if pause.is_some() || !reader.has("pause") => Some(
            Fault::new(code::CONFLICT, "a phase needs either a `rate` or `pause = true`")
                .at(place, "has neither")
                .hint("this version has phases of constant rate, for example rate = 20, and pauses; no other profiles"),
        ),
        _ => None,
    };
    let whole = conflict.is_none() && (paused || exact.is_some());
    if let Some(conflict) = conflict {
        reader.note(conflict);
    }
    reader.finish();
    let (name, duration) = (name?, duration?.value);
    whole.then_some(Draft { name, rate: exact, duration, judged, recovery, why, place })
}

fn exact_rate(reader: &Reader<'_>, rate: Field<f64>) -> Option<Rate> {
    let exact = Rate::per_second(rate.value);
    if exact.is_none() {
        let rounded = (rate.value * 1e6).round() / 1e6;
        let fault = Fault::new(code::PROFILE_TOO_FINE, "a rate has at most six decimals, so that counts are exact");
        reader.note(fault.at(rate.span, "too fine").hint(format!("for example: rate = {rounded}")));
    }
    exact
}

/// Finds the judged and the recovery phase; `None` after noting why there is no telling.
///
/// Judged is the one that says so, else the longest with a rate, the first among equals; not one that says
/// `judged = false` or is the recovery.
pub(super) fn parts(drafts: &[Draft], place: Span, note: impl Fn(Fault)) -> Option<Parts> {
    if drafts.iter().all(|draft| draft.rate.is_none()) {
        let fault = Fault::new(code::PROFILE_NOTHING, "no phase has a rate, so nothing would be sent");
        let place = drafts.first().map_or(place, |draft| draft.place);
        note(fault.at(place, "nothing but pauses").hint("give a phase a rate, for example: rate = 20"));
        return None;
    }
    let judged = marked(drafts, code::PHASE_JUDGED, "judged", |draft| draft.judged);
    let recovery = marked(drafts, code::PHASE_RECOVERY, "recovery", |draft| draft.recovery);
    let (judged, recovery) = match (judged, recovery) {
        (Ok(judged), Ok(recovery)) => (judged, recovery),
        (judged, recovery) => {
            judged.err().into_iter().chain(recovery.err()).for_each(note);
            return None;
        }
    };
    if let (Some(judged), Some(recovery)) = (judged, recovery)
        && judged.0 == recovery.0
    {
        let fault = Fault::new(code::PHASE_RECOVERY, "the judged phase cannot be its own recovery");
        note(fault.at(recovery.1, "recovery").also(judged.1, "judged"));
        return None;
    }
    let recovery = recovery.map(|(at, _)| at);
    if let Some((judged, _)) = judged {
        return Some(Parts { judged, recovery });
    }
    let candidates = drafts
        .iter()
        .enumerate()
        .filter(|(at, draft)| draft.rate.is_some() && draft.judged.is_none() && recovery != Some(*at));
    // Of equals `max_by_key` takes the last, and it is the first that is wanted.
    let Some((judged, _)) = candidates.rev().max_by_key(|(_, draft)| draft.duration) else {
        let fault = Fault::new(code::PHASE_JUDGED, "no phase is left to be judged");
        note(
            fault
                .at(drafts.first().map_or(place, |draft| draft.place), "the first of them")
                .hint("every phase is a pause, the recovery, or says judged = false"),
        );
        return None;
    };
    Some(Parts { judged, recovery })
}

/// The one draft that says `key = true`, and where; a fault where there are two, or it is a pause.
fn marked(
    drafts: &[Draft],
    code: &'static str,
    key: &str,
    field: impl Fn(&Draft) -> Option<Field<bool>>,
) -> Result<Option<(usize, Span)>, Fault> {
    let says_so = |(at, draft)| field(draft).filter(|field| field.value).map(|field| (at, field.span));
    let mut marked = drafts.iter().enumerate().filter_map(says_so);
    let Some((at, span)) = marked.next() else { return Ok(None) };
    if let Some((_, second)) = marked.next() {
        let fault = Fault::new(code, format!("one phase at most can say `{key} = true`"));
        return Err(fault.at(second, "the second").also(span, "the first"));
    }
    if drafts[at].rate.is_none() {
        let fault = Fault::new(code, format!("a pause cannot say `{key} = true`"));
        return Err(fault.at(span, "nothing is sent in this phase"));
    }
    Ok(Some((at, span)))
}
