//! What becomes of a request, decided by the seed, what the request says, and how many said the same before: so a run
//! that is repeated meets the same faults, whatever the order in which its requests arrive.

use std::collections::HashMap;

use crate::draw::{fraction, hash, random};

/// Contents whose requests are counted. At that many different ones the counts begin again.
const CONTENTS: usize = 65_536;

/// Spaces of the numbers drawn for one request.
const OUTCOME: u64 = 0;
const GAPS: u64 = 1;
const WORDS: u64 = 2;

/// How a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// With what was asked for.
    Answer,
    /// With an error of the server.
    Error,
    /// Not at all.
    Timeout,
}

/// Everything decided about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fate {
    /// Differs from request to request.
    pub(super) key: u64,
    /// How it ends.
    pub(super) outcome: Outcome,
}

impl Fate {
    /// Decides about the request of a body; `before` is how many had the same one before.
    fn of(seed: u64, content: u64, before: u64, error_rate: f64, timeout_rate: f64) -> Self {
        let key = random(seed, content, before);
        let draw = fraction(random(key, OUTCOME, 0));
        let outcome = if draw < error_rate {
            Outcome::Error
        } else if draw < error_rate + timeout_rate {
            Outcome::Timeout
        } else {
            Outcome::Answer
        };
        Self { key, outcome }
    }

    /// A factor around 1 for the `k`-th gap: from 1 - `jitter` to 1 + `jitter`, evenly.
    pub(super) fn stretch(self, k: u64, jitter: f64) -> f64 {
        1.0 + jitter * (2.0 * fraction(random(self.key, GAPS, k)) - 1.0)
    }

    /// A number for the `k`-th word.
    pub(super) fn word(self, k: u64) -> u64 {
        random(self.key, WORDS, k)
    }
}

/// Decides about requests as they arrive.
#[derive(Debug)]
pub(super) struct Fates {
    seed: u64,
    error_rate: f64,
    timeout_rate: f64,
    /// Requests so far by the number of their content.
    counts: HashMap<u64, u64>,
}

impl Fates {
    /// Nobody has asked for anything yet. Both rates are parts of 1.
    pub(super) fn new(seed: u64, error_rate: f64, timeout_rate: f64) -> Self {
        Self { seed, error_rate, timeout_rate, counts: HashMap::new() }
    }

    /// Decides about the next request with this body.
    pub(super) fn next(&mut self, body: &[u8]) -> Fate {
        let content = hash(body);
        if self.counts.len() >= CONTENTS && !self.counts.contains_key(&content) {
            self.counts.clear();
        }
        let count = self.counts.entry(content).or_default();
        let fate = Fate::of(self.seed, content, *count, self.error_rate, self.timeout_rate);
        *count += 1;
        fate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(fates: &mut Fates, bodies: impl Iterator<Item = String>) -> Vec<Outcome> {
        bodies.map(|body| fates.next(body.as_bytes()).outcome).collect()
    }

    #[test]
    fn faults_come_at_their_rates_for_equal_and_for_different_bodies() {
        for different in [false, true] {
            let bodies = (0..10_000).map(|k| if different { format!("body {k}") } else { "body".to_owned() });
            let outcomes = outcomes(&mut Fates::new(1, 0.2, 0.1), bodies);
            let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
            assert!((1_900..2_100).contains(&count(Outcome::Error)), "{}", count(Outcome::Error));
            assert!((930..1_070).contains(&count(Outcome::Timeout)), "{}", count(Outcome::Timeout));
        }
    }

    #[test]
    fn the_order_of_arrival_changes_nobodys_fate() {
        let mut one = Fates::new(7, 0.3, 0.3);
        let mut other = Fates::new(7, 0.3, 0.3);
        let body = |k: u64| format!("body {}", k % 50);
        let mut forward: Vec<(String, u64)> = (0..500).map(|k| (body(k), one.next(body(k).as_bytes()).key)).collect();
        let mut backward: Vec<(String, u64)> =
            (0..500).rev().map(|k| (body(k), other.next(body(k).as_bytes()).key)).collect();
        forward.sort();
        backward.sort();
        assert_eq!(forward, backward);
    }

    #[test]
    fn another_seed_is_another_run() {
        let bodies = || (0..200).map(|k| format!("body {k}"));
        let one = outcomes(&mut Fates::new(1, 0.5, 0.0), bodies());
        assert_eq!(one, outcomes(&mut Fates::new(1, 0.5, 0.0), bodies()));
        assert_ne!(one, outcomes(&mut Fates::new(2, 0.5, 0.0), bodies()));
    }

    #[test]
    fn gaps_are_stretched_evenly_around_one() {
        let fate = Fates::new(1, 0.0, 0.0).next(b"body");
        let stretches: Vec<f64> = (0..10_000).map(|k| fate.stretch(k, 0.3)).collect();
        assert!(stretches.iter().all(|stretch| (0.7..=1.3).contains(stretch)));
        let mean = stretches.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
        assert!((0..100).all(|k| (fate.stretch(k, 0.0) - 1.0).abs() < f64::EPSILON));
    }
}
