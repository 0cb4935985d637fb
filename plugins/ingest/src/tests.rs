use engine_sdk::testing::{Outcome, Run, Script, config_schema, configure};
use serde_json::json;

use crate::{Ingest, document};

const PATH: &str = "/api/v1/rag/collections/manuals/ingest";

fn config(more: &str) -> String {
    format!(r#"{{ "token": "t-1", "organization": "org-1", "collection": "manuals"{more} }}"#)
}

fn answering(status: u16) -> Run {
    Script::new().on("POST", PATH).reply(status, "{}").run::<Ingest>(&config(r#", "size": 40"#))
}

#[test]
fn the_form_is_multipart_with_one_file() {
    let run = answering(202);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.counted("ingested"), 40);
    let request = &run.requests()[0];
    assert_eq!(request.field("content-type"), Some("multipart/form-data; boundary=----load-0000000000000001"));
    let body = String::from_utf8(request.body.bytes().to_vec()).expect("text");
    let expected = "------load-0000000000000001\r\n\
        Content-Disposition: form-data; name=\"file\"; filename=\"document-0000000000000001.txt\"\r\n\
        Content-Type: text/plain\r\n\r\nDocument 0000000000000001\n\nWhen ";
    assert_eq!(&body[..expected.len()], expected);
    assert!(body.ends_with("\r\n------load-0000000000000001--\r\n"), "{body}");
    assert_eq!(request.field("authorization"), Some("Bearer t-1"));
    assert_eq!(request.field("x-organization-id"), Some("org-1"));
    assert!(request.counts_body());
}

#[test]
fn a_document_has_its_size_and_no_boundary_in_it() {
    for size in [1, 26, 27, 28, 500, 100_000] {
        assert_eq!(document(7, size).len(), size);
    }
    assert_eq!(document(7, 5000), document(7, 5000));
    assert_ne!(document(7, 5000), document(8, 5000));
    assert!(!document(7, 100_000).contains('-'));
}

#[test]
fn anything_but_a_202_keeps_the_engines_reason() {
    assert_eq!(answering(200).reason(), Some("http_200"));
    assert_eq!(answering(413).reason(), Some("http_413"));
    assert_eq!(answering(413).counted("ingested"), 0);
    let run = Script::new().on("POST", PATH).fail("reset").run::<Ingest>(&config(""));
    assert_eq!(run.reason(), Some("reset"));
}

#[test]
fn the_collection_may_come_from_login() {
    let shared = json!({ "access_token": "t", "organization": "o", "collection": "a b" });
    let script = Script::new().shared(&shared).on("POST", "/api/v1/rag/collections/a%20b/ingest").reply(202, "");
    let run = script.run::<Ingest>(r#"{ "field": "upload" }"#);
    assert_eq!(run.outcome(), &Outcome::Ok);
    let body = String::from_utf8_lossy(run.requests()[0].body.bytes()).into_owned();
    assert!(body.contains("name=\"upload\""), "{body}");
    assert_eq!(run.counted("ingested"), 4096);
}

#[test]
fn what_is_missing_or_wrong_is_refused_with_what_to_do() {
    let refusal = |config: &str| configure::<Ingest>(config).expect_err("a refusal");
    assert_eq!(
        refusal(r#"{ "token": "t", "organization": "o" }"#),
        "config.collection: missing; add [[setup]] plugin = \"login\" with `collection` in its config, or give it here"
    );
    assert_eq!(refusal(&config(r#", "size": 0"#)), "config.size: 0 is not within 1 to 4194304");
    assert_eq!(refusal(&config(r#", "size": 4194305"#)), "config.size: 4194305 is not within 1 to 4194304");
    assert_eq!(refusal(&config(r#", "field": "a\"b""#)), "config.field: must be letters, digits, `_` and `-`");
    assert_eq!(config_schema::<Ingest>()["properties"]["size"]["default"], 4096);
}
