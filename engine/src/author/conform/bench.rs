//! Where iterations are played one after the other, each with what it came to; an instance that was lost is replaced.

use std::time::Duration;

use crate::author::play::{MOST_EVENTS, Outcome, Target};
use crate::author::rehearsal::{Begin, Figures, Rehearsal};
use crate::author::take::Ending;
use crate::plugin::{ReadMode, Refused};

use super::Subject;

/// Different faults that are kept.
const KEPT: usize = 20;
/// Times are recorded up to an hour (docs/terminology.md), so no iteration may wait longer of its own will.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// What an iteration came to.
pub(super) struct Played {
    pub(super) ending: Option<Ending>,
    pub(super) endless: bool,
    pub(super) waited: Duration,
    pub(super) events: usize,
    /// Read modes of its exchanges, in the order they were answered.
    pub(super) reads: Vec<ReadMode>,
    /// Whether the mishap came to pass.
    pub(super) befell: bool,
    pub(super) story: Vec<String>,
}

/// Something a plugin asked for, or a fault, with the events that led there.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) what: String,
    pub(super) story: Vec<String>,
}

/// The plugin on the bench.
pub(super) struct Bench<'a> {
    pub(super) subject: &'a Subject<'a>,
    rehearsal: Option<Rehearsal>,
    /// Of all instances so far.
    pub(super) figures: Figures,
    /// Requests that cannot be sent.
    pub(super) unsendable: Vec<Seen>,
    /// Hosts that are not the target and not allowed.
    pub(super) elsewhere: Vec<Seen>,
    /// Faults of limits: time, memory, actions.
    pub(super) over: Vec<Seen>,
}

impl<'a> Bench<'a> {
    /// A bench with an instance on it.
    pub(super) fn new(subject: &'a Subject<'a>) -> Result<Self, Refused> {
        let rehearsal = Some(fresh(subject)?);
        Ok(Self {
            subject,
            rehearsal,
            figures: Figures::default(),
            unsendable: Vec::new(),
            elsewhere: Vec::new(),
            over: Vec::new(),
        })
    }

    /// Another instance.
    pub(super) fn fresh(&self) -> Result<Rehearsal, Refused> {
        fresh(self.subject)
    }

    /// Begins an iteration and gives it up at once: what it asked for.
    pub(super) fn begin(&mut self, begin: &Begin) -> Option<Played> {
        self.run(begin, |rehearsal, begin| {
            let take = rehearsal.begin(begin)?;
            Some((take, Outcome::Ended, crate::author::Way::default()))
        })
    }

    /// Plays an iteration to its end; none where the plugin has no such flow.
    pub(super) fn play(&mut self, target: &Target<'_>, begin: &Begin) -> Option<Played> {
        self.run(begin, |rehearsal, begin| target.play(rehearsal, begin))
    }

    fn run(
        &mut self,
        begin: &Begin,
        run: impl FnOnce(&mut Rehearsal, &Begin) -> Option<(usize, Outcome, crate::author::Way)>,
    ) -> Option<Played> {
        let mut rehearsal = match self.rehearsal.take() {
            Some(rehearsal) => rehearsal,
            // It was made before, of the same configuration.
            None => self.fresh().ok()?,
        };
        let outcome = run(&mut rehearsal, begin);
        self.figures.add(&rehearsal.figures());
        let played = outcome.and_then(|(id, outcome, way)| {
            let ending = rehearsal.take(id).ending().cloned();
            let take = rehearsal.forget(id)?;
            let story = take.story();
            for why in &take.unsendable {
                keep(&mut self.unsendable, why, &story);
            }
            for host in take.elsewhere.iter().filter(|host| !self.subject.hosts.contains(host)) {
                keep(&mut self.elsewhere, host, &story);
            }
            if let Some(Ending { outcome, detail }) = &ending {
                let actions = outcome == "plugin_misuse" && detail.starts_with("more than ");
                if actions || outcome == "plugin_deadline" || outcome == "plugin_memory" {
                    keep(&mut self.over, detail, &story);
                }
            }
            Some(Played {
                ending,
                endless: outcome == Outcome::Endless,
                waited: take.waited(),
                events: take.events,
                reads: way.reads,
                befell: way.befell,
                story,
            })
        });
        if !rehearsal.is_dead() {
            self.rehearsal = Some(rehearsal);
        }
        played
    }
}

impl Played {
    /// What is wrong with it, whatever came to it.
    pub(super) fn wrong(&self) -> Option<String> {
        if self.endless {
            return Some(format!("goes on and on: {MOST_EVENTS} events and no end"));
        }
        if self.waited > LONGEST_WAIT {
            return Some(format!("waits {} of its own will", humantime::format_duration(self.waited)));
        }
        let ending = self.ending.as_ref().filter(|ending| ending.is_fault())?;
        Some(format!("ends as {}: {}", ending.outcome, ending.detail))
    }
}

fn fresh(subject: &Subject<'_>) -> Result<Rehearsal, Refused> {
    Rehearsal::new(subject.plugin, subject.config, subject.shared)
}

fn keep(list: &mut Vec<Seen>, what: &str, story: &[String]) {
    if list.len() < KEPT && !list.iter().any(|seen| seen.what == what) {
        list.push(Seen { what: what.to_owned(), story: story.to_vec() });
    }
}
