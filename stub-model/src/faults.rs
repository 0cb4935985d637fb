//! Faults that befall every request to a stub, as its options say: waits, slow answers, resets. What befalls a request
//! follows from its number, when it arrived and the seed alone, so that what a run must show can be computed beforehand.

mod parse;
mod record;

use std::time::Duration;

use crate::draw::random;

pub use parse::gap;
pub use record::{Befell, Kind};

/// Keeps the numbers drawn for resets apart from all others.
const RESETS: u64 = 8_000;

/// Most that a time may be set to.
pub const MAX_TIME: Duration = Duration::from_hours(24);

/// What befalls requests. Nothing unless set.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Times in which nothing is answered; what arrives within waits until the end.
    pub stalls: Vec<Stall>,
    /// The first answers are slow.
    pub slow_start: Option<SlowStart>,
    /// Every second answer is slow.
    pub alternate: Option<Alternate>,
    /// Answers leave byte by byte, with this between one byte and the next.
    pub loris: Option<Duration>,
    /// The part of requests whose connection is reset in place of an answer.
    pub reset_share: Share,
    /// Decides which ones these are.
    pub seed: u64,
}

/// `FROM..TO`, both from the arrival of the first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Its beginning.
    pub from: Duration,
    /// Its end, later than its beginning.
    pub to: Duration,
}

/// `WAIT,OVER`: a request that arrives at once waits so long, and the later one arrives the shorter it waits, evenly, down
/// to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlowStart {
    /// The wait of the first request.
    pub wait: Duration,
    /// From the arrival of the first request until the first that does not wait; more than nothing.
    pub over: Duration,
}

/// `FAST,SLOW`: the waits of requests 0, 2, 4 … and 1, 3, 5 ….
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternate {
    /// That of even numbers.
    pub fast: Duration,
    /// That of odd numbers.
    pub slow: Duration,
}

/// A part of 1 in millionths, so that it can be kept exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// 1,000,000 at most.
    pub millionths: u32,
}

impl Share {
    /// Whether it includes this number. Numbers are cut into stretches as long as the share says (20 for 5 %), and the
    /// seed decides which one of each it is. So of the first n numbers it includes n × share where that is whole, and is
    /// off by less than one where it is not.
    fn includes(self, number: u64, seed: u64) -> bool {
        const WHOLE: u128 = 1_000_000;
        let share = u128::from(self.millionths);
        if share == 0 {
            return false;
        }
        let stretch = u128::from(number) * share / WHOLE;
        let begin = |stretch: u128| (stretch * WHOLE).div_ceil(share);
        let length = begin(stretch + 1) - begin(stretch);
        let drawn = random(seed, RESETS, u64::try_from(stretch).unwrap_or(u64::MAX));
        u128::from(number) == begin(stretch) + u128::from(drawn) % length
    }
}

/// What is to befall one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Fate {
    /// How long it waits, from its arrival, before it is answered or reset.
    pub(crate) wait: Duration,
    /// It is reset in place of an answer.
    pub(crate) reset: bool,
    /// Its answer leaves byte by byte, this far apart.
    pub(crate) loris: Option<Duration>,
    /// The same as the journal has it.
    pub(crate) befell: Befell,
}

impl Settings {
    /// What befalls request `number`, counted from 0, that arrives so long after the first.
    pub(crate) fn fate(&self, number: u64, since_first: Duration) -> Fate {
        let mut fate = Fate { loris: self.loris, ..Fate::default() };
        let held = self.released(since_first).saturating_sub(since_first);
        if !held.is_zero() {
            fate.befell.add(Kind::Stall);
            fate.wait = held;
        }
        if let Some(SlowStart { wait, over }) = self.slow_start
            && since_first < over
        {
            fate.befell.add(Kind::SlowStart);
            fate.wait += wait.mul_f64(1.0 - since_first.as_secs_f64() / over.as_secs_f64());
        }
        if let Some(Alternate { fast, slow }) = self.alternate {
            let is_slow = number % 2 == 1;
            fate.befell.add(if is_slow { Kind::Slow } else { Kind::Fast });
            fate.wait += if is_slow { slow } else { fast };
        }
        if self.reset_share.includes(number, self.seed) {
            fate.befell.add(Kind::Reset);
            fate.reset = true;
            fate.loris = None;
        }
        if fate.loris.is_some() {
            fate.befell.add(Kind::Loris);
        }
        fate
    }

    /// The end of the stall that lasts at this time, and of those that have begun by then; the time itself where none
    /// does.
    fn released(&self, since_first: Duration) -> Duration {
        let mut at = since_first;
        while let Some(stall) = self.stalls.iter().find(|stall| (stall.from..stall.to).contains(&at)) {
            at = stall.to;
        }
        at
    }

    /// Nothing befalls anybody.
    fn is_nothing(&self) -> bool {
        self.stalls.is_empty()
            && self.slow_start.is_none()
            && self.alternate.is_none()
            && self.loris.is_none()
            && self.reset_share == Share::default()
    }
}

/// Numbers requests as they arrive and decides about them.
#[derive(Debug)]
pub(crate) struct Fates {
    settings: Settings,
    nothing: bool,
    first_ns: Option<u64>,
    next: u64,
}

impl Fates {
    /// Nothing has arrived yet.
    pub(crate) fn new(settings: Settings) -> Self {
        Self { nothing: settings.is_nothing(), settings, first_ns: None, next: 0 }
    }

    /// Decides about a request that arrived at this moment, of the clock that the journal has.
    pub(crate) fn next(&mut self, arrived_ns: u64) -> Fate {
        if self.nothing {
            return Fate::default();
        }
        let first_ns = *self.first_ns.get_or_insert(arrived_ns);
        let number = self.next;
        self.next += 1;
        self.settings.fate(number, Duration::from_nanos(arrived_ns.saturating_sub(first_ns)))
    }

    /// The next request is the first again.
    pub(crate) fn reset(&mut self) {
        (self.first_ns, self.next) = (None, 0);
    }
}

#[cfg(test)]
mod tests;
