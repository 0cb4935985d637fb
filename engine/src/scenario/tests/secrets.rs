//! Variables of the environment, and what of them is shown.

use super::{BASE, WHOLE, plan, plan_with, refusal, resolve_with, sets};
use crate::scenario::{Endpoint, Overrides};

fn config_value(written: &str) -> String {
    let plan = plan(&BASE.replace("share = 1", &format!("share = 1\nconfig = {{ v = '{written}' }}")));
    plan.workloads[0].config.value()["v"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn variables_are_expanded() {
    assert_eq!(config_value("a ${TOKEN} b ${HOST}"), "a s3cret b api.test");
    assert_eq!(config_value("${NONE:-default}"), "default");
    assert_eq!(config_value("${NONE:-}"), "");
    assert_eq!(config_value("${EMPTY}|${EMPTY:-default}"), "|default");
    assert_eq!(config_value("$${TOKEN} $TOKEN $$ 5$"), "${TOKEN} $TOKEN $$ 5$");
    assert_eq!(config_value("$$${TOKEN}"), "$${TOKEN}");
}

#[test]
fn what_a_variable_holds_is_not_expanded_again() {
    let mut around = super::surroundings();
    around.variable = Box::new(|name| (name == "A").then(|| "${B}".to_owned()));
    let text = BASE.replace("share = 1", "share = 1\nconfig = { v = \"${A}\" }");
    let plan = super::parse(std::path::Path::new("x.toml"), &text, &Overrides::default(), &around).expect("a plan");
    assert_eq!(plan.workloads[0].config.value()["v"], "${B}");
}

#[test]
fn a_plan_shows_no_secret() {
    let plan = plan_with(WHOLE, &sets(&["target.stub=small --token ${TOKEN}"]));
    assert_eq!(plan.secrets(), ["s3cret"]);
    assert!(matches!(&plan.target.endpoint, Endpoint::Stub(stub) if stub.words()[2] == "s3cret"));
    let shown = serde_json::to_string(&plan).expect("JSON");
    assert!(shown.contains("Bearer ${TOKEN}") && shown.contains("small --token ${TOKEN}"));
    assert!(!shown.contains("s3cret") && !format!("{plan:?}").contains("s3cret"));
}

#[test]
fn only_configurations_and_the_stub_hold_secrets() {
    let plan = plan(&BASE.replace("127.0.0.1", "${HOST}"));
    assert_eq!(plan.secrets(), [""; 0]);
    assert!(serde_json::to_string(&plan).expect("JSON").contains("http://api.test:8080"));
}

#[test]
fn a_default_written_in_the_file_is_no_secret() {
    let text = BASE.replace("share = 1", "share = 1\nconfig = { n = \"${NONE:-1}\", e = \"${EMPTY}\" }");
    assert_eq!(plan(&text).secrets(), [""; 0]);
}

#[test]
fn a_fault_shows_no_secret() {
    let text = format!("{BASE}\n[[setup]]\nplugin = 5\nconfig = {{ a = \"${{TOKEN}}\", b = nan }}\n");
    let wrong = text.replace("url = \"http://127.0.0.1:8080\"", "stub = \"small '${TOKEN}\"");
    assert!(!refusal(resolve_with(&wrong, &Overrides::default())).contains("s3cret"));
}
