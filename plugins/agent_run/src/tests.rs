use engine_sdk::testing::{Outcome, Run, Script, config_schema, configure};
use serde_json::json;

use crate::AgentRun;

const CONFIG: &str = r#"{ "token": "t-1", "organization": "org-1", "agent": "a/1", "inputs": ["go"] }"#;
const PATH: &str = "/api/v1/agents/a%2F1/run";

fn answering(status: u16, body: &str) -> Run {
    Script::new().on("POST", PATH).reply(status, body).run::<AgentRun>(CONFIG)
}

#[test]
fn a_completed_run_with_output_is_right() {
    let run = answering(200, r#"{ "id": "r-1", "status": "completed", "output": "done: é" }"#);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.observed("output"), [8.0]);
    let request = &run.requests()[0];
    assert_eq!(request.body.bytes(), br#"{"input":"go"}"#);
    assert_eq!(request.name.as_deref(), Some("run"), "the agent's id is not in the series' name");
    assert_eq!(request.field("authorization"), Some("Bearer t-1"));
    assert_eq!(request.field("x-organization-id"), Some("org-1"));
    assert_eq!(request.field("content-type"), Some("application/json"));
    let object = answering(200, r#"{ "status": "completed", "output": { "answer": 3 } }"#);
    assert_eq!(object.outcome(), &Outcome::Ok);
}

#[test]
fn an_unexpected_status_keeps_the_engines_reason() {
    assert_eq!(answering(500, "{}").reason(), Some("http_500"));
    assert_eq!(answering(202, r#"{ "status": "completed", "output": "x" }"#).reason(), Some("http_202"));
}

#[test]
fn a_run_that_came_to_nothing_is_a_failure_of_its_own() {
    let reason = |body: serde_json::Value| answering(200, &body.to_string()).reason().map(str::to_owned);
    assert_eq!(reason(json!({ "status": "failed" })).as_deref(), Some("check: run failed"));
    assert_eq!(reason(json!({ "status": "timed_out" })).as_deref(), Some("check: run timed_out"));
    let odd = json!({ "status": "stuck at 7b1c-44" });
    assert_eq!(reason(odd).as_deref(), Some("check: run with an unexpected status"));
    assert_eq!(reason(json!({ "output": "x" })).as_deref(), Some("check: run without status"));
    for output in [json!(null), json!(""), json!(" \n"), json!([]), json!({})] {
        let body = json!({ "status": "completed", "output": output });
        assert_eq!(reason(body).as_deref(), Some("check: empty output"));
    }
    assert_eq!(reason(json!({ "status": "completed" })).as_deref(), Some("check: empty output"));
    assert_eq!(answering(200, "<html>").reason(), Some("check: unexpected JSON"));
    assert_eq!(answering(200, "").reason(), Some("check: unexpected JSON"));
}

#[test]
fn a_failed_exchange_keeps_its_reason() {
    let run = Script::new().on("POST", PATH).fail("timeout_total").run::<AgentRun>(CONFIG);
    assert_eq!(run.reason(), Some("timeout_total"));
}

#[test]
fn inputs_vary_by_seed_and_the_rest_comes_from_login() {
    let shared = json!({ "access_token": "t", "organization": "o", "agent": "b" });
    let body = r#"{ "status": "completed", "output": "x" }"#;
    let script = Script::new().shared(&shared).on("POST", "/api/v1/agents/b/run").reply(200, body);
    let runs = script.run_many::<AgentRun>("{}", 2);
    assert_ne!(runs[0].requests()[0].body, runs[1].requests()[0].body);
    let again = script.run_many::<AgentRun>("{}", 2);
    assert_eq!(runs[1].requests()[0].body, again[1].requests()[0].body);
}

#[test]
fn what_is_missing_is_refused_with_what_to_do() {
    assert_eq!(
        configure::<AgentRun>(r#"{ "token": "t", "organization": "o" }"#).expect_err("a refusal"),
        "config.agent: missing; add [[setup]] plugin = \"login\", or give it here"
    );
    assert_eq!(config_schema::<AgentRun>()["additionalProperties"], false);
}
