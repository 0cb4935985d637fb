//! `[[phase]]`: how much is sent, and when.

use std::time::Duration;

use serde::{Serialize, Serializer};

use super::code;
use super::fault::Fault;
use super::profile;
use super::reader::{Field, Reader};
use super::source::Span;
use super::units;
use crate::schedule::{Profile, Rate, Spacing};

/// A stretch of the schedule.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Phase {
    /// Unique.
    pub name: String,
    /// How the rate runs over it.
    #[serde(serialize_with = "as_text")]
    pub profile: Profile,
    /// Whether arrivals are evenly spread, or random.
    #[serde(skip)]
    pub spacing: Spacing,
    /// Nothing more is offered in it after so many arrivals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_arrivals: Option<u64>,
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
        self.profile == Profile::Pause
    }

    /// How many iterations it holds at once, where it is closed.
    pub fn closed(&self) -> Option<u32> {
        if let Profile::Closed { concurrency } = self.profile { Some(concurrency) } else { None }
    }

    /// Its rate, where that is constant.
    pub fn rate(&self) -> Option<Rate> {
        if let Profile::Constant { rate } = self.profile { Some(rate) } else { None }
    }

    /// Its profile in a line, for people.
    pub fn shown(&self) -> String {
        let profile = profile::shown(&self.profile);
        let spacing = if self.spacing == Spacing::Random { ", random" } else { "" };
        let most = self.max_arrivals.map_or_else(String::new, |most| format!(", at most {most} arrivals"));
        format!("{profile}{spacing}{most}")
    }
}

fn as_text<S: Serializer>(profile: &Profile, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&profile::shown(profile))
}

/// A phase as read, before all of them are looked at together.
pub(super) struct Draft {
    pub(super) name: Field<String>,
    pub(super) profile: Profile,
    pub(super) spacing: Spacing,
    pub(super) max_arrivals: Option<u64>,
    pub(super) duration: Duration,
    judged: Option<Field<bool>>,
    recovery: Option<Field<bool>>,
    pub(super) why: Option<String>,
    pub(super) place: Span,
}

impl Draft {
    fn is_pause(&self) -> bool {
        self.profile == Profile::Pause
    }
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
    let profile = profile::read(&reader, duration.map(|duration| duration.value));
    let random = reader.boolean("random").filter(|random| random.value);
    if let (Some(random), Some(Profile::Closed { .. })) = (random, &profile) {
        let fault = Fault::new(code::CONFLICT, "a closed phase has no due times that could be random");
        reader.note(fault.at(random.span, "`random`").also(reader.place_of("closed"), "`closed`"));
    }
    let most = reader.integer("max_arrivals");
    if profile == Some(Profile::Pause) {
        let given = [("random", random.map(|random| random.span)), ("max_arrivals", most.map(|most| most.span))];
        for (name, span) in given.into_iter().filter_map(|(name, span)| Some((name, span?))) {
            let fault = Fault::new(code::CONFLICT, format!("a pause has no arrivals that `{name}` could be of"));
            reader.note(fault.at(span, "of no effect").also(reader.place_of("pause"), "a pause"));
        }
    }
    let max_arrivals = most.map(|most| most.value);
    let judged = reader.boolean("judged");
    let recovery = reader.boolean("recovery");
    let why = reader.text("why").map(|why| why.value.value.clone());
    let place = reader.place();
    reader.finish();
    let (name, duration) = (name?, duration?.value);
    let spacing = if random.is_some() { Spacing::Random } else { Spacing::Even };
    Some(Draft { name, profile: profile?, spacing, max_arrivals, duration, judged, recovery, why, place })
}

/// Finds the judged and the recovery phase; `None` after noting why there is no telling.
///
/// Judged is the one that says so, else the longest with a rate, the first among equals; not one that says
/// `judged = false` or is the recovery.
pub(super) fn parts(drafts: &[Draft], place: Span, note: impl Fn(Fault)) -> Option<Parts> {
    if drafts.iter().all(Draft::is_pause) {
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
        .filter(|(at, draft)| !draft.is_pause() && draft.judged.is_none() && recovery != Some(*at));
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
    if drafts[at].is_pause() {
        let fault = Fault::new(code, format!("a pause cannot say `{key} = true`"));
        return Err(fault.at(span, "nothing is sent in this phase"));
    }
    Ok(Some((at, span)))
}
