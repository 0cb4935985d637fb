//! What a run at a constant rate must show under each fault, by the nearest rank: the ⌈p/100 × n⌉-th smallest.

use std::time::Duration;

use super::*;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The fates of arrivals at 1,000 a second for so many seconds.
fn run(settings: &Settings, seconds: u64) -> Vec<Fate> {
    (0..seconds * 1_000).map(|k| settings.fate(k, ms(k))).collect()
}

fn percentile(fates: &[Fate], p: usize) -> Duration {
    let mut waits: Vec<Duration> = fates.iter().map(|fate| fate.wait).collect();
    waits.sort_unstable();
    waits[(p * waits.len()).div_ceil(100) - 1]
}

fn count(fates: &[Fate], kind: Kind) -> usize {
    fates.iter().filter(|fate| fate.befell.has(kind)).count()
}

/// A stall from 4 s to 6 s in 10 s: 2,000 of 10,000 wait, for 2,000, 1,999 … 1 ms. Above the 9,000th smallest are the
/// 1,000 longest waits, 1,001 to 2,000 ms: p90 is 1,000 ms. Likewise p99 has 100 above it and is 1,900 ms, and p80 has all
/// 2,000 above it and is 0. The mean is 2,000 × 1,000.5 ÷ 10,000 = 200.1 ms.
#[test]
fn a_stall_charges_all_that_arrive_within_until_its_end() {
    let settings = Settings { stalls: vec!["4s..6s".parse().unwrap()], ..Settings::default() };
    let fates = run(&settings, 10);
    assert_eq!(count(&fates, Kind::Stall), 2_000);
    assert_eq!([50, 80, 90, 99, 100].map(|p| percentile(&fates, p)), [0, 0, 1_000, 1_900, 2_000].map(ms));
    assert_eq!(fates.iter().map(|fate| fate.wait).sum::<Duration>() / 10_000, Duration::from_micros(200_100));
    assert_eq!([3_999, 4_000, 5_999, 6_000].map(|k| fates[k].wait), [0, 2_000, 1, 0].map(ms));
}

#[test]
fn stalls_that_follow_on_each_other_are_one() {
    let stalls = ["3s..5s", "1s..3s", "7s..8s", "4s..6s"].map(|text| text.parse().unwrap()).to_vec();
    let settings = Settings { stalls, ..Settings::default() };
    let waits = [999, 1_000, 3_500, 5_999, 6_000, 7_500].map(|at| settings.fate(0, ms(at)).wait);
    assert_eq!(waits, [0, 5_000, 2_500, 1, 0, 500].map(ms));
}

/// 400 ms falling to nothing over 4 s, in 10 s: request k of the first 4,000 waits 400 − k ÷ 10 ms, the other 6,000 do not.
/// p60 is the last that does not wait, 0; p90 has 1,000 above it, so it is request 1,000: 300 ms; p99 is request 100:
/// 390 ms; the maximum is request 0.
#[test]
fn a_slow_start_wears_off_evenly() {
    let settings = Settings { slow_start: Some("400ms,4s".parse().unwrap()), ..Settings::default() };
    let fates = run(&settings, 10);
    assert_eq!(count(&fates, Kind::SlowStart), 4_000);
    for (p, expected) in [(60, 0), (90, 300), (99, 390), (100, 400)] {
        let off = percentile(&fates, p).abs_diff(ms(expected));
        assert!(off < Duration::from_micros(1), "p{p} is off by {off:?}");
    }
    assert!(fates.windows(2).all(|pair| pair[0].wait >= pair[1].wait));
}

/// Half of them wait 5 ms and half 200 ms: p50 is the last fast one, every percentile above it is slow, and the mean is
/// 102.5 ms, where no request ever is.
#[test]
fn alternating_answers_have_two_heights_and_nothing_between() {
    let settings = Settings { alternate: Some("5ms,200ms".parse().unwrap()), ..Settings::default() };
    let fates = run(&settings, 10);
    assert_eq!((count(&fates, Kind::Fast), count(&fates, Kind::Slow)), (5_000, 5_000));
    assert_eq!([1, 50, 51, 100].map(|p| percentile(&fates, p)), [5, 5, 200, 200].map(ms));
}

/// Exact wherever the number times the share is whole: 5 % of any multiple of 20, 29 % of any multiple of 100. A client's
/// error rate is then the share itself.
#[test]
fn resets_are_the_share_exactly_and_not_by_chance() {
    for (text, each) in [("0.05", 20), ("0.29", 100), ("0.5", 2), ("1", 1), ("0.001", 1_000), ("0.333333", 1_000_000)] {
        let share: Share = text.parse().unwrap();
        let mut so_far = 0_u64;
        for number in 0..1_000_000_u64 {
            so_far += u64::from(share.includes(number, 7));
            let exact = (number + 1) * u64::from(share.millionths);
            assert!((so_far * 1_000_000).abs_diff(exact) < 1_000_000, "{text} of {}: {so_far}", number + 1);
            if (number + 1) % each == 0 {
                assert_eq!(so_far * 1_000_000, exact, "{text} of {}", number + 1);
            }
        }
    }
    assert!((0..10_000).all(|number| !Share::default().includes(number, 7)));
}

/// At even distances they would fall together with whatever else happens every 20th time.
#[test]
fn the_seed_decides_which_are_reset() {
    let of = |seed| {
        let settings = Settings { reset_share: "0.05".parse().unwrap(), seed, ..Settings::default() };
        let fates = run(&settings, 2);
        (0..2_000).filter(|k| fates[*k].reset).collect::<Vec<usize>>()
    };
    assert_eq!((of(1).len(), of(1)), (100, of(1)));
    assert_ne!(of(1), of(2));
    let gaps: std::collections::BTreeSet<usize> = of(1).windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() > 5, "{gaps:?}");
}

/// Half a stall's requests are also slow ones: a wait is the sum. Where a request is reset nothing is left to trickle.
#[test]
fn faults_add_up() {
    let settings = Settings {
        stalls: vec!["0s..1s".parse().unwrap()],
        alternate: Some("0s,100ms".parse().unwrap()),
        loris: Some(ms(10)),
        reset_share: "0.5".parse().unwrap(),
        ..Settings::default()
    };
    let fates = run(&settings, 2);
    assert_eq!([0, 1, 1_000, 1_001].map(|k| fates[k].wait), [1_000, 1_099, 0, 100].map(ms));
    assert!(fates.iter().all(|fate| fate.reset != fate.loris.is_some()));
    assert_eq!((count(&fates, Kind::Reset), count(&fates, Kind::Loris)), (1_000, 1_000));
}

#[test]
fn times_count_from_the_first_request_and_again_after_a_reset() {
    let stalls = vec!["1s..2s".parse().unwrap()];
    let mut fates = Fates::new(Settings { stalls, ..Settings::default() });
    for start_ms in [60_000, 90_000] {
        let waits = [0, 1_250, 2_000].map(|at| fates.next((start_ms + at) * 1_000_000).wait);
        assert_eq!(waits, [0, 750, 0].map(ms));
        fates.reset();
    }
}
