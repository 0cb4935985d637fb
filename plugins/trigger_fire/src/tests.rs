use std::collections::BTreeSet;

use engine_sdk::testing::{Outcome, Run, Script, config_schema, configure};
use serde_json::{Value, json};

use crate::{TriggerFire, sign};
use hmac::{Hmac, KeyInit};

const CONFIG: &str = r#"{
    "token": "t-1", "organization": "org-1", "source": "github", "id": "a/1", "webhook_secret": "key"
}"#;
const PATH: &str = "/api/v1/webhooks/triggers/github/a%2F1";

fn answering(status: u16, body: &str) -> Run {
    Script::new().on("POST", PATH).reply(status, body).run::<TriggerFire>(CONFIG)
}

#[test]
fn signatures_are_those_of_the_standard() {
    // RFC 4231, test cases 1, 2 and 6: a short key, a short text, a key longer than a block.
    let signed = |key: &[u8], body: &[u8]| sign(&Hmac::new_from_slice(key).expect("a key"), body);
    assert_eq!(
        signed(&[0x0b; 20], b"Hi There"),
        "sha256=b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    );
    assert_eq!(
        signed(b"Jefe", b"what do ya want for nothing?"),
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
    assert_eq!(
        signed(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
        "sha256=60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    );
}

#[test]
fn the_raw_body_is_signed() {
    let run = answering(202, r#"{ "status": "accepted", "id": "e-1" }"#);
    assert_eq!(run.outcome(), &Outcome::Ok);
    let request = &run.requests()[0];
    let signer = Hmac::new_from_slice(b"key").expect("a key");
    assert_eq!(request.field("X-Signature-256"), Some(sign(&signer, request.body.bytes()).as_str()));
    assert_eq!(request.field("content-type"), Some("application/json"));
    assert_eq!(request.field("authorization"), Some("Bearer t-1"));
    assert_eq!(request.field("x-organization-id"), Some("org-1"));
    let body: Value = serde_json::from_slice(request.body.bytes()).expect("JSON");
    assert_eq!(body["event"], "load_test");
    assert_eq!(body["time_ns"], 1_700_000_000_000_000_000_u64);
}

#[test]
fn no_two_bodies_are_alike_not_even_of_two_runs_with_one_seed() {
    let accepted = r#"{ "status": "accepted" }"#;
    let bodies = |start: u64| {
        let script = Script::new().arrival(|arrival| arrival.wall_time = start).on("POST", PATH).reply(202, accepted);
        let runs = script.run_many::<TriggerFire>(CONFIG, 20);
        runs.iter().map(|run| run.requests()[0].body.bytes().to_vec()).collect::<BTreeSet<_>>()
    };
    let (first, second) = (bodies(1), bodies(2));
    assert_eq!((first.len(), second.len()), (20, 20));
    assert!(first.is_disjoint(&second));
    assert_eq!(first, bodies(1), "the same start sends the same bytes");
}

#[test]
fn a_duplicate_is_a_failure() {
    assert_eq!(answering(200, r#"{ "status": "duplicate" }"#).reason(), Some("check: duplicate"));
    assert_eq!(answering(202, r#"{ "status": "duplicate" }"#).reason(), Some("check: duplicate"));
}

#[test]
fn what_is_not_accepted_is_a_failure() {
    assert_eq!(answering(200, r#"{ "status": "accepted" }"#).reason(), Some("http_200"));
    assert_eq!(answering(202, r#"{ "status": "queued-7" }"#).reason(), Some("check: not accepted"));
    assert_eq!(answering(202, "{}").reason(), Some("check: not accepted"));
    assert_eq!(answering(202, "").reason(), Some("check: unexpected JSON"));
    assert_eq!(answering(401, "").reason(), Some("http_401"));
    let run = Script::new().on("POST", PATH).fail("refused").run::<TriggerFire>(CONFIG);
    assert_eq!(run.reason(), Some("refused"));
}

#[test]
fn the_trigger_and_its_secret_may_come_from_login() {
    let shared = json!({
        "access_token": "t", "organization": "o", "trigger": { "source": "s", "id": "i" }, "webhook_secret": "k"
    });
    let script = Script::new().shared(&shared).on("POST", "/api/v1/webhooks/triggers/s/i");
    let run = script.reply(202, r#"{ "status": "accepted" }"#).run::<TriggerFire>(r#"{ "payload": { "n": 3 } }"#);
    assert_eq!(run.outcome(), &Outcome::Ok);
    let body: Value = serde_json::from_slice(run.requests()[0].body.bytes()).expect("JSON");
    assert_eq!(body["n"], 3);
}

#[test]
fn what_is_missing_or_wrong_is_refused_with_what_to_do() {
    let refusal = |config: &Value| configure::<TriggerFire>(&config.to_string()).expect_err("a refusal");
    let mut config: Value = serde_json::from_str(CONFIG).expect("JSON");
    config["payload"] = json!({ "seed": 1 });
    assert_eq!(refusal(&config), "config.payload.seed: the plugin sets this itself");
    config["webhook_secret"] = json!("");
    assert_eq!(refusal(&config), "config.webhook_secret: must not be empty");
    for (key, name) in [("webhook_secret", "webhook_secret"), ("id", "trigger_id"), ("source", "trigger_source")] {
        config.as_object_mut().expect("an object").remove(key);
        assert_eq!(
            refusal(&config),
            format!(
                "config.{key}: missing; add [[setup]] plugin = \"login\" with `{name}` in its config, or give it here"
            )
        );
    }
    assert_eq!(config_schema::<TriggerFire>()["additionalProperties"], false);
}
