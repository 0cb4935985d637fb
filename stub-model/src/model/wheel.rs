//! A timer wheel: what is due at which tick, as a pure structure without a clock.

/// Slots; a tick of 1 ms makes one turn 1.024 s. What is due later stays for more turns.
const SLOTS: u64 = 1024;

/// Items, each due at a tick.
#[derive(Debug)]
pub(super) struct Wheel<T> {
    slots: Vec<Vec<(u64, T)>>,
    now: u64,
    len: usize,
}

impl<T> Wheel<T> {
    /// An empty wheel at this tick.
    pub(super) fn new(now: u64) -> Self {
        Self { slots: (0..SLOTS).map(|_| Vec::new()).collect(), now, len: 0 }
    }

    /// Puts an item in. One that is due already comes with the next tick.
    pub(super) fn insert(&mut self, due: u64, item: T) {
        let due = due.max(self.now + 1);
        self.slot(due).push((due, item));
        self.len += 1;
    }

    /// Goes on to a tick and moves what is due by then to `fired`: by tick, and within one in the order in which it was
    /// put in; after a leap of more than a turn in any order.
    pub(super) fn advance(&mut self, to: u64, fired: &mut Vec<T>) {
        let before = fired.len();
        // One turn passes every slot.
        let first = (self.now + 1).max(to.saturating_sub(SLOTS - 1));
        for tick in first..=to {
            fired.extend(self.slot(tick).extract_if(.., |(due, _)| *due <= to).map(|(_, item)| item));
        }
        self.now = self.now.max(to);
        self.len -= fired.len() - before;
    }

    /// True where nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn slot(&mut self, tick: u64) -> &mut Vec<(u64, T)> {
        // Less than SLOTS, which every index can be.
        &mut self.slots[usize::try_from(tick % SLOTS).unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advance(wheel: &mut Wheel<u64>, to: u64) -> Vec<u64> {
        let mut fired = Vec::new();
        wheel.advance(to, &mut fired);
        fired
    }

    #[test]
    fn items_come_at_their_tick_and_not_before() {
        let mut wheel = Wheel::new(100);
        for due in [103, 101, 102, 103] {
            wheel.insert(due, due);
        }
        assert!(advance(&mut wheel, 100).is_empty());
        assert_eq!(advance(&mut wheel, 101), [101]);
        assert_eq!(advance(&mut wheel, 103), [102, 103, 103]);
        assert!(wheel.is_empty());
    }

    #[test]
    fn what_is_due_already_comes_with_the_next_tick() {
        let mut wheel = Wheel::new(100);
        wheel.insert(7, 7);
        assert!(advance(&mut wheel, 100).is_empty());
        assert_eq!(advance(&mut wheel, 101), [7]);
    }

    #[test]
    fn what_is_due_turns_later_waits_for_them() {
        let mut wheel = Wheel::new(0);
        wheel.insert(1, 1);
        wheel.insert(1 + SLOTS, 2);
        wheel.insert(1 + 3 * SLOTS, 3);
        assert_eq!(advance(&mut wheel, 1), [1]);
        assert!(advance(&mut wheel, SLOTS).is_empty());
        assert_eq!(advance(&mut wheel, SLOTS + 1), [2]);
        assert!(!wheel.is_empty());
    }

    #[test]
    fn a_leap_of_many_turns_loses_nothing() {
        let mut wheel = Wheel::new(5);
        for due in 6..3_000 {
            wheel.insert(due, due);
        }
        let mut fired = advance(&mut wheel, 2_500);
        fired.sort_unstable();
        assert_eq!(fired, (6..=2_500).collect::<Vec<_>>());
        assert_eq!(advance(&mut wheel, 10_000).len(), 499);
        assert!(wheel.is_empty());
    }

    #[test]
    fn every_item_comes_once_whatever_the_steps() {
        for step in [1, 2, 7, 1_023, 1_024, 1_025] {
            let mut wheel = Wheel::new(0);
            let mut fired = Vec::new();
            for due in 1..=4_000 {
                wheel.insert(due, due);
            }
            let mut now = 0;
            while now < 4_000 + step {
                now += step;
                let before = fired.len();
                wheel.advance(now, &mut fired);
                assert!(fired[before..].iter().all(|due| *due <= now && *due > now - step), "step {step} at {now}");
            }
            fired.sort_unstable();
            assert_eq!(fired, (1..=4_000).collect::<Vec<_>>(), "step {step}");
        }
    }
}
