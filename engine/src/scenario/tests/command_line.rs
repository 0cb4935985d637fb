//! What the command line says, and what goes before what.

use super::{BASE, WHOLE, plan, plan_with, sets, surroundings};
use crate::scenario::{Endpoint, Isolation, Overrides, QuickRun, quick};
use crate::schedule::Rate;

/// A run of one URL.
pub(super) fn simple() -> QuickRun {
    let (url, duration) = ("http://127.0.0.1:8080/a/b?c=d".to_owned(), "10s".to_owned());
    QuickRun { url, rate: 5.0, duration, ..QuickRun::default() }
}

#[test]
fn a_set_goes_before_the_file_and_an_option_before_a_set() {
    assert_eq!(plan(WHOLE).seed, 7);
    let set = sets(&["run.seed=8", "run.title=From the set"]);
    assert_eq!(plan_with(WHOLE, &set).seed, 8);
    assert_eq!(plan_with(WHOLE, &set).title.as_deref(), Some("From the set"));
    let both = Overrides { seed: Some(9), title: Some("From the option".to_owned()), ..set };
    assert_eq!(plan_with(WHOLE, &both).seed, 9);
    assert_eq!(plan_with(WHOLE, &both).title.as_deref(), Some("From the option"));
}

#[test]
fn of_two_sets_for_one_key_the_later_goes_first() {
    assert_eq!(plan_with(BASE, &sets(&["run.seed=1", "run.seed=2"])).seed, 2);
}

#[test]
fn a_set_finds_entries_by_name_and_by_position() {
    let set =
        sets(&["workload.own.share=3", "workload.0.isolation=iteration", "phase.sustain.rate=2", "phase.0.rate=1"]);
    let plan = plan_with(WHOLE, &set);
    assert_eq!(plan.workloads.iter().map(|workload| workload.share).collect::<Vec<_>>(), [45.0, 3.0]);
    assert_eq!(plan.workloads[0].isolation, Isolation::Iteration);
    let rates: Vec<_> = plan.phases.iter().map(|phase| phase.rate().map(Rate::as_f64)).collect();
    assert_eq!(rates, [Some(1.0), None, Some(2.0), Some(5.0)]);
}

#[test]
fn a_set_makes_the_tables_that_are_not_there() {
    let set = sets(&[
        "limits.plugin.call=20ms",
        "workload.small.config.\"a b\".c=[1, 2]",
        "workload.small.config.\"a b\".c.0=5",
    ]);
    let plan = plan_with(BASE, &set);
    assert_eq!(plan.limits.plugin.call.as_millis(), 20);
    assert_eq!(plan.workloads[0].config.value(), &serde_json::json!({ "a b": { "c": [5, 2] } }));
}

#[test]
fn a_set_value_is_toml_or_a_bare_word_and_text_where_text_is_wanted() {
    let config = |value: &str| {
        let plan = plan_with(BASE, &sets(&[&format!("workload.small.config.v={value}")]));
        plan.workloads[0].config.value()["v"].clone()
    };
    assert_eq!(config("5"), 5);
    assert_eq!(config("true"), true);
    assert_eq!(config("\"5\""), "5");
    assert_eq!(config(" two words "), "two words");
    assert_eq!(config(""), "");
    assert_eq!(config("a=b"), "a=b");
    let plan = plan_with(BASE, &sets(&["run.title=2026", "run.name=007"]));
    assert_eq!((plan.title.as_deref(), plan.name.as_str()), (Some("2026"), "007"));
}

#[test]
fn variables_are_expanded_in_sets_but_not_in_options() {
    let overrides = Overrides { title: Some("${HOST}".to_owned()), ..sets(&["target.url=http://${HOST}:81"]) };
    let plan = plan_with(BASE, &overrides);
    assert_eq!(plan.title.as_deref(), Some("${HOST}"));
    assert!(matches!(&plan.target.endpoint, Endpoint::Url(url) if url.to_string() == "http://api.test:81"));
}

