//! Merging changes nothing.

use proptest::prelude::*;

use super::super::{
    CheckSample, CountSample, Distribution, Finished, MarkSample, MetricData, Missed, ObservationSample, Outcome,
    Percentile, Recorder, Series, Values,
};
use super::distributions::fixed;
use super::support::{MS, SECOND, exchange, finished, layout};
use crate::clock::Time;

/// Everything that can be asked of a distribution.
fn facts(distribution: &Distribution) -> (Vec<u64>, Vec<Option<u64>>, bool, u128) {
    let ranked = distribution.ranked();
    let ranks = (0..=200).map(|step| ranked.at(1 + step * distribution.count() / 200)).collect();
    let mut counts = distribution.buckets().0.to_vec();
    counts.extend([distribution.count(), distribution.beyond(), distribution.min().unwrap_or(0)]);
    counts.push(distribution.max().unwrap_or(0));
    (counts, ranks, distribution.is_exact(), distribution.sum())
}

proptest! {
    #![proptest_config(fixed(12))]

    #[test]
    fn parts_merged_in_any_order_are_the_whole(
        values in prop::collection::vec((0_u64..5_000_000_000_000, 0_usize..5), 1..25_000),
        order in Just(vec![0_usize, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        let mut whole = Distribution::default();
        let mut parts = vec![Distribution::default(); 5];
        let (mut all, mut some) = (Values::default(), vec![Values::default(); 5]);
        for &(value, part) in &values {
            whole.record(value);
            parts[part].record(value);
            prop_assert!(all.record(value as f64 / 7.0) && some[part].record(value as f64 / 7.0));
        }
        let mut merged = Distribution::default();
        let mut merged_values = Values::default();
        for &part in &order {
            merged.merge(&parts[part]);
            merged_values.merge(&some[part]);
        }
        prop_assert_eq!(facts(&merged), facts(&whole));
        // Another grouping: (4 + 3) + (2 + (1 + 0)).
        let (mut left, mut right) = (parts[4].clone(), parts[1].clone());
        left.merge(&parts[3]);
        right.merge(&parts[0]);
        let mut middle = parts[2].clone();
        middle.merge(&right);
        left.merge(&middle);
        prop_assert_eq!(facts(&left), facts(&whole));
        let of = |values: &Values| (values.count(), values.sum(), values.mean(), values.percentile(Percentile::P95));
        prop_assert_eq!(of(&merged_values), of(&all));
    }
}

/// Records the `k`-th of some varied arrivals.
fn record(recorder: &mut Recorder, k: u64) {
    let due = k * SECOND / 50;
    let phase = usize::from(due >= 10 * SECOND);
    if k % 17 == 3 {
        let cause = if k.is_multiple_of(2) { Missed::NoSlot } else { Missed::GeneratorLate };
        recorder.missed(0, phase, Time(due), cause);
        return;
    }
    recorder.started(0, phase, Time(due), Time(due + k % 3 * MS), MS);
    let name = recorder.name(0, if k.is_multiple_of(2) { "GET /a" } else { "GET /b" });
    let text = format!("check: {}", k % 5);
    let outcome = match k % 10 {
        0 => Outcome::Failed(&text),
        1 => Outcome::Failed("timeout_total"),
        2 => Outcome::Cancelled,
        3 => Outcome::Abandoned,
        4 => Outcome::Lost,
        _ => Outcome::Ok,
    };
    let mut done = finished(due, due + (20 + k % 40) * MS, outcome);
    done.phase = phase;
    done.start = Time(due + k % 3 * MS);
    let exchanges = [exchange(name, due, due + (19 + k % 40) * MS)];
    let checks = [CheckSample { metric: 3, passed: !k.is_multiple_of(4) }];
    done.exchanges = &exchanges;
    done.marks = &[MarkSample { metric: 0, interval: 10 * MS, weight: 4 }];
    done.counters = &[CountSample { metric: 1, n: 3 }];
    done.observations = &[ObservationSample { metric: 2, value: 0.5 }];
    done.checks = &checks;
    recorder.finished(&done);
}

/// All that reports read from a recorder, as texts.
fn everything(recorder: &Recorder) -> Vec<String> {
    let mut texts = vec![format!("{:?} {:?}", recorder.windows(0), recorder.flight())];
    for phase in 0..2 {
        let selection = recorder.all().workload(0).phase(phase);
        let requests: Vec<_> = selection
            .requests()
            .into_iter()
            .map(|(name, request)| (name, request.exchanges, facts(&request.response)))
            .collect();
        texts.push(format!("{requests:?} {:?}", facts(&selection.mark("first_token"))));
        texts.push(format!("{:?} {:?}", selection.counts(), selection.failures()));
        texts.push(format!("{:?} {:?}", selection.statuses(), selection.traffic()));
        let series = [Series::Iteration, Series::Response, Series::Service, Series::Failed, Series::Censored];
        for series in series.into_iter().chain([Series::Lateness, Series::SlotWait, Series::GeneratorDelay]) {
            texts.push(format!("{:?}", facts(&selection.times(series))));
        }
        texts.extend(selection.metrics(0)[1..].iter().map(|metric| match metric {
            MetricData::Observation(values) => format!("{:?}", (values.count(), values.sum())),
            other => format!("{other:?}"),
        }));
    }
    texts
}

#[test]
fn merged_workers_are_one_recorder() {
    let mut one = Recorder::new(layout(), 0);
    for k in 0..900 {
        record(&mut one, k);
    }
    one.close(Time(30 * SECOND));
    for workers in [1, 2, 3, 8, 13_u32] {
        let mut parts: Vec<Recorder> = (0..workers).map(|worker| Recorder::new(layout(), worker)).collect();
        for k in 0..900 {
            // Not a round robin: parts differ in size and content.
            let part = usize::try_from((k * k / 7) % u64::from(workers)).expect("a small number");
            record(&mut parts[part], k);
        }
        for part in &mut parts {
            part.close(Time(30 * SECOND));
        }
        let mut merged = parts.pop().expect("a worker");
        for part in &parts {
            merged.merge(part);
        }
        assert_eq!(everything(&merged), everything(&one), "{workers} workers");
        assert_eq!(merged.workers().len(), workers as usize);
        assert_eq!(merged.take_live().total, one.clone().take_live().total);
    }
}

#[test]
fn names_of_recorders_are_matched_by_text_and_not_by_number() {
    let (mut first, mut second) = (Recorder::new(layout(), 0), Recorder::new(layout(), 1));
    for (recorder, names) in [(&mut first, ["GET /a", "GET /b"]), (&mut second, ["GET /b", "GET /c"])] {
        for (end, name) in (1..).zip(names) {
            let name = recorder.name(0, name);
            recorder.started(0, 0, Time(0), Time(0), 0);
            let exchanges = [exchange(name, 0, end * 10 * MS)];
            recorder.finished(&Finished { exchanges: &exchanges, ..finished(0, end * 10 * MS, Outcome::Ok) });
        }
    }
    first.merge(&second);
    let all = first.all();
    assert_eq!(all.response_of("GET /b").sum(), u128::from(30 * MS));
    assert_eq!(all.response_of("GET /c").sum(), u128::from(20 * MS));
    assert_eq!(all.requests().keys().collect::<Vec<_>>(), ["GET /a", "GET /b", "GET /c"]);
}
