//! Text that is not TOML.

use super::super::{BASE, assert_text};
use super::refused;

#[test]
fn text_that_is_not_toml_is_refused_at_each_place() {
    let seen = refused("[target]\nurl = http://x\nca = \n[[workload]\nshare = 1 2\n");
    assert_text(
        &seen,
        r#"
error[scenario.syntax]: not valid TOML: string values must be quoted, expected literal string
 --> mix.toml:2:7
  |
2 | url = http://x
  |       ^^^^^^^^ here
  |
  = help: put strings in double quotes, durations too: duration = "30s"

error[scenario.syntax]: not valid TOML: string values must be quoted, expected literal string
 --> mix.toml:3:6
  |
3 | ca = 
  |      ^ here
  |
  = help: put strings in double quotes, durations too: duration = "30s"

error[scenario.syntax]: not valid TOML: unclosed array table, expected `]`
 --> mix.toml:4:12
  |
4 | [[workload]
  |            ^ here"#,
    );
}

#[test]
fn a_duration_without_quotes_says_so() {
    let seen = refused(&BASE.replace(r#""10s""#, "10s"));
    assert_text(
        &seen,
        r#"
error[scenario.syntax]: not valid TOML: string values must be quoted, expected literal string
  --> mix.toml:10:12
   |
10 | duration = 10s
   |            ^^^ here
   |
   = help: put strings in double quotes, durations too: duration = "30s""#,
    );
}

#[test]
fn a_key_written_twice_is_refused() {
    let seen = refused(&BASE.replace("share = 1", "share = 1\nshare = 2"));
    assert_text(
        &seen,
        "
error[scenario.syntax]: not valid TOML: duplicate key
 --> mix.toml:7:1
  |
7 | share = 2
  | ^^^^^ here
  |
  = help: each key and each [table] is written once; entries of a list are written [[like.this]]",
    );
}

#[test]
fn an_integer_beyond_any_range_is_refused() {
    let seen = refused(&BASE.replace("share = 1", "share = 99999999999999999999999999999999999999999"));
    assert_text(
        &seen,
        "
error[scenario.syntax]: this integer is too large
 --> mix.toml:6:9
  |
6 | share = 99999999999999999999999999999999999999999
  |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here",
    );
}

#[test]
fn columns_count_characters_and_line_ends_may_be_those_of_windows() {
    let seen = refused("# größe\r\n[target]\r\nurl = \"http://h\" # ü\r\nstub = \"ü\r\n");
    assert_text(
        &seen,
        r#"
error[scenario.syntax]: not valid TOML: invalid basic string, expected non-double-quote visible characters, `\`
 --> mix.toml:4:10
  |
4 | stub = "ü
  |          ^ here

error[scenario.syntax]: not valid TOML: invalid basic string, expected `"`
 --> mix.toml:4:11
  |
4 | stub = "ü
  |          ^ here"#,
    );
}
