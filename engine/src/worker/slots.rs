//! The in-flight cap: one exact number for all workers.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts iterations in flight against a cap. The only thing workers share on the hot path.
#[derive(Debug)]
pub struct Slots {
    cap: usize,
    used: AtomicUsize,
}

impl Slots {
    /// At most `cap` iterations in flight, over all workers.
    pub fn new(cap: usize) -> Self {
        Self { cap, used: AtomicUsize::new(0) }
    }

    /// Takes a slot, if one is free.
    pub fn try_take(&self) -> bool {
        self.used.try_update(Ordering::Relaxed, Ordering::Relaxed, |used| (used < self.cap).then_some(used + 1)).is_ok()
    }

    /// Gives a slot back.
    pub fn give_back(&self) {
        self.used.fetch_sub(1, Ordering::Relaxed);
    }

    /// Slots in use now.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case S7: a cap of 45 sliced over workers and rounded up became 74.
    #[test]
    fn the_cap_is_exact_over_threads() {
        const CAP: usize = 45;
        let slots = Slots::new(CAP);
        let taken: usize = std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..13).map(|_| scope.spawn(|| (0..1_000).filter(|_| slots.try_take()).count())).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        assert_eq!((taken, slots.used()), (CAP, CAP));
        slots.give_back();
        assert!(slots.try_take());
        assert!(!slots.try_take());
    }
}
