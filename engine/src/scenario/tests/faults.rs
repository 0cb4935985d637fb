//! Every kind of fault of a file, with its whole text.

use super::{BASE, assert_text, refusal, resolve_with};
use crate::scenario::Overrides;

#[test]
fn text_that_is_not_toml_is_refused_at_each_place() {
    let seen = refusal(resolve_with(r#"[target
url = http://x
name = "a
"#, &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_duration_without_quotes_says_so() {
    let seen = refusal(resolve_with(&BASE.replace(r#""10s""#, "10s"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_key_written_twice_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", "share = 1\nshare = 2"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_integer_beyond_any_range_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", "share = 99999999999999999999999999999999999999999"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_unknown_table_names_the_nearest() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", "\n[limit]\nin_flight = 5\n"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_unknown_key_names_the_nearest_and_those_there_are() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", "shar = 1"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_key_of_another_table_says_where_it_belongs() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", "share = 1\nin_flight = 5"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn what_later_versions_may_have_is_unknown() {
    let seen = refusal(resolve_with(&BASE.replace("rate = 20", r#"profile = "ramp"
from = 1"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_empty_file_says_what_a_scenario_needs() {
    let seen = refusal(resolve_with("", &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_list_without_entries_is_missing() {
    let seen = refusal(resolve_with(r#"workload = []
[target]
url = "http://h"
[[phase]]
name = "p"
duration = "2s"
rate = 1
"#, &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_missing_key_shows_an_example() {
    let seen = refusal(resolve_with(&BASE.replace(r#"duration = "10s"
"#, ""), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_string_for_a_number_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", r#"share = "1""#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_number_for_a_duration_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace(r#""10s""#, "10"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_table_for_a_list_of_tables_is_refused() {
    let seen = refusal(resolve_with(r#"[target]
url = "http://h"
[workload]
name = "a"
[[phase]]
name = "p"
duration = "2s"
rate = 1
"#, &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_list_of_tables_for_a_table_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", "\n[[limits]]\n"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_config_that_is_no_table_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", r#"share = 1
config = "x""#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_integer_out_of_range_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", "\n[limits]\nin_flight = 0\nredirects = 21\n"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_number_out_of_range_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("rate = 20", "rate = 0"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_rate_that_is_not_a_number_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("rate = 20", "rate = nan"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_rate_finer_than_a_millionth_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("rate = 20", "rate = 33.33333333"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_share_finer_than_a_millionth_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", "share = 0.3333333333"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_duration_out_of_range_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace(r#""10s""#, r#""0s""#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_duration_without_a_unit_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace(r#""10s""#, r#""10""#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_size_that_is_none_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[limits.plugin]
memory = "lots"
string = "8GiB"
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_name_with_other_characters_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace(r#""small""#, r#""Small talk""#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_run_name_that_would_leave_its_folder_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[run]
name = "../x"
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_value_that_is_none_of_the_choices_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", r#"share = 1
isolation = "iterations""#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_target_without_an_address_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace(r#"url = "http://127.0.0.1:8080"
"#, ""), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_target_with_two_addresses_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("\n\n[[workload]]", r#"
stub = "small"

[[workload]]"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_url_without_a_scheme_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("http://127.0.0.1:8080", "127.0.0.1:8080"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_url_of_another_scheme_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("http://127.0.0.1:8080", "ftp://127.0.0.1"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_url_with_credentials_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("http://127", "http://user:pw@127"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_url_with_a_query_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace(":8080", ":8080/?a=b"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_stub_that_cannot_be_split_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace(r#"url = "http://127.0.0.1:8080""#, r#"stub = "small --token 'x""#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_certificate_that_is_not_there_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("\n\n[[workload]]", r#"
ca = "nowhere.pem"

[[workload]]"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_client_key_alone_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("\n\n[[workload]]", r#"
client_key = "nowhere.key"

[[workload]]"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_address_without_a_port_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("\n\n[[workload]]", r#"
resolve = "127.0.0.1"

[[workload]]"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_allowed_host_that_is_a_url_or_a_pattern_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[limits]
allowed_hosts = ["https://x.test", "*.x.test", "x.test:70000"]
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn two_workloads_of_one_name_are_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[workload]]
name = "small"
share = 2
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn two_phases_of_one_name_are_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[phase]]
name = "load"
duration = "1s"
pause = true
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_phase_with_a_rate_and_a_pause_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("rate = 20", "rate = 20\npause = true"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_phase_with_neither_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("rate = 20", "pause = false"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn nothing_but_pauses_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("rate = 20", "pause = true"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn two_judged_phases_are_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"judged = true

[[phase]]
name = "again"
duration = "1s"
rate = 1
judged = true
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_judged_pause_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[phase]]
name = "rest"
duration = "1s"
pause = true
judged = true
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_recovery_that_is_judged_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", "judged = true\nrecovery = true\n"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn no_phase_left_to_judge_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", "judged = false\n"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_unset_variable_is_refused_where_it_stands() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", r#"share = 1
config = { token = "Bearer ${TOKN}" }"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_variable_that_is_not_closed_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("127.0.0.1:8080", "${HOST"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_variable_whose_name_is_none_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("127.0.0.1", "${my-host}"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_value_that_json_does_not_have_is_refused() {
    let seen = refusal(resolve_with(&BASE.replace("share = 1", "share = 1\nconfig = { a = nan, b = [inf], c = 99999999999999999999 }"), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_metric_that_is_none_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[threshold]]
workload = "small"
metric = "p100"
value = "1s"

[[threshold]]
workload = "small"
metric = "errorrate"
value = 0
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_time_without_a_unit_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[threshold]]
workload = "small"
metric = "p95"
value = 300
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn an_error_rate_above_one_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[threshold]]
workload = "small"
metric = "error_rate"
value = 5
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_count_of_missed_that_is_no_count_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[threshold]]
workload = "small"
metric = "missed"
value = 0.5
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_threshold_for_no_workload_names_the_nearest() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[threshold]]
workload = "smal"
metric = "p95"
value = "1s"
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_threshold_for_no_phase_names_the_nearest() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[threshold]]
workload = "small"
metric = "p95"
value = "1s"
phase = "laod"
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn a_threshold_on_a_pause_is_refused() {
    let seen = refusal(resolve_with(&format!("{BASE}{}", r#"
[[phase]]
name = "rest"
duration = "1s"
pause = true

[[threshold]]
workload = "small"
metric = "p95"
value = "1s"
phase = "rest"
"#), &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn all_faults_of_a_file_come_at_once() {
    let seen = refusal(resolve_with(r#"wrkload = 1
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
"#, &Overrides::default()));
    assert_text(&seen, "
@");
}

#[test]
fn columns_count_characters_and_line_ends_may_be_those_of_windows() {
    let seen = refusal(resolve_with(r#"# größe
[target]
url = "http://h" # ü
stub = "ü
"#, &Overrides::default()));
    assert_text(&seen, "
@");
}
