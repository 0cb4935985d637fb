use engine_sdk::testing::{Answering, Outcome, Run, Script, config_schema, configure};
use serde_json::{Value, json};

use crate::config::Plan;
use crate::{model, refusal};

const LOGIN: &str = "/api/v1/auth/login";
const SECRETS: [&str; 4] = ["hunter", "tok-1", "sekret", "ann@example.org"];

/// A configuration: who logs in, and these keys.
fn config(more: &Value) -> String {
    let mut config = json!({ "email": "ann@example.org", "password": "hunter" });
    config.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    config.to_string()
}

/// The platform's answers; each test replaces one of them by writing it first.
fn platform(script: Script) -> Script {
    let agents = json!({ "items": [
        { "id": "a-0", "status": "draft" }, { "id": "a-1", "status": "published" }, { "id": "a-2", "status": "published" }
    ] });
    script
        .on("POST", LOGIN)
        .field("date", "Mon, 30 Nov 2026 08:00:00 GMT")
        .reply_json(200, &json!({ "access_token": "tok-1", "token_type": "bearer" }))
        .on("GET", "/api/v1/orgs")
        .reply_json(200, &json!({ "items": [{ "id": "org-1", "name": "One" }, { "id": "org-2" }] }))
        .on("GET", "/api/v1/agents")
        .reply_json(200, &agents)
        .on("GET", "/api/v1/rag/collections/manuals")
        .reply_json(200, &json!({ "name": "manuals", "document_count": 3 }))
        .on("GET", "/api/v1/webhooks/triggers")
        .reply_json(200, &json!({ "items": [{ "source": "s", "id": "i", "name": "n" }] }))
        .on("POST", "/api/v1/agents/a-1/run")
        .reply_json(200, &json!({ "id": "r", "status": "completed", "output": "ok" }))
}

/// The setup flow. No text of it may show a secret.
fn setup(script: Script, more: &Value) -> Run {
    let run = platform(script).setup::<Plan>(&config(more)).expect("a setup flow");
    let texts = run.logs().into_iter().map(|(_, text)| text.to_owned()).chain(run.reason().map(str::to_owned));
    for text in texts {
        assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{text}");
    }
    run
}

/// Asserts that a run is refused with this text and shares nothing.
#[track_caller]
fn refused(script: Script, more: &Value, text: &str) {
    let run = setup(script, more);
    assert_eq!(run.reason(), Some(format!("check: {text}").as_str()));
    assert_eq!(run.shared(), json!({}));
    assert!(text.len() <= 200, "{} bytes", text.len());
}

fn on(method: &str, path: &str) -> Answering {
    Script::new().on(method, path)
}

