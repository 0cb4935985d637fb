//! What holds of any schedule: any profiles, spacings, limits, mixes, seeds and numbers of workers.

use proptest::prelude::*;

use super::super::{Arrival, Counts};
use super::*;

/// Rates to 100/s, some of them 0 or very low.
fn rates() -> impl Strategy<Value = Rate> {
    let millionths = prop_oneof![4 => 1_u64..100_000_000, 1 => Just(100_000), 1 => Just(1), 1 => Just(0)];
    millionths.prop_map(|millionths| Rate::from_millionths(millionths).expect("below the highest"))
}

/// A staircase that does not go below 0.
fn staircases() -> impl Strategy<Value = Profile> {
    (rates(), rates(), 1..20_u16).prop_map(|(from, to, steps)| {
        let span = (to.as_f64() - from.as_f64()) / f64::from(steps);
        let by = RateChange::per_second((span * 1e3).trunc() / 1e3).expect("three decimals");
        Profile::Steps { from, by, steps }
    })
}

fn profiles(length_ns: u64) -> impl Strategy<Value = Profile> {
    let point =
        (prop_oneof![0..=length_ns, Just(length_ns / 2)], rates()).prop_map(|(at_ns, rate)| Point { at_ns, rate });
    let points = prop::collection::vec(point, 1..8).prop_map(|mut points| {
        points.sort_by_key(|point| point.at_ns);
        Profile::Points(points.into())
    });
    let spike = (rates(), rates(), 0..length_ns - 1).prop_flat_map(move |(base, peak, at_ns)| {
        (1..length_ns - at_ns).prop_map(move |for_ns| Profile::Spike { base, peak, at_ns, for_ns })
    });
    prop_oneof![
        Just(Profile::Pause),
        rates().prop_map(|rate| Profile::Constant { rate }),
        (rates(), rates()).prop_map(|(from, to)| Profile::Ramp { from, to }),
        staircases(),
        spike,
        points,
    ]
}

/// Evenly spaced and without limits.
fn even() -> impl Strategy<Value = Vec<Stretch>> {
    let stretch =
        (2..3 * SECOND).prop_flat_map(|length_ns| profiles(length_ns).prop_map(move |p| Stretch::new(length_ns, p)));
    prop::collection::vec(stretch, 0..6)
}

/// Of any spacing, some of them limited.
fn stretches() -> impl Strategy<Value = Vec<Stretch>> {
    let how = (any::<bool>(), prop::option::weighted(0.2, 0..150_u64));
    (even(), prop::collection::vec(how, 6)).prop_map(|(stretches, hows)| {
        let set = |(stretch, (random, max_arrivals)): (Stretch, (bool, Option<u64>))| {
            let spacing = if random { Spacing::Random } else { Spacing::Even };
            Stretch { spacing, max_arrivals, ..stretch }
        };
        stretches.into_iter().zip(hows).map(set).collect()
    })
}

fn wholes() -> impl Strategy<Value = Whole> {
    (any::<u64>(), prop::option::weighted(0.2, 0..400_u64))
        .prop_map(|(seed, max_arrivals)| Whole { seed, max_arrivals })
}

fn of(stretches: &[Stretch], weights: &[f64], whole: &Whole) -> Schedule {
    Schedule::new(stretches, mix(weights), whole).expect("a schedule")
}

/// Twice the integral, in 10⁻¹⁵ arrivals, by the definition of each profile.
fn integral(stretch: &Stretch) -> u128 {
    let product = |rate: Rate, ns: u64| 2 * u128::from(rate.millionths()) * u128::from(ns);
    let line = |from: Rate, to: Rate, ns: u64| product(from, ns).midpoint(product(to, ns));
    let length = stretch.length_ns;
    match stretch.profile {
        Profile::Constant { rate } => product(rate, length),
        Profile::Ramp { from, to } => line(from, to, length),
        Profile::Steps { from, by, steps } => {
            let bound = |step: u16| {
                let (whole, parts) = (u64::from(step) * length, u64::from(steps));
                if by.millionths() > 0 { whole.div_ceil(parts) } else { whole / parts }
            };
            let step = |at| product(from.changed(by, u32::from(at)).expect("a rate"), bound(at + 1) - bound(at));
            (0..steps).map(step).sum()
        }
        Profile::Spike { base, peak, for_ns, .. } => product(base, length - for_ns) + product(peak, for_ns),
        Profile::Points(ref points) => {
            let between = points.windows(2).map(|pair| line(pair[0].rate, pair[1].rate, pair[1].at_ns - pair[0].at_ns));
            let (first, last) = (points[0], points[points.len() - 1]);
            product(first.rate, first.at_ns) + between.sum::<u128>() + product(last.rate, length - last.at_ns)
        }
        Profile::Closed { .. } | Profile::Pause => 0,
    }
}

fn weights() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((1_u32..1_000_000).prop_map(|thousandths| f64::from(thousandths) / 1_000.0), 1..9)
}

fn walked(schedule: &Schedule, phases: usize, workloads: usize) -> Vec<Vec<u64>> {
    let mut cells = vec![vec![0; workloads]; phases];
    for arrival in schedule.all() {
        cells[usize::from(arrival.phase)][usize::from(arrival.workload)] += 1;
    }
    cells
}

