//! Random arrivals: whether they are a Poisson process, the same everywhere. Seeds are fixed, so that nothing here is left to
//! chance.

use super::super::ScheduleError;
use super::*;

const SEEDS: [u64; 5] = [0, 1, 42, 0xDEAD_BEEF, u64::MAX];

/// χ² of these observations against what is expected of each.
fn chi_square(observed: &[u64], expected: &[f64]) -> f64 {
    observed.iter().zip(expected).map(|(&observed, expected)| (observed as f64 - expected).powi(2) / expected).sum()
}

/// How many of these are in each window of this length.
fn windows(due: &[u64], length_ns: u64, windows: u64) -> Vec<u64> {
    let mut counts = vec![0; usize::try_from(windows).expect("few")];
    for ns in due {
        counts[usize::try_from(ns / length_ns).expect("few")] += 1;
    }
    counts
}

#[test]
fn counts_of_windows_are_poisson_distributed() {
    // 1,000/s for 100 s in windows of 1 ms: 100,000 counts of mean 1.
    let mut probability = (-1.0_f64).exp();
    let mut expected = Vec::new();
    for count in 1..=6 {
        expected.push(probability * 1e5);
        probability /= f64::from(count);
    }
    expected.push(1e5 - expected.iter().sum::<f64>());
    for seed in SEEDS {
        let due = due_times(&seeded(&[at_random(constant(1_000.0, 100 * SECOND))], seed));
        let mut observed = vec![0; expected.len()];
        for count in windows(&due, MS, 100_000) {
            observed[usize::try_from(count.min(6)).expect("few")] += 1;
        }
        let chi = chi_square(&observed, &expected);
        // Six degrees of freedom: exceeded once in 1,000.
        assert!(chi < 22.5, "{chi} for seed {seed}: {observed:?}");
    }
}

#[test]
fn counts_vary_as_much_as_they_should_over_short_and_long_windows() {
    for seed in SEEDS {
        let due = due_times(&seeded(&[at_random(constant(1_000.0, 100 * SECOND))], seed));
        // Shorter than a cell, about one, and many; each has windows − 1 degrees of freedom or so.
        for (length_ms, count) in [(10, 10_000), (70, 1_428), (1_000, 100)] {
            let counts = windows(&due, length_ms * MS, 100_000 / length_ms + 1);
            let chi = chi_square(&counts[..count], &vec![length_ms as f64; count]);
            let spread = (2.0 * count as f64).sqrt();
            assert!(
                (chi - count as f64).abs() < 3.5 * spread,
                "{chi} for {count} windows of {length_ms} ms, seed {seed}"
            );
        }
    }
}

#[test]
fn gaps_are_exponentially_distributed_and_know_nothing_of_each_other() {
    for seed in SEEDS {
        let due = due_times(&seeded(&[at_random(constant(1_000.0, 100 * SECOND))], seed));
        let gaps: Vec<f64> = due.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect();
        // Twenty classes of equal probability: 1 − e^(−gap) is even.
        let mut observed = vec![0; 20];
        for gap in &gaps {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 19")]
            let class = ((1.0 - (-gap).exp()) * 20.0) as usize;
            observed[class.min(19)] += 1;
        }
        let chi = chi_square(&observed, &[gaps.len() as f64 / 20.0; 20]);
        // 19 degrees of freedom: exceeded once in 1,000.
        assert!(chi < 43.8, "{chi} for seed {seed}: {observed:?}");
        let covariance: f64 = gaps.windows(2).map(|pair| (pair[0] - 1.0) * (pair[1] - 1.0)).sum();
        let correlation = covariance / gaps.len() as f64;
        assert!(correlation.abs() < 3.3 / (gaps.len() as f64).sqrt(), "{correlation} for seed {seed}");
    }
}

#[test]
fn the_number_has_the_integral_as_its_mean_and_variance() {
    let stretches = [ramp(0.0, 100.0, 2 * SECOND), spike(10.0, 100.0, SECOND, SECOND / 2, 2 * SECOND)];
    for (stretch, mean) in stretches.into_iter().zip([100.0, 65.0]) {
        let stretch = at_random(stretch);
        let counts: Vec<f64> =
            (0..1_000).map(|seed| seeded(std::slice::from_ref(&stretch), seed).planned() as f64).collect();
        let average = counts.iter().sum::<f64>() / 1e3;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 1e3;
        assert!((average - mean).abs() < 3.3 * (mean / 1e3).sqrt(), "mean {average} instead of {mean}");
        assert!((variance / mean - 1.0).abs() < 3.3 * (2.0_f64 / 1e3).sqrt(), "variance {variance} instead of {mean}");
    }
}

