//! What the command line may not say, with the whole text of each refusal.

use super::command_line::simple;
use super::{BASE, WHOLE, assert_text, refusal, resolve_with, sets, surroundings};
use crate::scenario::{Overrides, QuickRun, quick};

#[test]
fn a_set_without_an_equals_sign_is_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&["limits.timeout"])));
    assert_text(
        &seen,
        "
error[set.bad_form]: a `--set` is written as `table.key=value`
 --> --set:1:1
  |
1 | limits.timeout
  | ^^^^^^^^^^^^^^ no `=` in it
  |
  = help: for example: --set limits.timeout=5s, or --set phase.sustain.rate=20",
    );
}

#[test]
fn a_set_without_a_path_is_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&["=5"])));
    assert_text(
        &seen,
        "
error[set.bad_form]: what is before the `=` is not a path
 --> --set:1:1
  |
1 | =5
  | ^ this
  |
  = help: for example: --set limits.timeout=5s, or --set phase.sustain.rate=20",
    );
}

#[test]
fn a_set_for_an_unknown_key_names_the_nearest() {
    let seen = refusal(resolve_with(BASE, &sets(&["limits.timeuot=5s"])));
    assert_text(&seen, "
error[set.unknown_path]: unknown key `timeuot` in [limits]
 --> --set:1:8
  |
1 | limits.timeuot=5s
  |        ^^^^^^^ did you mean `timeout`?
  |
  = help: known keys: in_flight, tolerance, timer, timeout, connect_timeout, first_byte_timeout, idle_timeout, iteration_timeout, drain, connections, connection_idle, allowed_hosts, redirects, plugin");
}

#[test]
fn a_set_for_an_unknown_table_names_the_nearest() {
    let seen = refusal(resolve_with(BASE, &sets(&["limit.timeout=5s"])));
    assert_text(
        &seen,
        "
error[set.unknown_path]: unknown key `limit` in the scenario
 --> --set:1:1
  |
1 | limit.timeout=5s
  | ^^^^^ did you mean `limits`?
  |
  = help: known keys: run, target, limits, setup, workload, phase, threshold, probes",
    );
}

#[test]
fn a_set_for_a_phase_that_is_not_there_names_the_nearest() {
    let seen = refusal(resolve_with(BASE, &sets(&["phase.laod.rate=5", "phase.1.rate=5"])));
    assert_text(
        &seen,
        "
error[set.unknown_path]: there is no [[phase]] called `laod`
 --> --set:1:7
  |
1 | phase.laod.rate=5
  |       ^^^^ did you mean `load`?
  |
  = help: there are: load; or by position, 0 to 0

error[set.unknown_path]: there is no [[phase]] called `1`
 --> --set:1:7
  |
1 | phase.1.rate=5
  |       ^ not found
  |
  = help: there are: load; or by position, 0 to 0",
    );
}

#[test]
fn a_set_for_a_list_that_is_not_there_says_so() {
    let seen = refusal(resolve_with(BASE, &sets(&["threshold.0.value=5"])));
    assert_text(
        &seen,
        "
error[set.unknown_path]: there is no [[threshold]] called `0`
 --> --set:1:11
  |
1 | threshold.0.value=5
  |           ^ not found
  |
  = help: the scenario has no [[threshold]]",
    );
}

#[test]
fn a_set_of_a_whole_entry_is_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&["workload.small=5"])));
    assert_text(
        &seen,
        "
error[set.bad_form]: `workload.small` is a whole entry, not a key of one
 --> --set:1:10
  |
1 | workload.small=5
  |          ^^^^^ no key after this
  |
  = help: name one of its keys: name, share, plugin, config, timeout, iteration_timeout, isolation, why",
    );
}

#[test]
fn a_set_below_a_single_value_is_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&["run.seed.low=5"])));
    assert_text(
        &seen,
        "
error[set.unknown_path]: `seed` holds one value and has no keys of its own
 --> --set:1:10
  |
1 | run.seed.low=5
  |          ^^^ nothing of this name",
    );
}

#[test]
fn a_set_value_that_is_out_of_range_is_shown_in_the_set() {
    let seen = refusal(resolve_with(BASE, &sets(&["phase.load.rate=0"])));
    assert_text(
        &seen,
        "
error[scenario.out_of_range]: `rate` must be from 0.1 to 100000, not 0
 --> --set:1:17
  |
1 | phase.load.rate=0
  |                 ^ out of range
  |
  = help: for example: rate = 20",
    );
}

#[test]
fn a_set_value_that_is_broken_toml_is_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&[r#"run.title="x"#])));
    assert_text(
        &seen,
        r#"
error[scenario.syntax]: not valid TOML: invalid basic string, expected `"`
 --> --set:1:13
  |
1 | run.title="x
  |             ^ here"#,
    );
}

#[test]
fn a_set_inside_what_is_no_table_is_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&["workload.small.config.a=1", "workload.small.config.a.b=2"])));
    assert_text(
        &seen,
        "
error[set.unknown_path]: `a` is an integer here and has no keys of its own
 --> --set:1:25
  |
1 | workload.small.config.a.b=2
  |                         ^ nothing of this name",
    );
}

#[test]
fn a_set_beyond_an_array_is_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&["workload.small.config.a=[1]", "workload.small.config.a.3=2"])));
    assert_text(
        &seen,
        "
error[set.unknown_path]: `a` is an array of 1
 --> --set:1:25
  |
1 | workload.small.config.a.3=2
  |                         ^ not a position in it
  |
  = help: positions count from 0; nothing is added",
    );
}