fn cells(counts: &Counts, phases: usize, workloads: usize) -> Vec<Vec<u64>> {
    (0..phases).map(|phase| (0..workloads).map(|workload| counts.cell(phase, workload)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_count_is_the_integral(stretches in even()) {
        let schedule = schedule(&stretches, &[1.0]);
        let area: u128 = stretches.iter().map(integral).sum();
        prop_assert_eq!(u128::from(schedule.planned()), area.div_ceil(2_000_000_000_000_000));
        prop_assert_eq!(schedule.all().count() as u64, schedule.planned());
    }

    #[test]
    fn a_phase_can_be_cut_in_two_anywhere(rate in rates(), length_ns in 2..3 * SECOND, part in 0.0..1.0) {
        // One boundary rule: two phases of the same rate are one.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below the length")]
        let cut = (length_ns as f64 * part) as u64;
        let level = |length_ns| Stretch::new(length_ns, Profile::Constant { rate });
        let whole = due_times(&schedule(&[level(length_ns)], &[1.0]));
        prop_assert_eq!(whole, due_times(&schedule(&[level(cut), level(length_ns - cut)], &[1.0])));
    }

    #[test]
    fn lines_within_a_phase_are_as_phases_of_their_own(
        corners in prop::collection::vec((rates(), rates(), 1..SECOND), 1..6),
    ) {
        let ramps: Vec<_> =
            corners.iter().map(|&(from, to, length_ns)| Stretch::new(length_ns, Profile::Ramp { from, to })).collect();
        let mut points = Vec::new();
        let mut end_ns = 0;
        for (from, to, length_ns) in corners {
            points.push(Point { at_ns: end_ns, rate: from });
            end_ns += length_ns;
            points.push(Point { at_ns: end_ns, rate: to });
        }
        let one = Stretch::new(end_ns, Profile::Points(points.into()));
        prop_assert_eq!(due_times(&schedule(&ramps, &[1.0])), due_times(&schedule(&[one], &[1.0])));
    }

    #[test]
    fn no_phase_is_above_the_peak(stretches in even()) {
        let peak = schedule(&stretches, &[1.0]).peak();
        for stretch in &stretches {
            let most = 2 * u128::from(peak.millionths()) * u128::from(stretch.length_ns);
            prop_assert!(integral(stretch) <= most);
        }
    }

    #[test]
    fn every_arrival_is_due_within_its_phase_and_in_order(
        stretches in stretches(), weights in weights(), whole in wholes(),
    ) {
        let schedule = of(&stretches, &weights, &whole);
        let mut before = 0;
        for (k, arrival) in schedule.all().enumerate() {
            let (start, end) = schedule.phase_bounds_ns(usize::from(arrival.phase)).expect("a phase");
            prop_assert_eq!(arrival.sequence, k as u64);
            prop_assert!((start..end).contains(&arrival.due_ns));
            prop_assert!(before <= arrival.due_ns);
            before = arrival.due_ns;
        }
        prop_assert_eq!(schedule.last_due_ns(), schedule.all().last().map(|last| last.due_ns));
    }

    #[test]
    fn counts_agree_with_a_walk(
        stretches in stretches(), weights in weights(), whole in wholes(),
    ) {
        let schedule = of(&stretches, &weights, &whole);
        let (phases, workloads) = (stretches.len(), weights.len());
        prop_assert_eq!(cells(&schedule.counts(), phases, workloads), walked(&schedule, phases, workloads));
        prop_assert_eq!(schedule.counts().total(), schedule.planned());
        prop_assert!(whole.max_arrivals.is_none_or(|most| schedule.planned() <= most));
        for (phase, stretch) in stretches.iter().enumerate() {
            prop_assert!(stretch.max_arrivals.is_none_or(|most| schedule.counts().phase(phase) <= most));
        }
    }

    #[test]
    fn the_shares_of_any_number_of_workers_are_the_whole_and_balanced(
        stretches in stretches(), weights in weights(), whole in wholes(),
    ) {
        let schedule = of(&stretches, &weights, &whole);
        let all: Vec<Arrival> = schedule.all().collect();
        let counts = schedule.counts();
        for of in WORKERS {
            let mut union = Vec::with_capacity(all.len());
            for worker in 0..of {
                let share: Vec<Arrival> = schedule.share(worker, of).collect();
                prop_assert!(share.is_sorted_by_key(|arrival| arrival.sequence));
                prop_assert!(share.is_sorted_by_key(|arrival| arrival.due_ns));
                for workload in 0..weights.len() {
                    let own = share.iter().filter(|arrival| usize::from(arrival.workload) == workload).count() as u64;
                    let planned = counts.workload(workload);
                    prop_assert!(own == planned / u64::from(of) || own == planned.div_ceil(u64::from(of)));
                }
                union.extend(share);
            }
            union.sort_by_key(|arrival| arrival.sequence);
            prop_assert_eq!(&union, &all);
        }
    }

    #[test]
    fn indexes_count_within_a_workload(weights in weights()) {
        let mut next = vec![0; weights.len()];
        for arrival in schedule(&[constant(500.0, SECOND)], &weights).all() {
            let next = &mut next[usize::from(arrival.workload)];
            prop_assert_eq!(arrival.index, *next);
            *next += 1;
        }
    }
}
