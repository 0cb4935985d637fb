//! Variables and configurations.

use super::super::{BASE, assert_text};
use super::{refused, with};

#[test]
fn a_value_with_an_unset_variable_has_no_other_fault() {
    let seen = refused(&with(
        r#"
[[threshold]]
workload = "${WHO}"
metric = "${WHAT}"
value = "${HOW}"
"#,
    ));
    assert_text(
        &seen,
        r#"
error[variable.unset]: the environment variable `WHO` is not set
  --> mix.toml:14:13
   |
14 | workload = "${WHO}"
   |             ^^^^^^ needed here
   |
   = help: set it, or give a default: ${WHO:-value}

error[variable.unset]: the environment variable `WHAT` is not set
  --> mix.toml:15:11
   |
15 | metric = "${WHAT}"
   |           ^^^^^^^ needed here
   |
   = help: set it, or give a default: ${WHAT:-value}

error[variable.unset]: the environment variable `HOW` is not set
  --> mix.toml:16:10
   |
16 | value = "${HOW}"
   |          ^^^^^^ needed here
   |
   = help: set it, or give a default: ${HOW:-value}"#,
    );
}

#[test]
fn an_unset_variable_is_refused_where_it_stands() {
    let seen = refused(&BASE.replace(
        "share = 1",
        r#"share = 1
config = { token = "Bearer ${TOKN}" }"#,
    ));
    assert_text(
        &seen,
        r#"
error[variable.unset]: the environment variable `TOKN` is not set
 --> mix.toml:7:28
  |
7 | config = { token = "Bearer ${TOKN}" }
  |                            ^^^^^^^ needed here
  |
  = help: set it, or give a default: ${TOKN:-value}"#,
    );
}

#[test]
fn a_variable_that_is_not_closed_is_refused() {
    let seen = refused(&BASE.replace("127.0.0.1:8080", "${HOST"));
    assert_text(
        &seen,
        r#"
error[variable.malformed]: this `${` is not closed
 --> mix.toml:2:15
  |
2 | url = "http://${HOST"
  |               ^^^^^^ a `}` is missing
  |
  = help: write `$${` for a literal `${`"#,
    );
}

#[test]
fn a_variable_whose_name_is_none_is_refused() {
    let seen = refused(&BASE.replace("127.0.0.1", "${my-host}"));
    assert_text(
        &seen,
        r#"
error[variable.malformed]: `my-host` is not the name of a variable
 --> mix.toml:2:15
  |
2 | url = "http://${my-host}:8080"
  |               ^^^^^^^^^^ letters, digits and `_` only
  |
  = help: write ${NAME} or ${NAME:-default}, and `$${` for a literal `${`"#,
    );
}

/// Found by fuzzing: what is quoted could write lines of its own into a refusal.
#[test]
fn what_is_quoted_stays_in_its_line() {
    let seen = refused(&BASE.replace("127.0.0.1", r"${a\nerror: b\tc}"));
    assert_text(
        &seen,
        r#"
error[variable.malformed]: `a\nerror: b\tc` is not the name of a variable
 --> mix.toml:2:7
  |
2 | url = "http://${a\nerror: b\tc}:8080"
  |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ letters, digits and `_` only
  |
  = help: write ${NAME} or ${NAME:-default}, and `$${` for a literal `${`"#,
    );
}

#[test]
fn no_control_character_of_a_file_reaches_the_terminal() {
    // U+009B begins what terminals obey, as ESC and `[` do.
    let seen = refused(&BASE.replace("share = 1", "sh\u{9b}are = 1 # \u{84}"));
    assert!(seen.contains("sh\u{fffd}are = 1 # \u{fffd}"), "{seen}");
    assert!(!seen.contains(|c: char| c.is_control() && c != '\n'), "{seen:?}");
}

#[test]
fn a_value_that_json_does_not_have_is_refused() {
    let seen =
        refused(&BASE.replace("share = 1", "share = 1\nconfig = { a = nan, b = [inf], c = 99999999999999999999 }"));
    assert_text(
        &seen,
        "
error[scenario.bad_config]: JSON, in which plugins are configured, has no such number
 --> mix.toml:7:16
  |
7 | config = { a = nan, b = [inf], c = 99999999999999999999 }
  |                ^^^ cannot be handed over

error[scenario.bad_config]: JSON, in which plugins are configured, has no such number
 --> mix.toml:7:26
  |
7 | config = { a = nan, b = [inf], c = 99999999999999999999 }
  |                          ^^^ cannot be handed over

error[scenario.bad_config]: integers here must fit in 64 bits
 --> mix.toml:7:36
  |
7 | config = { a = nan, b = [inf], c = 99999999999999999999 }
  |                                    ^^^^^^^^^^^^^^^^^^^^ cannot be handed over",
    );
}
