//! Values of the wrong type, form or size.

use super::super::{BASE, assert_text};
use super::{refused, with};

#[test]
fn a_string_for_a_number_is_refused() {
    let seen = refused(&BASE.replace("share = 1", r#"share = "1""#));
    assert_text(
        &seen,
        r#"
error[scenario.wrong_type]: `share` must be a number, not a string
 --> mix.toml:6:9
  |
6 | share = "1"
  |         ^^^ this is a string
  |
  = help: for example: share = 45"#,
    );
}

#[test]
fn a_number_for_a_duration_is_refused() {
    let seen = refused(&BASE.replace(r#""10s""#, "10"));
    assert_text(
        &seen,
        r#"
error[scenario.wrong_type]: `duration` must be a string with a length of time, not an integer
  --> mix.toml:10:12
   |
10 | duration = 10
   |            ^^ this is an integer
   |
   = help: for example: duration = "1m30s""#,
    );
}

#[test]
fn a_table_for_a_list_of_tables_is_refused() {
    let seen = refused(
        r#"[target]
url = "http://h"
[workload]
name = "a"
[[phase]]
name = "p"
duration = "2s"
rate = 1
"#,
    );
    assert_text(
        &seen,
        "
error[scenario.wrong_type]: `workload` must be an array of tables, not a table
 --> mix.toml:3:1
  |
3 | [workload]
  | ^^^^^^^^^^ this is a table
  |
  = help: write it as [[workload]]",
    );
}

#[test]
fn a_list_of_tables_for_a_table_is_refused() {
    let seen = refused(&with("\n[[limits]]\n"));
    assert_text(
        &seen,
        "
error[scenario.wrong_type]: `limits` must be a table, not an array
  --> mix.toml:13:1
   |
13 | [[limits]]
   | ^^^^^^^^^^ this is an array
   |
   = help: write it as [limits]",
    );
}

#[test]
fn a_config_that_is_no_table_is_refused() {
    let seen = refused(&BASE.replace(
        "share = 1",
        r#"share = 1
config = "x""#,
    ));
    assert_text(
        &seen,
        r#"
error[scenario.wrong_type]: `config` must be a table, not a string
 --> mix.toml:7:10
  |
7 | config = "x"
  |          ^^^ this is a string
  |
  = help: for example: config = { path = "/" }"#,
    );
}

#[test]
fn an_integer_out_of_range_is_refused() {
    let seen = refused(&with("\n[limits]\nin_flight = 0\nredirects = 21\n"));
    assert_text(
        &seen,
        "
error[scenario.out_of_range]: `in_flight` must be from 1 to 4294967295, not 0
  --> mix.toml:14:13
   |
14 | in_flight = 0
   |             ^ out of range
   |
   = help: for example: in_flight = 500

error[scenario.out_of_range]: `redirects` must be from 0 to 20, not 21
  --> mix.toml:15:13
   |
15 | redirects = 21
   |             ^^ out of range
   |
   = help: for example: redirects = 3",
    );
}

#[test]
fn a_number_out_of_range_is_refused() {
    let seen = refused(&BASE.replace("rate = 20", "rate = 0"));
    assert_text(
        &seen,
        "
error[scenario.out_of_range]: `rate` must be from 0.1 to 100000, not 0
  --> mix.toml:11:8
   |
11 | rate = 0
   |        ^ out of range
   |
   = help: for example: rate = 20",
    );
}

#[test]
fn a_rate_that_is_not_a_number_is_refused() {
    let seen = refused(&BASE.replace("rate = 20", "rate = nan"));
    assert_text(
        &seen,
        "
error[scenario.out_of_range]: `rate` must be from 0.1 to 100000, not NaN
  --> mix.toml:11:8
   |
11 | rate = nan
   |        ^^^ out of range
   |
   = help: for example: rate = 20",
    );
}

#[test]
fn a_share_finer_than_a_millionth_is_refused() {
    let seen = refused(&BASE.replace("share = 1", "share = 0.3333333333"));
    assert_text(
        &seen,
        "
error[scenario.out_of_range]: `share` has at most six decimals, so that counts are exact
 --> mix.toml:6:9
  |
6 | share = 0.3333333333
  |         ^^^^^^^^^^^^ too fine",
    );
}

#[test]
fn a_duration_out_of_range_is_refused() {
    let seen = refused(&BASE.replace(r#""10s""#, r#""0s""#));
    assert_text(
        &seen,
        r#"
error[scenario.out_of_range]: `duration` must be from 1ms to 30days, not 0s
  --> mix.toml:10:12
   |
10 | duration = "0s"
   |            ^^^^ out of range
   |
   = help: for example: duration = "1m30s""#,
    );
}

#[test]
fn a_duration_without_a_unit_is_refused() {
    let seen = refused(&BASE.replace(r#""10s""#, r#""10""#));
    assert_text(
        &seen,
        r#"
error[scenario.bad_duration]: `duration` must be a length of time
  --> mix.toml:10:12
   |
10 | duration = "10"
   |            ^^^^ not one
   |
   = help: numbers with units: "250ms", "30s", "1m30s", "2h""#,
    );
}

#[test]
fn a_size_that_is_none_is_refused() {
    let seen = refused(&with(
        r#"
[limits.plugin]
memory = "lots"
string = "8GiB"
"#,
    ));
    assert_text(
        &seen,
        r#"
error[scenario.bad_size]: `memory` must be a size
  --> mix.toml:14:10
   |
14 | memory = "lots"
   |          ^^^^^^ not one
   |
   = help: a number with its unit: "64MiB", "512KiB", "1GB"

error[scenario.out_of_range]: `string` must be from 1KiB to 1GiB, not 8GiB
  --> mix.toml:15:10
   |
15 | string = "8GiB"
   |          ^^^^^^ out of range
   |
   = help: for example: string = "1MiB""#,
    );
}

#[test]
fn a_name_with_other_characters_is_refused() {
    let seen = refused(&BASE.replace(r#""small""#, r#""Small talk""#));
    assert_text(
        &seen,
        r#"
error[scenario.bad_name]: `name` must be 1 to 64 lower-case letters, digits, `-` and `_`
 --> mix.toml:5:8
  |
5 | name = "Small talk"
  |        ^^^^^^^^^^^^ not such a name"#,
    );
}

#[test]
fn a_run_name_that_would_leave_its_folder_is_refused() {
    let seen = refused(&with(
        r#"
[run]
name = "../x"
"#,
    ));
    assert_text(
        &seen,
        r#"
error[scenario.bad_name]: `name` must be 1 to 64 letters, digits, `-` and `_`
  --> mix.toml:14:8
   |
14 | name = "../x"
   |        ^^^^^^ not such a name"#,
    );
}

#[test]
fn a_value_that_is_none_of_the_choices_is_refused() {
    let seen = refused(&BASE.replace(
        "share = 1",
        r#"share = 1
isolation = "iterations""#,
    ));
    assert_text(
        &seen,
        r#"
error[scenario.unknown_choice]: `isolation` cannot be `iterations`
 --> mix.toml:7:13
  |
7 | isolation = "iterations"
  |             ^^^^^^^^^^^^ did you mean `iteration`?
  |
  = help: there are: "shared", "iteration""#,
    );
}
