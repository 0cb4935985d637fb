//! Every view shows the same figures under the same names: JSON, text and the histogram.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

use super::super::{Bucket, RunResult, Summary, markdown};
use super::support::{MS, SECOND, about, evidence, finish, layout, result, thresholds};
use crate::clock::Time;
use crate::record::{Distribution, ExchangeOutcome, ExchangeSample, Finished, Outcome, Percentile, Recorder};
use crate::verdict::{Measure, Op, Scope, Statistic, Threshold, TimeSeries};

/// A run of these iteration times in nanoseconds, and of so many that were cut off at 5 s; each response is as long as its
/// iteration, and each call of the plugin a thousandth of it.
fn of(times: &[u64], cut: usize, thresholds: &[Threshold]) -> RunResult {
    let mut recorder = Recorder::new(Arc::new(layout(3)), 0);
    recorder.planned(0, 1, (times.len() + cut) as u64);
    let cut = std::iter::repeat_n((5 * SECOND, Outcome::Failed("timeout_total")), cut);
    for (time, outcome) in times.iter().map(|&time| (time, Outcome::Ok)).chain(cut) {
        let due = Time(5 + 3 * SECOND);
        let exchange = ExchangeSample {
            name: recorder.name(0, "GET /"),
            asked: due,
            sent: Some(due),
            end: Time(due.0 + time),
            outcome: ExchangeOutcome::Complete,
            status: Some(200),
            bytes_sent: 100,
            bytes_received: 1_000,
            queued: 0,
            connect: None,
            handshake: false,
            stale_resends: 0,
        };
        recorder.started(0, 1, due, due, 0);
        recorder.finished(&Finished {
            workload: 0,
            phase: 1,
            due,
            start: due,
            end: exchange.end,
            outcome,
            exchanges: &[exchange],
            marks: &[],
            counters: &[],
            observations: &[],
            checks: &[],
        });
        recorder.plugin_call(0, Some(1), "plan.start", time / 1_000);
    }
    recorder.close(Time(30 * SECOND));
    finish(&recorder, about(), &evidence(), thresholds)
}

/// The tables of a report: rows of cells, the first with the headings.
fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let row = |line: &str| {
        let line = line.replace("\\|", "/");
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
    };
    let blocks = text.split("\n\n").map(|block| block.lines().filter(|line| line.starts_with('|')).collect::<Vec<_>>());
    let tables = blocks.filter(|lines| lines.len() > 1);
    // The second line is the rule under the headings.
    tables.map(|lines| lines.iter().take(1).chain(&lines[2..]).map(|line| row(line)).collect()).collect()
}

/// Those with these first headings.
fn tables_of(text: &str, headings: &[&str]) -> Vec<Vec<Vec<String>>> {
    tables(text).into_iter().filter(|table| table[0].iter().zip(headings).all(|(is, wanted)| is == wanted)).collect()
}

/// A cell is this figure to three significant digits, or says that there is none.
#[track_caller]
fn assert_shows(cell: &str, figure: &Value, what: &str) {
    let Some(figure) = figure.as_f64() else {
        assert!(figure.is_null(), "{what}: {figure}");
        return assert_eq!(cell, "n/a", "{what}");
    };
    let shown: f64 = cell.replace(',', "").parse().unwrap_or_else(|_| panic!("{what}: {cell:?} for {figure}"));
    let unit = if figure == 0.0 { 0.0 } else { 10_f64.powf(figure.abs().log10().floor() - 2.0).min(1.0) };
    assert!((shown - figure).abs() <= unit * 0.500_001, "{what}: {cell} for {figure}");
    let digits = cell.trim_start_matches(['0', '.']).chars().filter(char::is_ascii_digit).count();
    assert!(figure == 0.0 || digits >= 3, "{what}: {cell} for {figure}");
}

/// The figures of a summary, under their headings.
const FIGURES: [&str; 7] = ["min", "mean", "p50", "p90", "p95", "p99", "max"];