#[test]
fn what_was_found_is_shared() {
    let run = setup(Script::new(), &json!({}));
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.shared(), json!({ "access_token": "tok-1", "organization": "org-1", "agent": "a-1" }));
    assert_eq!(run.request_lines(), ["POST /api/v1/auth/login", "GET /api/v1/orgs", "GET /api/v1/agents?limit=100"]);
    let [login, orgs, agents] = run.requests() else { panic!("three requests") };
    assert_eq!(login.body.bytes(), b"username=ann%40example.org&password=hunter");
    assert_eq!(login.field("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(orgs.field("authorization"), Some("Bearer tok-1"));
    assert_eq!(agents.field("authorization"), Some("Bearer tok-1"));
    assert_eq!(agents.field("x-organization-id"), Some("org-1"));
}

#[test]
fn what_is_configured_is_checked_and_shared() {
    let more = json!({
        "organization": "org-2", "agent": "a-2", "collection": "manuals",
        "trigger_source": "s", "trigger_id": "i", "webhook_secret": "sekret"
    });
    let run = setup(Script::new(), &more);
    assert_eq!(run.outcome(), &Outcome::Ok);
    let expected = json!({
        "access_token": "tok-1", "organization": "org-2", "agent": "a-2", "collection": "manuals",
        "trigger": { "source": "s", "id": "i" }, "webhook_secret": "sekret"
    });
    assert_eq!(run.shared(), expected);
}

#[test]
fn a_wrong_password_is_refused() {
    for status in [400, 401, 403, 422] {
        refused(on("POST", LOGIN).reply(status, "wrong password hunter"), &json!({}), refusal::PASSWORD);
    }
}

#[test]
fn a_target_that_is_no_platform_is_refused() {
    refused(on("POST", LOGIN).reply(404, ""), &json!({}), refusal::NO_LOGIN);
    refused(on("POST", LOGIN).reply(503, ""), &json!({}), refusal::LOGIN);
    for body in ["", "<html>", "{}", r#"{ "access_token": "" }"#, r#"{ "access_token": ["tok-1"] }"#] {
        refused(on("POST", LOGIN).reply(200, body), &json!({}), refusal::NO_TOKEN);
    }
    let odd = on("POST", LOGIN).reply(200, r#"{ "access_token": "tok-1 é" }"#);
    refused(odd, &json!({}), refusal::BAD_ANSWER);
    let down = setup(on("POST", LOGIN).fail("refused"), &json!({}));
    assert_eq!(down.reason(), Some("refused"), "the engine's own reason says it");
}

#[test]
fn an_account_without_organization_is_refused() {
    refused(on("GET", "/api/v1/orgs").reply(200, r#"{ "items": [] }"#), &json!({}), refusal::NO_ORGANIZATION);
    refused(on("GET", "/api/v1/orgs").reply(403, ""), &json!({}), refusal::ORGANIZATIONS);
    refused(on("GET", "/api/v1/orgs").reply(200, "{}"), &json!({}), refusal::ORGANIZATIONS);
    refused(Script::new(), &json!({ "organization": "org-3" }), refusal::UNKNOWN_ORGANIZATION);
}

#[test]
fn an_agent_that_cannot_be_used_is_refused() {
    refused(Script::new(), &json!({ "agent": "a-0" }), refusal::UNPUBLISHED_AGENT);
    refused(Script::new(), &json!({ "agent": "a-9" }), refusal::UNKNOWN_AGENT);
    let drafts = || on("GET", "/api/v1/agents").reply(200, r#"{ "items": [{ "id": "a-0", "status": "draft" }] }"#);
    refused(drafts(), &json!({}), refusal::NO_AGENT);
    refused(on("GET", "/api/v1/agents").reply(200, r#"{ "items": [] }"#), &json!({}), refusal::NO_AGENT);
    refused(on("GET", "/api/v1/agents").reply(500, ""), &json!({}), refusal::AGENTS);
}

#[test]
fn of_many_agents_only_the_first_are_looked_at_and_that_is_said() {
    let items: Vec<Value> = (0..100).map(|i| json!({ "id": format!("b-{i}"), "status": "published" })).collect();
    let many = on("GET", "/api/v1/agents").reply_json(200, &json!({ "items": items }));
    let run = setup(many, &json!({ "agent": "a-9" }));
    assert_eq!(run.logs().last().map(|line| line.1), Some("only the first 100 agents were looked at"));
}

#[test]
fn a_collection_that_cannot_be_searched_is_refused() {
    let path = "/api/v1/rag/collections/manuals";
    let more = json!({ "collection": "manuals" });
    refused(on("GET", path).reply(404, ""), &more, refusal::UNKNOWN_COLLECTION);
    refused(on("GET", path).reply(200, r#"{ "document_count": 0 }"#), &more, refusal::EMPTY_COLLECTION);
    refused(on("GET", path).reply(200, "{}"), &more, refusal::COLLECTION);
    refused(on("GET", path).reply(403, ""), &more, refusal::COLLECTION);
    let odd = on("GET", "/api/v1/rag/collections/a%2Fb").reply(404, "");
    refused(odd, &json!({ "collection": "a/b" }), refusal::UNKNOWN_COLLECTION);
}

#[test]
fn an_unknown_trigger_is_refused_unless_triggers_cannot_be_listed() {
    let more = json!({ "trigger_source": "s", "trigger_id": "j" });
    refused(Script::new(), &more, refusal::UNKNOWN_TRIGGER);
    let run = setup(on("GET", "/api/v1/webhooks/triggers").reply(403, ""), &more);
    assert_eq!(run.outcome(), &Outcome::Ok);
    let line = "the trigger was not checked: the list of triggers answered 403";
    assert_eq!(run.logs().last().map(|line| line.1), Some(line));
}

/// The model's answers to two questions, how often it has seen the probe.
fn seen(before: u64, after: u64) -> Script {
    let first = on("GET", "/seen").once().reply_json(200, &json!({ "seen": before }));
    first.on("GET", "/seen").reply_json(200, &json!({ "seen": after }))
}

#[test]
fn a_model_that_is_reached_has_seen_the_probe() {
    for (model, authority) in [("127.0.0.1:4020", Some("127.0.0.1:4020")), ("target", None)] {
        let run = setup(seen(2, 3), &json!({ "model": model }));
        assert_eq!(run.outcome(), &Outcome::Ok);
        let requests = &run.requests()[3..];
        let names: Vec<_> = requests.iter().filter_map(|request| request.name.as_deref()).collect();
        assert_eq!(names, ["seen", "run", "seen"]);
        assert_eq!(requests[0].authority.as_deref(), authority);
        assert_eq!(requests[0].field("authorization"), None, "the token is none of the model's business");
        let marker = requests[0].path.strip_prefix("/seen?text=").expect("a text");
        let input = String::from_utf8_lossy(requests[1].body.bytes()).into_owned();
        assert!(input.contains(marker), "{input}");
    }
}

#[test]
fn a_model_that_has_not_seen_the_probe_is_not_reached() {
    let more = json!({ "model": "127.0.0.1:4020" });
    refused(seen(0, 0), &more, refusal::NOT_REACHED);
    refused(seen(2, 2), &more, refusal::NOT_REACHED);
    refused(seen(0, 0), &json!({ "model": "target" }), refusal::NOT_REACHED);
    refused(seen(0, 0).on("POST", "/api/v1/agents/a-1/run").reply(500, ""), &more, refusal::RUN);
}

#[test]
fn a_target_that_cannot_tell_is_let_pass_and_a_model_that_cannot_is_not() {
    let unknown = || on("GET", "/seen").reply(404, "");
    let run = setup(unknown(), &json!({ "model": "target" }));
    assert_eq!(run.outcome(), &Outcome::Ok);
    let line = "whether the platform reaches its model cannot be seen here: the target has no /seen";
    assert_eq!(run.logs().last().map(|line| line.1), Some(line));
    assert!(run.requests().iter().all(|request| request.name.as_deref() != Some("run")), "nothing is run for nothing");
    let strict = json!({ "model": "localhost:1" });
    refused(unknown(), &strict, refusal::NO_MODEL);
    refused(on("GET", "/seen").reply(200, "{}"), &strict, refusal::NO_MODEL);
    refused(on("GET", "/seen").fail("refused"), &strict, refusal::NO_MODEL);
    refused(on("GET", "/seen").fail("host_not_allowed"), &strict, refusal::NOT_ALLOWED);
    refused(on("GET", "/seen").reply(500, ""), &json!({ "model": "target" }), refusal::NO_MODEL);
}

#[test]
fn a_probe_is_of_its_log_in_and_does_not_tell_the_token() {
    assert_eq!(model::marker("tok-1", Some("a")), model::marker("tok-1", Some("a")));
    assert_ne!(model::marker("tok-1", Some("a")), model::marker("tok-1", Some("b")));
    assert_ne!(model::marker("tok-1", None), model::marker("tok-2", None));
    assert_eq!(model::marker("tok-1", None).len(), "probe-".len() + 16);
}

#[test]
fn as_a_workload_each_arrival_logs_in_once() {
    let run = platform(Script::new()).run::<Plan>(&config(&json!({})));
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.request_lines(), ["POST /api/v1/auth/login"]);
    let reason = |script: Script| script.run::<Plan>(&config(&json!({}))).reason().map(str::to_owned);
    assert_eq!(reason(on("POST", LOGIN).reply(401, "")).as_deref(), Some("http_401"));
    assert_eq!(reason(on("POST", LOGIN).reply(200, "{}")).as_deref(), Some("check: no token"));
    assert_eq!(reason(on("POST", LOGIN).fail("reset")).as_deref(), Some("reset"));
}

#[test]
fn a_wrong_configuration_is_refused_with_its_key() {
    let refusal = |config: &str| configure::<Plan>(config).expect_err("a refusal");
    assert_eq!(refusal("{}"), "config: missing field `email`");
    assert_eq!(refusal(r#"{ "email": "a", "password": "" }"#), "config.password: must not be empty");
    assert_eq!(
        refusal(&config(&json!({ "agent": "" }))),
        "config.agent: must not be empty; leave it out where there is none"
    );
    assert_eq!(
        refusal(&config(&json!({ "trigger_id": "i" }))),
        "config: give `trigger_source` and `trigger_id` together"
    );
    for model in ["", "localhost", ":80", "http://localhost:80", "a@b:80", "localhost:99999"] {
        assert_eq!(
            refusal(&config(&json!({ "model": model }))),
            format!("config.model: {model:?} is neither \"none\" nor \"target\" nor the model as \"host:port\"")
        );
    }
    assert!(configure::<Plan>(&config(&json!({ "model": "[::1]:80" }))).is_ok());
    assert_eq!(config_schema::<Plan>()["properties"]["model"]["default"], "none");
}
