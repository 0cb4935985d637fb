use engine_sdk::testing::{Outcome, Run, Script, config_schema, configure};
use serde_json::json;

use crate::RagQuery;

const CONFIG: &str = r#"{ "token": "t-1", "organization": "org-1", "collection": "manuals", "queries": ["why?"] }"#;
const PATH: &str = "/api/v1/rag/search";

fn answering(status: u16, body: &str) -> Run {
    Script::new().on("POST", PATH).reply(status, body).run::<RagQuery>(CONFIG)
}

#[test]
fn a_search_with_results_is_right() {
    let run = answering(200, r#"{ "results": [{ "text": "a", "score": 0.75, "id": 1 }, { "text": "b" }] }"#);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.observed("results"), [2.0]);
    assert_eq!(run.observed("top_score"), [0.75]);
    let request = &run.requests()[0];
    assert_eq!(request.body.bytes(), br#"{"collection_name":"manuals","query":"why?","limit":5}"#);
    assert_eq!(request.field("authorization"), Some("Bearer t-1"));
    assert_eq!(request.field("x-organization-id"), Some("org-1"));
}

#[test]
fn a_score_that_is_no_figure_is_left_out() {
    for body in [r#"{ "results": [{ "score": -0.5 }] }"#, r#"{ "results": [{ "score": null }, { "score": 1 }] }"#] {
        let run = answering(200, body);
        assert_eq!(run.outcome(), &Outcome::Ok);
        assert!(run.observed("top_score").is_empty(), "{body}");
    }
}

#[test]
fn an_answer_without_results_is_a_failure_of_its_own() {
    assert_eq!(answering(200, r#"{ "results": [] }"#).reason(), Some("check: no results"));
    for body in ["", "{}", r#"{ "results": 3 }"#, "<html>"] {
        assert_eq!(answering(200, body).reason(), Some("check: unexpected JSON"), "{body}");
    }
}

#[test]
fn an_unexpected_status_or_a_broken_exchange_keeps_the_engines_reason() {
    assert_eq!(answering(500, "").reason(), Some("http_500"));
    let run = Script::new().on("POST", PATH).fail("reset").run::<RagQuery>(CONFIG);
    assert_eq!(run.reason(), Some("reset"));
}

#[test]
fn questions_vary_by_seed_and_the_rest_comes_from_login() {
    let shared = json!({ "access_token": "t", "organization": "o", "collection": "c" });
    let script = Script::new().shared(&shared).on("POST", PATH).reply(200, r#"{ "results": [{}] }"#);
    let runs = script.run_many::<RagQuery>(r#"{ "limit": 3 }"#, 2);
    assert_ne!(runs[0].requests()[0].body, runs[1].requests()[0].body);
    let sent: serde_json::Value = serde_json::from_slice(runs[0].requests()[0].body.bytes()).expect("JSON");
    assert_eq!((&sent["collection_name"], &sent["limit"]), (&json!("c"), &json!(3)));
}

#[test]
fn what_is_missing_or_wrong_is_refused_with_what_to_do() {
    let refusal = |config| configure::<RagQuery>(config).expect_err("a refusal");
    assert_eq!(
        refusal(r#"{ "token": "t", "organization": "o" }"#),
        "config.collection: missing; add [[setup]] plugin = \"login\" with `collection` in its config, or give it here"
    );
    assert_eq!(refusal(r#"{ "limit": 0 }"#), "config.limit: 0 is not within 1 to 1000");
    assert_eq!(config_schema::<RagQuery>()["properties"]["limit"]["default"], 5);
}