/// A row of a table of times is this summary of the JSON.
fn assert_row(headings: &[String], row: &[String], summary: &Value, what: &str) {
    let bounds: Vec<&str> = summary["at_least"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let mut seen = Vec::new();
    for (heading, cell) in headings.iter().zip(row) {
        if heading == "count" {
            assert_eq!(cell.replace(',', ""), summary["count"].to_string(), "{what}");
        }
        if !FIGURES.contains(&heading.as_str()) {
            continue;
        }
        seen.push(heading.as_str());
        let bare = cell.trim_start_matches("≥ ");
        assert_eq!(bare != cell, bounds.contains(&heading.as_str()), "{heading} of {what}: {cell}");
        assert_shows(bare, &summary[format!("{heading}_ms")], &format!("{heading} of {what}"));
    }
    assert_eq!(seen, FIGURES, "{what}");
}

/// What the first cells of a row of times stand for, in the JSON of a workload.
fn series<'a>(workload: &'a Value, name: &str) -> &'a Value {
    let named = |list: &'a Value, key: &str, wanted: &str| {
        let mut entries = list.as_array().expect("a list").iter();
        entries.find(|entry| entry[key] == wanted).expect("an entry of that name")
    };
    if let Some(request) = name.strip_prefix("response(") {
        return &named(&workload["requests"], "request", request.trim_matches(['`', ')']))["response"];
    }
    if let Some(mark) = name.strip_prefix("mark ") {
        return &named(&workload["metrics"], "metric", mark)["mark"];
    }
    let name = name.trim_end_matches(" iterations").replace(' ', "_");
    &workload["times"][name]
}

/// Holds all tables of figures of a report against the JSON of the same run. How many rows there were.
fn assert_views_agree(result: &RunResult) -> usize {
    let text = markdown(result).expect("a report");
    let json: Value = serde_json::to_value(result).expect("it can be written");
    let phases = json["phases"].as_array().expect("a list");
    let find = |name: &Value| phases.iter().find(|phase| phase["phase"] == *name);
    let mut stretches = vec![find(&json["judged_phase"]).expect("a judged phase")];
    stretches.extend(find(&json["recovery_phase"]));
    stretches.push(&json["whole"]);
    let mut rows = 0;
    let of_stretches = |headings: &[&str]| {
        let tables = tables_of(&text, headings);
        assert_eq!(tables.len(), stretches.len(), "{headings:?}");
        tables.into_iter().zip(&stretches)
    };
    for (table, stretch) in of_stretches(&["workload", "ms"]) {
        for row in &table[1..] {
            let workloads = stretch["workloads"].as_array().expect("a list");
            let workload = workloads.iter().find(|workload| workload["workload"] == row[0]).expect("a workload");
            assert_row(&table[0], row, series(workload, &row[1]), &format!("{} {}", row[0], row[1]));
            rows += 1;
        }
    }
    for (table, stretch) in of_stretches(&["workload", "planned"]) {
        for (row, workload) in table[1..].iter().zip(stretch["workloads"].as_array().expect("a list")) {
            for (heading, cell) in table[0].iter().zip(row).skip(1) {
                let states = &workload["states"];
                let count = |key: &str| states[key].as_u64().expect("a count");
                match heading.as_str() {
                    "missed" => assert_eq!(*cell, (count("no_slot") + count("generator_late")).to_string()),
                    "error rate" => {
                        let percent = workload["error_rate"].as_f64().map_or(Value::Null, |rate| (rate * 100.0).into());
                        assert_shows(cell.trim_end_matches(" %"), &percent, heading);
                    }
                    key => assert_eq!(cell.replace(',', ""), count(&key.replace(' ', "_")).to_string(), "{key}"),
                }
                rows += 1;
            }
        }
    }
    for (table, stretch) in of_stretches(&["workload", "offered/s"]) {
        for (row, workload) in table[1..].iter().zip(stretch["workloads"].as_array().expect("a list")) {
            for (heading, cell) in table[0].iter().zip(row).filter(|(heading, _)| heading.ends_with("/s")) {
                assert_shows(cell, &workload["rates"][heading.replace("/s", "_per_s")], heading);
                rows += 1;
            }
        }
    }
    let starts = &tables_of(&text, &["ms", "count"])[0];
    for (row, key) in starts[1..].iter().zip(["lateness", "slot_wait", "generator_delay"]) {
        assert_row(&starts[0], row, &json["starts"][key], key);
        rows += 1;
    }
    rows
}

