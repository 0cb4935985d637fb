//! Phases laid end to end: which arrivals belong to which, and when they are due.

use super::profile::Path;
use super::random::{Random, Window};
use super::rate::{Area, ONE_ARRIVAL, Rate};
use super::{ScheduleError, Spacing, Stretch, Whole};

/// The most cells of random phases, all phases together: 128 MiB.
const MOST_CELLS: usize = 1 << 24;

/// One phase in its place.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Its start, in nanoseconds from the start of the run.
    pub(super) start_ns: u64,
    /// Its length in nanoseconds.
    pub(super) length_ns: u64,
    /// The first arrival due in it or later.
    first: u64,
    /// The first arrival due after it; the same as of the segment before where none is due in it.
    pub(super) end: u64,
    /// The integral over all phases before it.
    start_area: Area,
    /// How the rate runs over it.
    path: Path,
    /// Its arrivals where they are random; evenly spaced along the integral otherwise.
    random: Option<Random>,
}

impl Segment {
    /// When arrival `k` is due, in nanoseconds from the start of the run. Only for arrivals of this segment, which is the
    /// one at position `phase`; rounded down, so that it lies within the segment.
    #[inline]
    pub(super) fn due_ns(&self, k: u64, phase: u16, window: &mut Window) -> u64 {
        let within = match &self.random {
            None => (Area::from(k) * ONE_ARRIVAL).saturating_sub(self.start_area),
            Some(random) => random.area_at(k - self.first, phase, window),
        };
        self.start_ns + self.path.reached(within)
    }

    /// The highest rate in it.
    pub(super) fn peak(&self) -> Rate {
        self.path.peak()
    }
}

/// Lays the stretches end to end and gives their whole length in nanoseconds.
///
/// A segment holds the arrivals k with (integral before it) ≤ k < (integral after it): one that falls due exactly at a
/// boundary is the first of the next phase, and one that falls due in or before a pause is due after it.
///
/// A phase of random arrivals adds their number to the integral, and passes on the fraction that it began with. A limit on
/// the arrivals of a phase, or of all, stops the integral just where one more would be due: after it nothing is left of a
/// fraction, and the next phase begins with an arrival.
///
/// # Errors
/// Where a count overflows, or there is no such profile.
pub(super) fn lay_out(stretches: &[Stretch], whole: &Whole) -> Result<(Vec<Segment>, u64), ScheduleError> {
    let area_of = |arrivals: u64| Area::from(arrivals) * ONE_ARRIVAL;
    let most = whole.max_arrivals.map_or(Area::MAX, area_of);
    let (mut start_ns, mut first, mut cells) = (0_u64, 0_u64, 0);
    let mut start_area: Area = 0;
    let mut segments = Vec::with_capacity(stretches.len());
    for (phase, stretch) in stretches.iter().enumerate() {
        let length_ns = stretch.length_ns;
        let lines = stretch.profile.lines(length_ns).map_err(|error| ScheduleError::Profile { phase, error })?;
        let path = Path::new(lines).ok_or(ScheduleError::TooLong)?;
        let random = match stretch.spacing {
            Spacing::Even => None,
            Spacing::Random => Some(Random::new(&path, whole.seed, phase as u64).ok_or(ScheduleError::TooManyRandom)?),
        };
        cells += random.as_ref().map_or(0, Random::cells);
        if cells > MOST_CELLS {
            return Err(ScheduleError::TooManyRandom);
        }
        let area = random.as_ref().map_or(path.area(), |random| area_of(random.count()));
        let most_here = stretch.max_arrivals.map_or(Area::MAX, |most| area_of(first).saturating_add(area_of(most)));
        let end_area = start_area.checked_add(area).ok_or(ScheduleError::TooLong)?.min(most_here).min(most);
        let end = u64::try_from(end_area.div_ceil(ONE_ARRIVAL)).map_err(|_| ScheduleError::TooLong)?;
        if end > 1 << 63 {
            return Err(ScheduleError::TooLong);
        }
        segments.push(Segment { start_ns, length_ns, first, end, start_area, path, random });
        start_ns = start_ns.checked_add(length_ns).ok_or(ScheduleError::TooLong)?;
        (first, start_area) = (end, end_area);
    }
    Ok((segments, start_ns))
}
