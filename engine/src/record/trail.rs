//! How iteration times ran over the length of a phase: what is needed to see a warm-up or a drift, in bounded memory.

use super::Span;

/// Parts into which a phase is cut.
const PARTS: u64 = 256;

/// The iteration times of one part of a phase, by when its iterations were due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrailPart {
    /// Iterations that were ok.
    pub count: u64,
    /// The sum of their times, in nanoseconds.
    pub sum: u64,
}

impl TrailPart {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
    }
}

/// The iteration times of a phase in up to 256 equal parts of its length, allocated when first used. Iterations count in
/// the part in which they were due, not in that in which they ended: a time is told where it began to be waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    parts: Vec<TrailPart>,
}

impl Trail {
    /// Adds an iteration that was ok, due at `offset` nanoseconds from the start of the schedule, that took `time`.
    pub(super) fn record(&mut self, phase: Span, offset: u64, time: u64) {
        let part = offset.saturating_sub(phase.start) / part_length(phase);
        let part = usize::try_from(part.min(PARTS - 1)).unwrap_or(0);
        if part >= self.parts.len() {
            self.parts.resize(part + 1, TrailPart::default());
        }
        self.parts[part].add(TrailPart { count: 1, sum: time });
    }

    /// Adds another worker's of the same phase.
    pub(super) fn merge(&mut self, other: &Self) {
        if self.parts.len() < other.parts.len() {
            self.parts.resize(other.parts.len(), TrailPart::default());
        }
        for (mine, theirs) in self.parts.iter_mut().zip(&other.parts) {
            mine.add(*theirs);
        }
    }

    /// The parts from the start of the phase to the last in which an iteration was due.
    pub fn parts(&self) -> &[TrailPart] {
        &self.parts
    }
}

/// The length of a part of such a phase, in nanoseconds.
pub fn part_length(phase: Span) -> u64 {
    phase.length().div_ceil(PARTS).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_counts_where_its_iteration_was_due() {
        let phase = Span { start: 1_000, end: 1_000 + 2 * PARTS };
        let mut trail = Trail::default();
        for (offset, time) in
            [(1_000, 10), (1_001, 20), (1_002, 30), (1_000 + 2 * PARTS - 1, 40), (1_000 + 9 * PARTS, 1)]
        {
            trail.record(phase, offset, time);
        }
        let parts = trail.parts();
        assert_eq!(parts.len(), 256);
        assert_eq!((parts[0], parts[1]), (TrailPart { count: 2, sum: 30 }, TrailPart { count: 1, sum: 30 }));
        assert_eq!(parts[255], TrailPart { count: 2, sum: 41 }, "what is due at the end or beyond is in the last");
        assert_eq!(parts.iter().map(|part| part.count).sum::<u64>(), 5);
    }

    #[test]
    fn merging_is_recording_in_one() {
        let phase = Span { start: 0, end: 1_000_000 };
        let (mut one, mut two, mut all) = (Trail::default(), Trail::default(), Trail::default());
        for k in 0..1_000_u64 {
            let (offset, time) = (k * 997 % 1_000_000, k * k);
            if k % 3 == 0 { &mut one } else { &mut two }.record(phase, offset, time);
            all.record(phase, offset, time);
        }
        one.merge(&two);
        assert_eq!(one, all);
    }
}
