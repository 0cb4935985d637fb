//! Keys that are not there, and those that should be.

use super::super::{BASE, assert_text};
use super::{refused, with};

#[test]
fn an_unknown_table_names_the_nearest() {
    let seen = refused(&with("\n[limit]\nin_flight = 5\n"));
    assert_text(
        &seen,
        "
error[scenario.unknown_key]: unknown key `limit` in the scenario
  --> mix.toml:13:2
   |
13 | [limit]
   |  ^^^^^ did you mean `limits`?
   |
   = help: known keys: run, target, limits, setup, workload, phase, threshold, probes",
    );
}

#[test]
fn an_unknown_key_names_the_nearest_and_those_there_are() {
    let seen = refused(&BASE.replace("share = 1", "shar = 1"));
    assert_text(
        &seen,
        "
error[scenario.unknown_key]: unknown key `shar` in [[workload]]
 --> mix.toml:6:1
  |
6 | shar = 1
  | ^^^^ did you mean `share`?
  |
  = help: known keys: name, share, plugin, config, timeout, iteration_timeout, isolation, why",
    );
}

#[test]
fn a_key_of_another_table_says_where_it_belongs() {
    let seen = refused(&BASE.replace("share = 1", "share = 1\nin_flight = 5"));
    assert_text(
        &seen,
        "
error[scenario.unknown_key]: unknown key `in_flight` in [[workload]]
 --> mix.toml:7:1
  |
7 | in_flight = 5
  | ^^^^^^^^^ not known here
  |
  = help: `in_flight` belongs in [limits]
  = help: known keys: name, share, plugin, config, timeout, iteration_timeout, isolation, why",
    );
}

#[test]
fn what_later_versions_may_have_is_unknown() {
    let seen = refused(&BASE.replace(
        "rate = 20",
        r#"profile = "ramp"
from = 1"#,
    ));
    assert_text(
        &seen,
        r#"
error[scenario.conflict]: a phase needs a profile, or `pause = true`
 --> mix.toml:8:1
  |
8 | [[phase]]
  | ^^^^^^^^^ has none
  |
  = help: for example: rate = 20; there are also `ramp`, `steps`, `spike`, `points` and `closed`

error[scenario.unknown_key]: unknown key `profile` in [[phase]]
  --> mix.toml:11:1
   |
11 | profile = "ramp"
   | ^^^^^^^ not known here
   |
   = help: known keys: name, duration, rate, ramp, steps, spike, points, closed, pause, random, max_arrivals, judged, recovery, why

error[scenario.unknown_key]: unknown key `from` in [[phase]]
  --> mix.toml:12:1
   |
12 | from = 1
   | ^^^^ not known here
   |
   = help: `from` belongs in [phase.ramp]
   = help: known keys: name, duration, rate, ramp, steps, spike, points, closed, pause, random, max_arrivals, judged, recovery, why"#,
    );
}

#[test]
fn an_empty_file_says_what_a_scenario_needs() {
    let seen = refused("");
    assert_text(
        &seen,
        "
error[scenario.missing_key]: [target] is missing
 --> mix.toml:1:1
  |
1 |
  | ^ not in this file
  |
  = help: add [target]: What is loaded. Exactly one of `url` and `stub`.

error[scenario.missing_key]: [[workload]] is missing
 --> mix.toml:1:1
  |
1 |
  | ^ not in this file
  |
  = help: add [[workload]], with `name`, `share`: One kind of what is sent. The shares of all of them make the mix.

error[scenario.missing_key]: [[phase]] is missing
 --> mix.toml:1:1
  |
1 |
  | ^ not in this file
  |
  = help: add [[phase]], with `name`, `duration`: A stretch of the schedule. Exactly one of `rate`, `ramp`, `steps`, `spike`, `points`, `closed` and `pause`.",
    );
}

#[test]
fn a_list_without_entries_is_missing() {
    let seen = refused(
        r#"workload = []
[target]
url = "http://h"
[[phase]]
name = "p"
duration = "2s"
rate = 1
"#,
    );
    assert_text(
        &seen,
        "
error[scenario.missing_key]: [[workload]] is missing
 --> mix.toml:1:1
  |
1 | workload = []
  | ^^^^^^^^ not in this file
  |
  = help: add [[workload]], with `name`, `share`: One kind of what is sent. The shares of all of them make the mix.",
    );
}

#[test]
fn a_missing_key_shows_an_example() {
    let seen = refused(&BASE.replace(
        r#"duration = "10s"
"#,
        "",
    ));
    assert_text(
        &seen,
        r#"
error[scenario.missing_key]: `duration` is missing in [[phase]]
 --> mix.toml:8:1
  |
8 | [[phase]]
  | ^^^^^^^^^ in here
  |
  = help: for example: duration = "1m30s""#,
    );
}

#[test]
fn all_faults_of_a_file_come_at_once() {
    let seen = refused(
        r#"wrkload = 1
[target]
url = "http://h"
[limits]
timeout = "5"
[[workload]]
name = "a"
share = -1
[[phase]]
name = "p"
duration = "2s"
rate = 1e9
[[threshold]]
workload = "b"
metric = "p95"
value = 3
"#,
    );
    assert_text(
        &seen,
        r#"
error[scenario.unknown_key]: unknown key `wrkload` in the scenario
 --> mix.toml:1:1
  |
1 | wrkload = 1
  | ^^^^^^^ did you mean `workload`?
  |
  = help: known keys: run, target, limits, setup, workload, phase, threshold, probes

error[scenario.bad_duration]: `timeout` must be a length of time
 --> mix.toml:5:11
  |
5 | timeout = "5"
  |           ^^^ not one
  |
  = help: numbers with units: "250ms", "30s", "1m30s", "2h"

error[scenario.out_of_range]: `share` must be from 0.000001 to 1000000, not -1
 --> mix.toml:8:9
  |
8 | share = -1
  |         ^^ out of range
  |
  = help: for example: share = 45

error[scenario.out_of_range]: `rate` must be from 0.1 to 100000, not 1000000000
  --> mix.toml:12:8
   |
12 | rate = 1e9
   |        ^^^ out of range
   |
   = help: for example: rate = 20

error[threshold.unknown_workload]: there is no workload `b`
  --> mix.toml:14:12
   |
14 | workload = "b"
   |            ^^^ did you mean `a`?
   |
   = help: there are: a; `*` for each of them

error[threshold.bad_value]: this value does not fit `p95(iteration)`
  --> mix.toml:16:9
   |
16 | value = 3
   |         ^ not understood
   |
   = help: a length of time with its unit: "300ms" or "1s 500ms""#,
    );
}