#[test]
fn random_arrivals_follow_the_rate_of_their_profile() {
    // 2,500 in the first half of the ramp, 7,500 in the second; none in the pause of the points.
    for seed in SEEDS {
        let due = due_times(&seeded(&[at_random(ramp(0.0, 1_000.0, 20 * SECOND))], seed));
        let halves = windows(&due, 10 * SECOND, 2);
        assert!(chi_square(&halves, &[2_500.0, 7_500.0]) < 13.9, "{halves:?}");
        let rest = points(&[(0, 100.0), (1_000, 100.0), (1_000, 0.0), (2_000, 0.0), (2_000, 100.0)], 3 * SECOND);
        let seconds = windows(&due_times(&seeded(&[at_random(rest)], seed)), SECOND, 3);
        assert_eq!(seconds[1], 0);
        assert!(seconds[0] > 50 && seconds[2] > 50);
    }
}

#[test]
fn the_first_arrivals_of_a_seed_are_these_on_every_machine() {
    let schedule = seeded(&[at_random(constant(1_000.0, 10 * SECOND))], 42);
    let first: Vec<_> = schedule.all().take(6).map(|arrival| arrival.due_ns).collect();
    assert_eq!(first, [671_422, 1_221_932, 3_589_394, 3_638_604, 5_365_397, 6_380_934]);
    // Their number and their sum, from a program that draws its counts with the formula of the distribution.
    assert_eq!(schedule.planned(), 10_088);
    assert_eq!(due_times(&schedule).iter().sum::<u64>(), 50_311_185_005_731);
}

#[test]
fn seeds_and_positions_give_other_arrivals_and_earlier_phases_do_not() {
    let random = at_random(constant(100.0, SECOND));
    let of = |before: Stretch, seed| {
        let due = due_times(&seeded(&[before, random.clone()], seed));
        due.into_iter().filter(|&ns| ns >= SECOND).collect::<Vec<_>>()
    };
    let once = of(pause(SECOND), 1);
    assert_eq!(once, of(constant(17.25, SECOND), 1), "only the position counts");
    assert_ne!(once, of(pause(SECOND), 2));
    let moved: Vec<_> = due_times(&seeded(std::slice::from_ref(&random), 1)).iter().map(|ns| ns + SECOND).collect();
    assert_ne!(once, moved);
}

#[test]
fn a_random_phase_passes_on_the_fraction_that_it_began_with() {
    for seed in SEEDS {
        let schedule =
            seeded(&[constant(0.5, SECOND), at_random(constant(9.0, SECOND)), constant(0.5, 2 * SECOND)], seed);
        let last = schedule.all().last().expect("arrivals");
        assert_eq!((last.phase, last.due_ns), (2, 3 * SECOND), "0.5 + n + 0.5 is reached a second into the last");
    }
}

#[test]
fn random_phases_without_a_rate_or_length_are_empty() {
    for stretch in [pause(SECOND), constant(100.0, 0), ramp(0.0, 0.0, SECOND)] {
        assert_eq!(seeded(&[at_random(stretch)], 3).all().count(), 0);
    }
}

#[test]
fn an_hour_at_the_highest_rate_is_counted_at_once_and_kept_in_bounds() {
    let hour = at_random(constant(100_000.0, 3_600 * SECOND));
    let schedule = seeded(&[hour], 5);
    let mean = 3.6e8_f64;
    assert!((schedule.planned() as f64 - mean).abs() < 4.0 * mean.sqrt());
    let first: Vec<_> = schedule.share(2, 3).take(10_000).map(|arrival| arrival.due_ns).collect();
    assert!(first.is_sorted());
    let month = at_random(constant(100_000.0, 30 * 24 * 3_600 * SECOND));
    let expected = 2.592e11_f64;
    let planned = seeded(std::slice::from_ref(&month), 5).planned() as f64;
    assert!((planned - expected).abs() < 4.0 * expected.sqrt(), "{planned}");
    let error = |stretches: &[Stretch]| Schedule::new(stretches, mix(&[1.0]), &Whole::default()).err();
    let longer = at_random(constant(100_000.0, 32 * 24 * 3_600 * SECOND));
    assert_eq!(error(&[longer]), Some(ScheduleError::TooManyRandom));
}