#[test]
fn setting_one_of_two_alternatives_takes_the_place_of_the_other() {
    let stub = plan_with(BASE, &sets(&["target.stub=small --token 'a b'"]));
    assert!(matches!(&stub.target.endpoint, Endpoint::Stub(stub) if stub.words() == ["small", "--token", "a b"]));
    assert_eq!(plan_with(WHOLE, &sets(&["phase.rest.rate=1"])).phases[1].rate().map(Rate::as_f64), Some(1.0));
    assert!(plan_with(WHOLE, &sets(&["phase.warm.pause=true"])).phases[0].is_pause());
    assert!(!plan_with(WHOLE, &sets(&["phase.warm.pause=false"])).phases[0].is_pause());
}

#[test]
fn rate_and_duration_are_those_of_the_only_phase() {
    let overrides = Overrides { rate: Some(2.5), duration: Some("4s".to_owned()), ..Overrides::default() };
    assert_eq!(plan_with(BASE, &overrides).planned.total(), 10);
}

#[test]
fn a_scale_shortens_each_phase_to_two_seconds_at_least_and_lengthens_none() {
    let scaled = |text: &str, scale| {
        let plan = plan_with(text, &Overrides { scale: Some(scale), ..Overrides::default() });
        plan.phases.iter().map(|phase| phase.duration.as_secs_f64()).collect::<Vec<_>>()
    };
    assert_eq!(scaled(WHOLE, 0.5), [5.0, 2.5, 45.0, 60.0]);
    assert_eq!(scaled(WHOLE, 0.1), [2.0, 2.0, 9.0, 12.0]);
    assert_eq!(scaled(&BASE.replace("10s", "1500ms"), 0.1), [1.5]);
    assert_eq!(scaled(WHOLE, 1.0), [10.0, 5.0, 90.0, 120.0]);
}

#[test]
fn a_scale_does_not_change_which_phase_is_judged() {
    let text = format!("{BASE}\n[[phase]]\nname = \"longer\"\nduration = \"11s\"\nrate = 1\n");
    let overrides = Overrides { scale: Some(0.01), ..Overrides::default() };
    assert_eq!((plan(&text).judged, plan_with(&text, &overrides).judged), (1, 1));
}

#[test]
fn workers_are_one_a_core_unless_asked_for_or_connections_are_fewer() {
    assert_eq!(plan(BASE).workers, 4);
    assert_eq!(plan_with(BASE, &Overrides { workers: Some(13), ..Overrides::default() }).workers, 13);
    assert_eq!(plan_with(BASE, &Overrides { connections: Some(2), ..Overrides::default() }).workers, 2);
}

#[test]
fn a_quick_run_is_a_plan_with_the_http_plugin() {
    let run = QuickRun {
        fields: vec!["Accept: */*".to_owned(), "X-Empty:".to_owned()],
        body: Some("${TOKEN}".to_owned()),
        expect: vec!["201".to_owned(), "2xx".to_owned()],
        ..simple()
    };
    let plan = quick(&run, &Overrides { seed: Some(3), ..Overrides::default() }, &surroundings()).expect("a plan");
    assert!(matches!(&plan.target.endpoint, Endpoint::Url(url) if url.to_string() == "http://127.0.0.1:8080"));
    let config = serde_json::json!({
        "method": "POST",
        "path": "/a/b?c=d",
        "fields": [["Accept", "*/*"], ["X-Empty", ""]],
        "body": "${TOKEN}",
        "expect": [201, "2xx"],
    });
    assert_eq!(plan.workloads[0].config.value(), &config);
    assert_eq!((plan.planned.total(), plan.seed, plan.name.as_str()), (50, 3, "quick"));
    assert_eq!(plan.scenario, None);
}

#[test]
fn a_quick_run_shows_no_credentials() {
    let fields =
        vec!["Authorization: Bearer abc123".to_owned(), "x-api-key: k".to_owned(), "accept: text/html".to_owned()];
    let plan = quick(&QuickRun { fields, ..simple() }, &Overrides::default(), &surroundings()).expect("a plan");
    assert_eq!(plan.secrets(), ["Bearer abc123", "abc123", "k"]);
    assert_eq!(plan.workloads[0].config.value()["fields"][0][1], "Bearer abc123");
    assert_eq!(plan.workloads[0].config.shown()["fields"][0][1], "***");
    assert!(!format!("{plan:?}{}", serde_json::to_string(&plan).expect("JSON")).contains("abc123"));
}