/// Case N3: one data set behind all views.
#[test]
fn text_and_json_agree_in_every_figure_of_every_series_and_phase() {
    assert!(assert_views_agree(&result()) > 100);
    let many: Vec<u64> = (1..=25_000).map(|k| k * 137_731 % 1_000_000_007).collect();
    for result in [
        of(&[], 0, &[]),
        of(&[], 100, &thresholds()),
        of(&[1], 0, &[]),
        of(&[1_234_567], 1, &[]),
        of(&many[..9_999], 300, &thresholds()),
        of(&many, 0, &thresholds()),
        of(&many, 2_000, &[]),
    ] {
        assert!(assert_views_agree(&result) > 30);
    }
}

/// Measures of thresholds with their names in reports.
fn measures() -> Vec<(Measure, &'static str)> {
    let percentile =
        |thousandths| Statistic::Percentile(Percentile::from_thousandths(thousandths).expect("a percentile"));
    let of = |statistic| Measure::Time(TimeSeries::Iteration, statistic);
    vec![
        (of(Statistic::Min), "min iteration"),
        (of(Statistic::Mean), "mean iteration"),
        (of(percentile(50_000)), "p50 iteration"),
        (of(percentile(75_000)), "p75 iteration"),
        (of(percentile(90_000)), "p90 iteration"),
        (of(percentile(95_000)), "p95 iteration"),
        (of(percentile(99_000)), "p99 iteration"),
        (of(percentile(99_900)), "p99.9 iteration"),
        (of(percentile(99_990)), "p99.99 iteration"),
        (of(Statistic::Max), "max iteration"),
    ]
}

/// The p90 is the p90: of 1, 2 … 10,000 ms each figure is another, and says which it is.
#[test]
fn each_figure_stands_under_its_own_label_in_every_view() {
    let thresholds: Vec<Threshold> = measures()
        .into_iter()
        .map(|(measure, _)| Threshold {
            workload: Some(0),
            scope: Scope::Judged,
            measure,
            op: Op::AtMost,
            limit: 1e6,
            least: None,
            why: None,
        })
        .collect();
    let times: Vec<u64> = (1..=10_000).map(|k| k * MS).collect();
    let result = of(&times, 0, &thresholds);
    let expected = [1.0, 5_000.5, 5_000.0, 9_000.0, 9_500.0, 9_900.0, 10_000.0];
    let shown = ["1.00", "5,000", "5,000", "9,000", "9,500", "9,900", "10,000"];
    let json = serde_json::to_value(&result).expect("it can be written");
    let workload = &json["phases"][1]["workloads"][0];
    let times = &workload["times"];
    let all = [&times["iteration"], &times["response"], &times["service"], &workload["requests"][0]["response"]];
    for summary in all {
        for (figure, expected) in FIGURES.iter().zip(expected) {
            assert_eq!(summary[format!("{figure}_ms")], expected, "{figure}");
        }
    }
    let text = markdown(&result).expect("a report");
    let table = &tables_of(&text, &["workload", "ms"])[0];
    for series in ["iteration", "response", "service"] {
        let row = table.iter().find(|row| row[..2] == ["small", series]).expect("a row");
        for (figure, shown) in FIGURES.iter().zip(shown) {
            let at = table[0].iter().position(|heading| heading == figure).expect("a heading");
            // The mean lies between two figures of its length; either is right.
            assert!(row[at] == shown || (*figure == "mean" && row[at] == "5,001"), "{figure}: {}", row[at]);
        }
    }
    // Thresholds, in JSON and in the text.
    let judged = [1.0, 5_000.5, 5_000.0, 7_500.0, 9_000.0, 9_500.0, 9_900.0, 9_990.0, 9_999.0, 10_000.0];
    let found = result.judgement.thresholds.iter().filter(|threshold| !threshold.standing);
    let found: Vec<_> = found.map(|one| (one.measure.clone(), one.figure.expect("a figure").value)).collect();
    let names = measures().into_iter().map(|(_, name)| name.to_owned());
    assert_eq!(found, names.zip(judged).collect::<Vec<_>>());
    let table = &tables_of(&text, &["verdict", "workload", "phase", "measure"])[0];
    for ((_, name), figure) in measures().into_iter().zip(judged) {
        let row = table.iter().find(|row| row[3] == format!("`{name}`")).expect("a row");
        assert_shows(row[5].trim_end_matches(" ms"), &figure.into(), name);
    }
    // What plugins cost: a thousandth of it.
    let costs = &json["plugin_costs"][0];
    assert_eq!((&costs["mean_ms"], &costs["p99_ms"]), (&5.000_5.into(), &9.9.into()));
    assert_eq!((&costs["longest_ms"], &costs["longest_in"]), (&10.0.into(), &"plan.start".into()));
    let table = &tables_of(&text, &["plugin", "calls"])[0];
    assert_eq!((table[0][3].as_str(), table[1][3].as_str()), ("p99 ms", "9.90"));
    assert_eq!(
        (table[0][4].as_str(), table[1][4].as_str(), table[1][5].as_str()),
        ("longest ms", "10.0", "`plan.start`")
    );
}

