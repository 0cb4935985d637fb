//! Repeated runs side by side.

use super::support::result;
use crate::report::{Spread, SpreadFigure, spread_markdown};
use crate::verdict::{ThresholdVerdict, Unit};

#[test]
fn the_spread_is_of_the_judged_phase_of_each_run() {
    let mut runs: Vec<_> = (1..=3).map(|run| (format!("results/{run}"), result())).collect();
    let judged = runs[0].1.judged_phase.clone();
    for ((_, result), (mean, ok)) in runs.iter_mut().zip([(10.0, 100), (12.0, 90), (11.0, 95)]) {
        let stretch = result.phases.iter_mut().find(|stretch| stretch.phase.as_ref() == Some(&judged)).unwrap();
        stretch.workloads[0].times.iteration.mean_ms = Some(mean);
        stretch.workloads[0].states.ok = ok;
    }
    runs[2].1.judgement.thresholds[0].verdict = ThresholdVerdict::Fail;
    let spread = Spread::of(5, &runs).unwrap();
    let of = |name: &str| spread.figures.iter().find(|figure| figure.figure == name).unwrap();
    let mean = of("iteration mean");
    assert_eq!((mean.min, mean.median, mean.max), (Some(10.0), Some(11.0), Some(12.0)));
    assert!((mean.spread.unwrap() - 2.0 / 11.0).abs() < 1e-12);
    assert_eq!(of("ok").values, [Some(100.0), Some(90.0), Some(95.0)]);
    let first = &spread.thresholds[0];
    assert_eq!((first.pass, first.fail, first.not_measured), (2, 1, 0));
    let text = spread_markdown(&spread);
    assert!(text.contains(": 3 of 5 runs"), "{text}");
    assert!(text.contains("18.2 %"), "{text}");
    assert!(text.contains("`results/2`"), "{text}");
}

#[test]
fn a_run_without_a_figure_leaves_no_spread_and_is_not_taken_for_zero() {
    let figure = SpreadFigure::of("small", "iteration p50", Unit::Ms, vec![Some(3.0), None, Some(1.0)]);
    assert_eq!((figure.min, figure.median, figure.max, figure.spread), (Some(1.0), Some(1.0), Some(3.0), None));
    let none = SpreadFigure::of("small", "iteration p50", Unit::Ms, vec![None]);
    assert_eq!((none.min, none.median, none.max, none.spread), (None, None, None, None));
    let zero = SpreadFigure::of("small", "error rate", Unit::Share, vec![Some(0.0), Some(0.0)]);
    assert_eq!((zero.median, zero.spread), (Some(0.0), None), "nothing to divide by");
}
