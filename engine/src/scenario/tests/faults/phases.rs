//! Mixes and schedules that make no sense.

use super::super::{BASE, assert_text};
use super::{refused, with};

#[test]
fn a_rate_finer_than_a_millionth_is_refused() {
    let seen = refused(&BASE.replace("rate = 20", "rate = 33.33333333"));
    assert_text(
        &seen,
        "
error[profile.rate_too_fine]: a rate has at most six decimals, so that counts are exact
  --> mix.toml:11:8
   |
11 | rate = 33.33333333
   |        ^^^^^^^^^^^ too fine
   |
   = help: for example: rate = 33.333333",
    );
}

#[test]
fn two_workloads_of_one_name_are_refused() {
    let seen = refused(&with(
        r#"
[[workload]]
name = "small"
share = 2
"#,
    ));
    assert_text(
        &seen,
        r#"
error[workload.duplicate_name]: two workloads are called `small`
  --> mix.toml:14:8
   |
 5 | name = "small"
   |        ------- the first
...
14 | name = "small"
   |        ^^^^^^^ the same again"#,
    );
}

#[test]
fn two_phases_of_one_name_are_refused() {
    let seen = refused(&with(
        r#"
[[phase]]
name = "load"
duration = "1s"
pause = true
"#,
    ));
    assert_text(
        &seen,
        r#"
error[phase.duplicate_name]: two phases are called `load`
  --> mix.toml:14:8
   |
 9 | name = "load"
   |        ------ the first
...
14 | name = "load"
   |        ^^^^^^ the same again"#,
    );
}

#[test]
fn a_phase_with_a_rate_and_a_pause_is_refused() {
    let seen = refused(&BASE.replace("rate = 20", "rate = 20\npause = true"));
    assert_text(
        &seen,
        "
error[scenario.conflict]: a phase has one profile, or is a pause
  --> mix.toml:12:1
   |
11 | rate = 20
   | ---- `rate`
12 | pause = true
   | ^^^^^ `pause`",
    );
}

#[test]
fn a_phase_with_neither_is_refused() {
    let seen = refused(&BASE.replace("rate = 20", "pause = false"));
    assert_text(
        &seen,
        "
error[scenario.conflict]: a phase needs a profile, or `pause = true`
 --> mix.toml:8:1
  |
8 | [[phase]]
  | ^^^^^^^^^ has none
  |
  = help: for example: rate = 20; there are also `ramp`, `steps`, `spike`, `points` and `closed`",
    );
}

#[test]
fn nothing_but_pauses_is_refused() {
    let seen = refused(&BASE.replace("rate = 20", "pause = true"));
    assert_text(
        &seen,
        "
error[profile.nothing_planned]: no phase has a rate, so nothing would be sent
 --> mix.toml:8:1
  |
8 | [[phase]]
  | ^^^^^^^^^ nothing but pauses
  |
  = help: give a phase a rate, for example: rate = 20",
    );
}

#[test]
fn two_judged_phases_are_refused() {
    let seen = refused(&with(
        r#"judged = true

[[phase]]
name = "again"
duration = "1s"
rate = 1
judged = true
"#,
    ));
    assert_text(
        &seen,
        "
error[phase.judged]: one phase at most can say `judged = true`
  --> mix.toml:18:10
   |
12 | judged = true
   |          ---- the first
...
18 | judged = true
   |          ^^^^ the second",
    );
}

#[test]
fn a_judged_pause_is_refused() {
    let seen = refused(&with(
        r#"
[[phase]]
name = "rest"
duration = "1s"
pause = true
judged = true
"#,
    ));
    assert_text(
        &seen,
        "
error[phase.judged]: a pause cannot say `judged = true`
  --> mix.toml:17:10
   |
17 | judged = true
   |          ^^^^ nothing is sent in this phase",
    );
}

#[test]
fn a_recovery_that_is_judged_is_refused() {
    let seen = refused(&with("judged = true\nrecovery = true\n"));
    assert_text(
        &seen,
        "
error[phase.recovery]: the judged phase cannot be its own recovery
  --> mix.toml:13:12
   |
12 | judged = true
   |          ---- judged
13 | recovery = true
   |            ^^^^ recovery",
    );
}

#[test]
fn no_phase_left_to_judge_is_refused() {
    let seen = refused(&with("judged = false\n"));
    assert_text(
        &seen,
        "
error[phase.judged]: no phase is left to be judged
 --> mix.toml:8:1
  |
8 | [[phase]]
  | ^^^^^^^^^ the first of them
  |
  = help: every phase is a pause, the recovery, or says judged = false",
    );
}
