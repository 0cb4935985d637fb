use engine_sdk::Arrival;
use engine_sdk::testing::{Payload, Run, Script, config_schema, configure};

use crate::plan::Http;
use crate::template::Template;

fn refusal(config: &str) -> String {
    configure::<Http>(config).expect_err("a refusal")
}

/// One iteration against a target that answers every `GET /` alike.
fn answering(status: u16, body: &str, config: &str) -> Run {
    Script::new().on("GET", "/").reply(status, body).run::<Http>(config)
}

#[test]
fn a_path_alone_is_a_get_that_expects_any_2xx() {
    let run = answering(204, "", r#"{ "path": "/" }"#);
    assert_eq!(run.reason(), None);
    assert_eq!(run.request_lines(), ["GET /"]);
    assert!(run.requests()[0].counts_body(), "a body nobody looks at is only counted");
    assert_eq!(run.requests()[0].wanted_fields, Some(Vec::new()));
    assert_eq!(run.requests()[0].body, Payload::Empty);
    assert_eq!(answering(302, "", r#"{ "path": "/" }"#).reason(), Some("http_302"));
}

#[test]
fn an_unexpected_status_keeps_the_engines_reason() {
    assert_eq!(answering(503, "", r#"{ "path": "/", "expect": [200, 204] }"#).reason(), Some("http_503"));
    assert_eq!(answering(204, "", r#"{ "path": "/", "expect": [200, 204] }"#).reason(), None);
    assert_eq!(answering(404, "", r#"{ "path": "/", "expect": ["4xx"] }"#).reason(), None);
    assert_eq!(answering(200, "", r#"{ "path": "/", "expect": ["4xx"] }"#).reason(), Some("http_200"));
    assert_eq!(answering(250, "", r#"{ "path": "/", "expect": ["200-249", "251"] }"#).reason(), Some("http_250"));
}

#[test]
fn a_failed_exchange_keeps_its_reason() {
    let run = Script::new().on("GET", "/").fail("refused").run::<Http>(r#"{ "path": "/" }"#);
    assert_eq!(run.reason(), Some("refused"));
}

#[test]
fn paths_go_round_by_index_with_the_arrivals_numbers_in_them() {
    let script = Script::new()
        .on("GET", "/a")
        .reply(200, "")
        .on("GET", "/b")
        .reply(200, "")
        .arrival(|arrival| (arrival.index, arrival.sequence, arrival.client, arrival.seed) = (6, 40, 9, 77));
    let runs = script.run_many::<Http>(r#"{ "paths": ["/a", "/b?i={index}&s={sequence}&c={client}&r={seed}"] }"#, 3);
    let lines: Vec<_> = runs.iter().flat_map(Run::request_lines).collect();
    assert_eq!(lines, ["GET /a", "GET /b?i=7&s=41&c=9&r=78", "GET /a"]);
}

#[test]
fn a_path_that_varies_is_one_series() {
    let script = Script::new().on("GET", "/items/0").reply(200, "");
    let run = script.run::<Http>(r#"{ "path": "/items/{index}?x=1" }"#);
    assert_eq!(run.requests()[0].name.as_deref(), Some("GET /items/{index}"));
    let run = script.run::<Http>(r#"{ "path": "/items/{index}", "name": "items" }"#);
    assert_eq!(run.requests()[0].name.as_deref(), Some("items"));
    let query_only = answering(200, "", r#"{ "path": "/?x={index}" }"#);
    assert_eq!(query_only.requests()[0].name, None);
}

#[test]
fn fields_leave_as_written() {
    let pairs = r#"{ "path": "/", "fields": [["X-B", "{index}"], ["Accept", "*/*"], ["X-B", "2"]] }"#;
    let run = answering(200, "", pairs);
    let expected = [("X-B", "0"), ("Accept", "*/*"), ("X-B", "2")];
    assert_eq!(run.requests()[0].fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let object = answering(200, "", r#"{ "path": "/", "fields": { "X-B": "1", "Accept": "*/*" } }"#);
    assert_eq!(object.requests()[0].fields[0].0, "Accept");
}

#[test]
fn a_constant_body_is_registered_once_and_a_varying_one_is_rendered() {
    let sent = |config: &str| {
        let run = Script::new().on("POST", "/").reply(200, "").run::<Http>(config);
        (run.requests()[0].body.clone(), run.requests()[0].field("content-type").map(str::to_owned))
    };
    let json = Some("application/json".to_owned());
    let blob = |text: &str| Payload::Blob(text.as_bytes().to_vec());
    let bytes = |text: &str| Payload::Bytes(text.as_bytes().to_vec());
    assert_eq!(sent(r#"{ "method": "POST", "path": "/", "body": "a{{index}" }"#), (blob("a{index}"), None));
    assert_eq!(sent(r#"{ "method": "POST", "path": "/", "body": "n={index}" }"#), (bytes("n=0"), None));
    assert_eq!(
        sent(r#"{ "method": "POST", "path": "/", "body_json": { "a": { "b": {} }, "n": "{client}" } }"#),
        (bytes(r#"{"a":{"b":{}},"n":"1"}"#), json)
    );
    assert_eq!(
        sent(r#"{ "method": "POST", "path": "/", "body_json": {}, "fields": { "Content-Type": "text/x" } }"#),
        (blob("{}"), Some("text/x".to_owned()))
    );
    assert_eq!(
        sent(r#"{ "method": "POST", "path": "/", "body_base64": "AP8=" }"#),
        (Payload::Blob(vec![0, 255]), None)
    );
}

#[test]
fn an_expected_text_is_looked_for_in_the_whole_body() {
    let config = r#"{ "path": "/", "expect_body_contains": "ready", "max_body": 100, "follow_redirects": 3 }"#;
    let run = answering(200, "it is ready.", config);
    assert_eq!(run.reason(), None);
    assert_eq!(run.requests()[0].max_body(), Some(100));
    assert_eq!(run.requests()[0].follow_redirects, Some(3));
    assert_eq!(answering(200, "not yet", config).reason(), Some("check: body without the expected text"));
    assert_eq!(answering(500, "ready", config).reason(), Some("http_500"), "the status goes first");
    assert_eq!(answering(200, "", config).reason(), Some("check: body without the expected text"));
}

#[test]
fn a_wrong_configuration_is_refused_with_its_key() {
    let cases = [
        (r"{}", "config: `path` is missing; give it, or `paths` for several"),
        (r#"{ "path": "/", "paths": ["/"] }"#, "config: give `path` or `paths`, not both"),
        (r#"{ "paths": [] }"#, "config.paths: at least one"),
        (r#"{ "paths": ["/a", "b"] }"#, "config.paths[1]: \"b\" does not begin with /"),
        (r#"{ "paths": ["/a", 3] }"#, "config.paths[1]: invalid type: integer `3`, expected a string"),
        (
            r#"{ "path": "/a b" }"#,
            "config.path: \"/a b\" must be printable ASCII without spaces; write others as %20 and so on",
        ),
        (r#"{ "path": "/a#b" }"#, "config.path: \"/a#b\" has a fragment (#), which is never sent"),
        (
            r#"{ "path": "/{indx}" }"#,
            "config.path: unknown placeholder {indx}; known are {index}, {sequence}, {client}, {seed}; write {{ for a brace",
        ),
        (r#"{ "path": "/", "method": "GE T" }"#, "config.method: \"GE T\" is no method name"),
        (r#"{ "path": "/", "method": "CONNECT" }"#, "config.method: CONNECT opens a tunnel, which is no request"),
        (
            r#"{ "path": "/", "fields": 3 }"#,
            "config.fields: expected an object { name = \"value\" } or a list of pairs [\"name\", \"value\"]",
        ),
        (r#"{ "path": "/", "fields": { "a b": "" } }"#, "config.fields: \"a b\" is no field name"),
        (
            r#"{ "path": "/", "fields": { "a": "x\r\ny: z" } }"#,
            "config.fields: the value of \"a\" must be one line of bytes (U+0000 to U+00FF)",
        ),
        (r#"{ "path": "/", "expect": [] }"#, "config.expect: at least one status"),
        (
            r#"{ "path": "/", "expect": [200, "2x"] }"#,
            "config.expect[1]: \"2x\" is no status; write 204, \"2xx\" or \"200-299\"",
        ),
        (
            r#"{ "path": "/", "expect": [-1] }"#,
            "config.expect[0]: expected a status such as 204, \"2xx\" or \"200-299\"",
        ),
        (r#"{ "path": "/", "expect": [99] }"#, "config.expect[0]: 99 is no status; write 204, \"2xx\" or \"200-299\""),
        (
            r#"{ "path": "/", "body": "", "body_json": null, "body_base64": "" }"#,
            "config: give only one of `body`, `body_json` and `body_base64`",
        ),
        (
            r#"{ "path": "/", "read": "count", "max_body": 5 }"#,
            "config.read: with `expect_body_contains` or `max_body` it must be \"whole\"",
        ),
        (r#"{ "path": "/", "max_body": 0 }"#, "config.max_body: 1 to 67108864 bytes"),
        (r#"{ "path": "/", "follow_redirects": 21 }"#, "config.follow_redirects: at most 20"),
        (r#"{ "path": "/", "name": "" }"#, "config.name: 1 to 128 bytes"),
    ];
    for (config, text) in cases {
        assert_eq!(refusal(config), text, "{config}");
    }
    assert!(refusal(r#"{ "pth": "/" }"#).starts_with("config.pth: unknown field `pth`, expected one of `method`, "));
    assert!(refusal(r#"{ "path": "/", "body_base64": "?" }"#).starts_with("config.body_base64: "));
}

#[test]
fn braces_that_are_no_placeholder_stay() {
    let arrival =
        Arrival { sequence: u64::MAX, index: 1, seed: 2, client: 3, wall_time: 0, phase: String::new(), row: None };
    let rendered = |text: &str| Template::parse(text).expect("a template").render(&arrival).into_owned();
    assert_eq!(rendered(r#"{"a": {}, "b": { "c": 1}}"#), r#"{"a": {}, "b": { "c": 1}}"#);
    assert_eq!(rendered("{{index}} {index}} {{{index}"), "{index}} 1} {1");
    assert_eq!(rendered("{"), "{");
    assert_eq!(rendered("{sequence}{seed}{client}é"), "1844674407370955161523é");
    assert_eq!(rendered(""), "");
}

#[test]
fn the_schema_refuses_unknown_keys_and_describes_the_known() {
    let schema = config_schema::<Http>();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(schema["properties"]["method"]["default"], "GET");
    assert_eq!(schema["properties"]["path"]["description"], "Path and query. Give this or `paths`.");
}