#[test]
fn two_sets_that_exclude_each_other_are_refused() {
    let seen = refusal(resolve_with(BASE, &sets(&["target.url=http://h", "target.stub=small"])));
    assert_text(
        &seen,
        "
error[scenario.conflict]: a target has either a `url` or a `stub`, not both
 --> --set:1:8
  |
1 | target.stub=small
  |        ^^^^ a stub
  |
 ::: --set:1:8
  |
1 | target.url=http://h
  |        --- and a URL",
    );
}

#[test]
fn a_rate_for_several_phases_is_refused() {
    let seen = refusal(resolve_with(
        WHOLE,
        &Overrides { rate: Some(5.0), duration: Some("9s".to_owned()), ..Overrides::default() },
    ));
    assert_text(
        &seen,
        "
error[override.one_phase_only]: `--rate` is for scenarios of one phase, and this one has 4
 --> command line:1:8
  |
1 | --rate 5
  |        ^ for which of them?
  |
  = help: name the phase: --set phase.NAME.rate=…

error[override.one_phase_only]: `--duration` is for scenarios of one phase, and this one has 4
 --> command line:1:12
  |
1 | --duration 9s
  |            ^^ for which of them?
  |
  = help: name the phase: --set phase.NAME.duration=…",
    );
}

#[test]
fn a_rate_out_of_range_is_shown_in_the_option() {
    let seen = refusal(resolve_with(BASE, &Overrides { rate: Some(-1.0), ..Overrides::default() }));
    assert_text(
        &seen,
        "
error[scenario.out_of_range]: `rate` must be from 0.1 to 100000, not -1
 --> command line:1:8
  |
1 | --rate -1
  |        ^^ out of range
  |
  = help: for example: rate = 20",
    );
}

#[test]
fn workers_and_scale_out_of_range_are_refused() {
    let seen = refusal(resolve_with(BASE, &Overrides { workers: Some(257), scale: Some(0.0), ..Overrides::default() }));
    assert_text(
        &seen,
        "
error[override.out_of_range]: `--workers` must be from 1 to 256, not 257
 --> command line:1:11
  |
1 | --workers 257
  |           ^^^ out of range

error[override.out_of_range]: `--scale` must be above 0 and at most 1, not 0
 --> command line:1:9
  |
1 | --scale 0
  |         ^ out of range
  |
  = help: it only shortens phases, each to 2 s at least, and changes no rate",
    );
}

#[test]
fn a_scale_that_would_lengthen_is_refused() {
    let seen = refusal(resolve_with(BASE, &Overrides { scale: Some(1.5), ..Overrides::default() }));
    assert_text(
        &seen,
        "
error[override.out_of_range]: `--scale` must be above 0 and at most 1, not 1.5
 --> command line:1:9
  |
1 | --scale 1.5
  |         ^^^ out of range
  |
  = help: it only shortens phases, each to 2 s at least, and changes no rate",
    );
}

#[test]
fn fewer_connections_than_workers_asked_for_are_refused() {
    let seen =
        refusal(resolve_with(BASE, &Overrides { workers: Some(8), connections: Some(7), ..Overrides::default() }));
    assert_text(
        &seen,
        "
error[limits.connections_below_workers]: 7 connections are too few for 8 workers
 --> command line:1:15
  |
1 | --connections 7
  |               ^ each worker needs one at least
  |
  = help: allow more connections, or ask for fewer --workers",
    );
}

#[test]
fn a_quick_run_of_a_url_that_is_none_is_refused() {
    let seen =
        refusal(quick(&QuickRun { url: "localhost".to_owned(), ..simple() }, &Overrides::default(), &surroundings()));
    assert_text(
        &seen,
        r#"
error[target.bad_url]: this is not a URL: relative URL without a base
 --> command line:1:7
  |
1 | --url localhost
  |       ^^^^^^^^^ this URL
  |
  = help: for example: "https://api.example.com" or "http://127.0.0.1:8080/base""#,
    );
}

#[test]
fn a_quick_run_with_a_rate_and_duration_that_are_none_is_refused() {
    let seen = refusal(quick(
        &QuickRun { rate: 0.0, duration: "10".to_owned(), ..simple() },
        &Overrides::default(),
        &surroundings(),
    ));
    assert_text(
        &seen,
        r#"
error[scenario.out_of_range]: `rate` must be from 0.1 to 100000, not 0
 --> command line:1:8
  |
1 | --rate 0
  |        ^ out of range
  |
  = help: for example: rate = 20

error[scenario.bad_duration]: `duration` must be a length of time
 --> command line:1:12
  |
1 | --duration 10
  |            ^^ not one
  |
  = help: numbers with units: "250ms", "30s", "1m30s", "2h""#,
    );
}

#[test]
fn a_quick_run_with_a_method_that_is_none_is_refused() {
    let seen = refusal(quick(
        &QuickRun { method: Some("GE T".to_owned()), ..simple() },
        &Overrides::default(),
        &surroundings(),
    ));
    assert_text(
        &seen,
        "
error[quick.bad_method]: `GE T` is not a method
 --> command line:1:4
  |
1 | -m GE T
  |    ^^^^ not one
  |
  = help: for example: -m POST",
    );
}

#[test]
fn a_quick_run_with_a_field_that_is_none_is_refused() {
    let seen = refusal(quick(
        &QuickRun { fields: vec!["accept".to_owned(), "a b: c".to_owned()], ..simple() },
        &Overrides::default(),
        &surroundings(),
    ));
    assert_text(
        &seen,
        r#"
error[quick.bad_field]: a field is written as `Name: value`
 --> command line:1:4
  |
1 | -H accept
  |    ^^^^^^ not one
  |
  = help: for example: -H "accept: application/json"

error[quick.bad_field]: a field is written as `Name: value`
 --> command line:1:4
  |
1 | -H a b: c
  |    ^^^^^^ not one
  |
  = help: for example: -H "accept: application/json""#,
    );
}
