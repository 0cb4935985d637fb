use engine_sdk::testing::{Run, Script, config_schema, configure};

use super::ApiRead;

const CONFIG: &str = r#"{ "token": "t-1", "organization": "org-1" }"#;

fn answering(status: u16, body: &str) -> Run {
    Script::new().on("GET", "/api/v1/agents").reply(status, body).run::<ApiRead>(CONFIG)
}

#[test]
fn arrivals_read_the_lists_in_rotation() {
    let body = r#"{ "items": [], "total": 0 }"#;
    let script = Script::new()
        .on("GET", "/api/v1/agents?limit=20")
        .reply(200, body)
        .on("GET", "/api/v1/runs?limit=20")
        .reply(200, body)
        .on("GET", "/api/v1/conversations?limit=20")
        .reply(200, body);
    let runs = script.run_many::<ApiRead>(CONFIG, 4);
    let names: Vec<_> = runs.iter().map(|run| run.requests()[0].name.as_deref()).collect();
    assert_eq!(names, [Some("agents"), Some("runs"), Some("conversations"), Some("agents")]);
    assert!(runs.iter().all(|run| run.reason().is_none()));
}

#[test]
fn each_request_carries_token_and_organization() {
    let run = answering(200, r#"{ "items": [1, { "id": 2 }] }"#);
    let request = &run.requests()[0];
    assert_eq!(request.field("authorization"), Some("Bearer t-1"));
    assert_eq!(request.field("x-organization-id"), Some("org-1"));
    assert_eq!(request.fields[2].0, "X-Organization-Id", "field names leave as written");
    assert_eq!(run.reason(), None);
}

#[test]
fn an_unexpected_status_keeps_the_engines_reason() {
    assert_eq!(answering(503, "busy").reason(), Some("http_503"));
    assert_eq!(answering(204, "").reason(), Some("http_204"));
}

#[test]
fn an_answer_without_items_is_a_failure_of_its_own() {
    for body in ["", "[]", "{}", r#"{ "items": 3 }"#, r#"{ "items": [1"#, "<html>"] {
        assert_eq!(answering(200, body).reason(), Some("check: no items"), "{body}");
    }
}

#[test]
fn a_failed_exchange_keeps_its_reason() {
    let run = Script::new().on("GET", "/api/v1/agents").fail("timeout_total").run::<ApiRead>(CONFIG);
    assert_eq!(run.reason(), Some("timeout_total"));
}

#[test]
fn token_and_organization_may_come_from_login() {
    let shared = serde_json::json!({ "access_token": "from-login", "organization": "org-2" });
    let script = Script::new().shared(&shared).on("GET", "/api/v1/agents").reply(200, r#"{ "items": [] }"#);
    let run = script.run::<ApiRead>(r#"{ "organization": "org-1" }"#);
    assert_eq!(run.requests()[0].field("authorization"), Some("Bearer from-login"));
    assert_eq!(run.requests()[0].field("x-organization-id"), Some("org-1"), "the configuration goes first");
}

#[test]
fn a_wrong_configuration_is_refused_with_its_key() {
    let refusal = |config| configure::<ApiRead>(config).expect_err("a refusal");
    assert_eq!(
        refusal(r#"{ "organization": "o" }"#),
        "config.token: missing; add [[setup]] plugin = \"login\", or give it here"
    );
    assert_eq!(
        refusal(r#"{ "token": "t", "organization": "o", "limit": 0 }"#),
        "config.limit: 0 is not within 1 to 1000"
    );
    assert_eq!(
        refusal(r#"{ "token": "t", "limit": "many" }"#),
        "config.limit: invalid type: string \"many\", expected u32"
    );
    assert_eq!(
        refusal(r#"{ "tokn": "t" }"#),
        "config.tokn: unknown field `tokn`, expected one of `token`, `organization`, `limit`"
    );
}

#[test]
fn the_schema_knows_the_keys() {
    let schema = config_schema::<ApiRead>();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["limit"]["default"], 20);
}