#[test]
fn times_past_an_hour_are_counted_in_every_view() {
    let hour = 3_600 * SECOND;
    let mut times = vec![MS; 19_700];
    times.extend([2 * hour; 299]);
    times.push(3 * hour);
    let result = of(&times, 0, &[]);
    let iteration = &result.phases[1].workloads[0].times.iteration;
    assert_eq!((iteration.count, iteration.beyond_range, iteration.exact), (20_000, 300, false));
    assert_eq!((iteration.p99_ms, iteration.max_ms), (Some(10_800_000.0), Some(10_800_000.0)));
    let last = result.phases[1].workloads[0].histogram.last().expect("a bucket");
    assert_eq!((last.up_to_ms, last.count), (None, 300));
    let text = markdown(&result).expect("a report");
    assert!(text.contains("small: 300 iterations took more than one hour."), "{text}");
    assert!(text.contains("more than 10,000 iterations, so percentiles are of three significant digits"), "{text}");
    // Up to 10,000 all are kept, so that each is what it is, and nothing is said of digits.
    let result = of(&times[19_000..], 0, &[]);
    let iteration = &result.phases[1].workloads[0].times.iteration;
    assert_eq!((iteration.beyond_range, iteration.exact, iteration.p99_ms), (300, true, Some(7_200_000.0)));
    assert!(!markdown(&result).expect("a report").contains("three significant digits"));
}

/// Times from below a microsecond to two hours.
fn any_time() -> impl Strategy<Value = u64> {
    (0_u32..43, any::<u64>()).prop_map(|(bits, value)| value & ((1 << bits) - 1))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        rng_seed: RngSeed::Fixed(20_261_130),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Percentiles rise, none is above the maximum, and each lies in the bucket of the histogram that holds its rank.
    #[test]
    fn percentiles_rise_and_lie_in_the_buckets_of_the_histogram(
        times in prop_oneof![
            prop::collection::vec(any_time(), 1..300),
            prop::collection::vec(any_time(), 10_000..12_000),
        ],
    ) {
        let mut distribution = Distribution::default();
        for &time in &times {
            distribution.record(time);
        }
        let summary = Summary::of(&distribution);
        let buckets = Bucket::all(&distribution.buckets());
        prop_assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), summary.count);
        let figures = [summary.p50_ms, summary.p90_ms, summary.p95_ms, summary.p99_ms, summary.max_ms];
        prop_assert!(figures.is_sorted() && summary.min_ms <= summary.p50_ms, "{:?}", summary);
        prop_assert!(summary.min_ms <= summary.mean_ms && summary.mean_ms <= summary.max_ms, "{:?}", summary);
        for (percent, figure) in [50, 90, 95, 99, 100].into_iter().zip(figures) {
            let figure = figure.expect("there are samples");
            let rank = (percent * summary.count).div_ceil(100);
            let mut below = 0;
            let mut lower = 0.0;
            for bucket in &buckets {
                let upper = bucket.up_to_ms.map_or(f64::INFINITY, |bound| bound as f64);
                if below + bucket.count >= rank {
                    // Beyond 10,000 the percentile is the end of its own finer bucket.
                    let end = if summary.exact { upper } else { upper * (1.0 + 1.0 / 1_024.0) };
                    prop_assert!((figure > lower || lower == 0.0) && figure <= end, "p{}: {} in {}", percent, figure, upper);
                    break;
                }
                below += bucket.count;
                lower = upper;
            }
        }
    }
}
