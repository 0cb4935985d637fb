//! Thresholds that cannot be judged.

use super::super::assert_text;
use super::{refused, with};

#[test]
fn a_metric_that_is_none_is_refused() {
    let seen = refused(&with(
        r#"
[[threshold]]
workload = "small"
metric = "p100"
value = "1s"

[[threshold]]
workload = "small"
metric = "errorrate"
value = 0
"#,
    ));
    assert_text(
        &seen,
        r#"
error[threshold.unknown_metric]: `p100` is not a metric
  --> mix.toml:15:10
   |
15 | metric = "p100"
   |          ^^^^^^ not understood
   |
   = help: there are: error_rate, missed, and p50 … p99.999, mean, min, max over a series: p95(iteration)
   = help: series: iteration, response, service, response(NAME) for a named request, or a mark's name

error[threshold.unknown_metric]: `errorrate` is not a metric
  --> mix.toml:20:10
   |
20 | metric = "errorrate"
   |          ^^^^^^^^^^^ did you mean `error_rate`?
   |
   = help: there are: error_rate, missed, and p50 … p99.999, mean, min, max over a series: p95(iteration)
   = help: series: iteration, response, service, response(NAME) for a named request, or a mark's name"#,
    );
}

#[test]
fn a_time_without_a_unit_is_refused() {
    let seen = refused(&with(
        r#"
[[threshold]]
workload = "small"
metric = "p95"
value = 300
"#,
    ));
    assert_text(
        &seen,
        r#"
error[threshold.bad_value]: this value does not fit `p95(iteration)`
  --> mix.toml:16:9
   |
16 | value = 300
   |         ^^^ not understood
   |
   = help: a length of time with its unit: "300ms" or "1s 500ms""#,
    );
}

#[test]
fn an_error_rate_above_one_is_refused() {
    let seen = refused(&with(
        r#"
[[threshold]]
workload = "small"
metric = "error_rate"
value = 5
"#,
    ));
    assert_text(
        &seen,
        r#"
error[threshold.bad_value]: this value does not fit `error_rate`
  --> mix.toml:16:9
   |
16 | value = 5
   |         ^ not understood
   |
   = help: a part of 1 or in per cent, with at most four decimals of a per cent: 0.001 or "0.1%""#,
    );
}

#[test]
fn a_count_of_missed_that_is_no_count_is_refused() {
    let seen = refused(&with(
        r#"
[[threshold]]
workload = "small"
metric = "missed"
value = 0.5
"#,
    ));
    assert_text(
        &seen,
        r#"
error[threshold.bad_value]: this value does not fit `missed`
  --> mix.toml:16:9
   |
16 | value = 0.5
   |         ^^^ not understood
   |
   = help: a whole number of arrivals, or a part of those offered: 3 or "0.1%""#,
    );
}

#[test]
fn a_threshold_for_no_workload_names_the_nearest() {
    let seen = refused(&with(
        r#"
[[threshold]]
workload = "smal"
metric = "p95"
value = "1s"
"#,
    ));
    assert_text(
        &seen,
        r#"
error[threshold.unknown_workload]: there is no workload `smal`
  --> mix.toml:14:12
   |
14 | workload = "smal"
   |            ^^^^^^ did you mean `small`?
   |
   = help: there are: small; `*` for each of them"#,
    );
}

#[test]
fn a_threshold_for_no_phase_names_the_nearest() {
    let seen = refused(&with(
        r#"
[[threshold]]
workload = "small"
metric = "p95"
value = "1s"
phase = "laod"
"#,
    ));
    assert_text(
        &seen,
        r#"
error[threshold.unknown_phase]: there is no phase `laod`
  --> mix.toml:17:9
   |
17 | phase = "laod"
   |         ^^^^^^ did you mean `load`?
   |
   = help: there are: load; `*` for the whole run"#,
    );
}

#[test]
fn a_threshold_on_a_pause_is_refused() {
    let seen = refused(&with(
        r#"
[[phase]]
name = "rest"
duration = "1s"
pause = true

[[threshold]]
workload = "small"
metric = "p95"
value = "1s"
phase = "rest"
"#,
    ));
    assert_text(
        &seen,
        r#"
error[threshold.unknown_phase]: phase `rest` is a pause: nothing in it can be judged
  --> mix.toml:22:9
   |
22 | phase = "rest"
   |         ^^^^^^ a pause
   |
   = help: there are: load; `*` for the whole run"#,
    );
}
