//! `engine plugin test`: cases that pass, cases that do not and how that is told, files that are none.

use serde_json::Value;

use super::kit::{Place, Ran};

const COMPONENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components");

fn run(plugin: &str, cases: &str, more: &[&str]) -> Ran {
    let place = Place::new();
    place.write("cases.toml", cases.as_bytes());
    let file = format!("{COMPONENTS}/{plugin}.wasm");
    let mut arguments = vec!["plugin", "test", &file, "--script", "cases.toml"];
    arguments.extend(more);
    place.run(&arguments)
}

/// All of these pass.
fn pass(plugin: &str, cases: &str) {
    let ran = run(plugin, cases, &[]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
}

/// The text of the only difference of a case that fails.
fn difference(plugin: &str, cases: &str) -> (i64, String, String, String) {
    let ran = run(plugin, cases, &["--format", "json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (10, ""), "{}", ran.stdout);
    let sheet: Value = serde_json::from_str(&ran.stdout).unwrap();
    let differences = sheet["cases"][0]["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 1, "{differences:?}");
    let text = |key: &str| differences[0][key].as_str().unwrap().to_owned();
    (differences[0]["line"].as_i64().unwrap(), text("part"), text("expected"), text("got"))
}

#[test]
fn requests_are_compared_by_the_parts_a_case_names() {
    pass(
        "http",
        r#"
[[case]]
name = "all parts"
config = { method = "POST", path = "/echo?x=1", body_json = { a = 1, b = ["x"] }, fields = { "X-A" = "one", accept = "b" } }

[[case.step]]
request = { method = "POST", path = "/echo***", fields = { x-a = "o***e" }, json = { b = ["***"], a = 1 }, read = "count" }
answer = { status = 200, size = 2048 }

[[case]]
name = "no part"
config = { path = "/" }
step = [{ request = {}, answer = { failure = "timeout_total", detail = "30 s" } }]
expect = { verdict = "timeout_total" }

[[case]]
name = "bytes"
config = { method = "PUT", path = "/", body_base64 = "AAH/", expect_body_contains = "right" }
step = [{ request = { base64 = "AAH/", read = "whole" }, answer = { body = "wrong" } }]
expect = { verdict = "check: ***" }
"#,
    );
}

#[test]
fn each_part_that_differs_is_told_with_its_line() {
    let case = |step: &str, expect: &str| {
        format!(
            "[[case]]\nname = \"a\"\nconfig = {{ path = \"/a\" }}\n[[case.step]]\n{step}\n[case.expect]\n{expect}\n"
        )
    };
    let of = |step: &str, expect: &str| difference("http", &case(step, expect));
    let ok = "verdict = \"ok\"";
    let got =
        |line, part: &str, expected: &str, got: &str| (line, part.to_owned(), expected.to_owned(), got.to_owned());
    assert_eq!(of("request = { path = \"/b\" }", ok), got(4, "path of the request", "/b", "/a"));
    assert_eq!(of("request = { method = \"PUT\" }", ok), got(4, "method of the request", "PUT", "GET"));
    assert_eq!(of("request = { read = \"whole\" }", ok), got(4, "read mode of the request", "whole", "count"));
    assert_eq!(
        of("request = { fields = { x-b = \"1\" } }", ok),
        got(4, "field `x-b` of the request", "1", "(no such field)")
    );
    assert_eq!(of("request = { body = \"x\" }", ok), got(4, "body of the request", "x", ""));
    assert_eq!(of("request = {}\nanswer = { status = 503 }", ok), got(7, "verdict", "ok", "http_503"));
    assert_eq!(of("wait = \"1s\"", ok), got(4, "what is asked for", "waits 1s", "asks for #0: GET /a, read count"));
    let two = "request = {}\nanswer = {}\n[[case.step]]\nrequest = { path = \"/c\" }";
    assert_eq!(of(two, ok), got(7, "what is asked for", "asks for a request /c", "nothing: it has ended as ok"));
    let events = of("request = {}\nanswer = { events = [\"a\"] }", ok);
    assert!(events.3.starts_with("exchange 0 is read as a whole"), "{events:?}");
    let late = of("request = {}\nanswer = {}\n[[case.step]]\nanswer = { to = 0, status = 200 }", ok);
    assert_eq!(late, got(7, "what comes", "something that can come", "the iteration has ended as ok"));
    let unknown = of("request = {}\n[[case.step]]\nanswer = { to = 3 }", ok);
    assert_eq!(unknown.3, "exchange 3 has not been asked for");
    let timer = of("request = {}\n[[case.step]]\nfire = 0", ok);
    assert_eq!(timer.3, "timer 0 does not run");
    let open = difference("http", "[[case]]\nname = \"a\"\nconfig = { path = \"/a\" }\nstep = [{ request = {} }]\n");
    assert_eq!(open.3, "it has not ended");
    let refused = difference("http", "[[case]]\nname = \"a\"\n");
    assert_eq!((refused.0, refused.1.as_str()), (1, "configuration"));
    assert!(refused.3.starts_with("refused: config: `path` is missing"), "{refused:?}");
    let flow = difference("http", "[[case]]\nname = \"a\"\nconfig = { path = \"/a\" }\nflow = \"setup\"\n");
    assert_eq!(flow.3, "the plugin has none");
}

#[test]
fn what_is_asked_for_beyond_the_last_step_fails_a_case() {
    let cases = "[[case]]\nname = \"a\"\nconfig = { path = \"/a\" }\n[case.expect]\nverdict = \"***\"\n";
    let (line, part, expected, got) = difference("http", cases);
    assert_eq!((line, part.as_str()), (1, "after the last step"));
    assert_eq!((expected.as_str(), got.as_str()), ("nothing more is asked for", "asks for #0: GET /a, read count"));
}

#[test]
fn a_trap_is_told_with_the_plugins_functions() {
    let cases = r#"
[[case]]
name = "a"
config = { how = "panic" }
step = [{ request = { name = "ask" }, answer = {} }]
"#;
    let (_, part, _, got) = difference("misbehave", cases);
    assert_eq!(part, "verdict");
    assert!(got.starts_with("plugin_trap: ") && got.contains("in misbehave::dislike"), "{got}");
}

#[test]
fn timers_streams_and_sockets_are_played_read_by_read() {
    pass(
        "misbehave",
        r#"
[[case]]
name = "a day goes by at once"
config = { how = "sleep" }
step = [{ request = { path = "/" }, answer = {} }, { wait = "1day" }]

[[case]]
name = "a day goes by later"
config = { how = "sleep" }
step = [{ request = { path = "/" }, answer = {} }, { wait = "24h", fires = false }, { fire = 0 }]
"#,
    );
    pass(
        "openai_chat",
        r#"
[[case]]
name = "two reads"
config = { model = "m" }

[[case.step]]
request = { name = "chat", read = "events", fields = { accept = "text/event-stream" } }
answer = { fields = { content-type = "text/event-stream" }, more = true, events = [
    { json = { choices = [{ index = 0, delta = { content = "one" } }] } },
] }

[[case.step]]
answer = { events = [
    [{ json = { choices = [{ index = 0, delta = { content = "two" } }] } },
     { json = { choices = [{ index = 0, delta = {}, finish_reason = "stop" }] } },
     "[DONE]"],
] }

[[case.step]]
wait = "1s"
fires = false

[case.expect]
verdict = "ok"
marks = { first_token = 1, chunk_gap = 1 }
counters = { chunks = 2 }
checks = { finish_reason = { passed = 1 } }

[[case]]
name = "it breaks after the first"
config = { model = "m" }
[[case.step]]
request = { method = "POST", path = "/v1/chat/completions" }
answer = { status = 200, events = [{ json = { choices = [{ delta = { content = "one" } }] } }], failure = "reset" }
[case.expect]
verdict = "reset"
marks = { first_token = 1 }

[[case]]
name = "an answer in JSON is no stream"
config = { model = "m" }
[[case.step]]
request = {}
answer = { status = 429, fields = { content-type = "application/json" }, json = { error = { message = "slow down" } } }
[[case.step]]
wait = "1s"
fires = false
[case.expect]
verdict = "http_429"
"#,
    );
    pass(
        "chat_stream",
        r#"
[[case]]
name = "the fifth stops midway"
config = { token = "t", organization = "o", agent = "a", messages = ["hello"] }
arrival = { index = 4, seed = 1 }

[[case.step]]
request = { read = "socket", path = "/api/v1/ws/agent?organization_id=o", fields = { sec-websocket-protocol = "access_token.t, chat" } }
answer = { subprotocol = "chat" }

[[case.step]]
write = { json = '{"message": "hello", "conversation_id": null, "agent_id": "a"}' }
answer = { messages = ['{"type": "text_delta", "delta": "h"}'] }

[[case.step]]
write = { to = 0, text = '{"type":"stop"}' }
answer = { messages = ['{"type": "complete"}'] }

[case.expect]
verdict = "cancelled"
counters = { deltas = 1 }

[[case]]
name = "a peer that goes away"
config = { token = "t", organization = "o", agent = "a", messages = ["hello"] }
step = [
    { request = { read = "socket" }, answer = {} },
    { write = {}, answer = { close = { code = 1001, reason = "restart" } } },
]
expect = { verdict = "check: closed without complete, code 1001***" }
"#,
    );
}

#[test]
fn setup_flows_are_cases_too() {
    pass(
        "misbehave",
        r#"
[[case]]
name = "it shares"
flow = "setup"
config = { share = { a = "b" } }

[[case]]
name = "it refuses"
flow = "setup"
config = { refuse = "not today" }
expect = { verdict = "check: not today" }

[[case]]
name = "it says farewell"
flow = "teardown"
config = { farewell = "/bye" }
step = [{ request = { name = "farewell", path = "/bye" }, answer = { status = 200 } }]

[[case]]
name = "it knows what was shared"
shared = { a = "b" }
step = [{ request = { path = "/?a=b" }, answer = {} }]
"#,
    );
}

#[test]
fn one_case_can_be_run_by_its_name() {
    let cases = "[[case]]\nname = \"a\"\nconfig = { path = \"/\" }\nstep = [{ request = {}, answer = {} }]\n[[case]]\nname = \"b\"\n";
    let ran = run("http", cases, &["--case", "a"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (0, "http 0.1.0: cases.toml\n  ok       a\n\nverdict: 1 of 1 cases passed\n")
    );
    assert_eq!(run("http", cases, &[]).status, 10);
    let ran = run("http", cases, &["--case", "c"]);
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (2, "error: there is no case `c` in cases.toml\n  help: it has `a`, `b`\n")
    );
}

#[test]
fn a_difference_in_json_is_shown_line_by_line_and_without_colours_of_a_terminal() {
    let cases = r#"
[[case]]
name = "a"
config = { method = "POST", path = "/", body_json = { a = 1, b = 2 } }
step = [{ request = { json = { a = 1, b = 3 } } }]
"#;
    let ran = run("http", cases, &[]);
    assert_eq!(ran.status, 10);
    let expected = "http 0.1.0: cases.toml
  FAILED   a
    cases.toml:5: body of the request
        {
          \"a\": 1,
      -   \"b\": 3
      +   \"b\": 2
        }
    what happened
      | start, arrival 0, seed 0
      |     asks for #0: POST /, read count, body \"{\\\"a\\\":1,\\\"b\\\":2}\"
      | ended as abandoned

verdict: 0 of 1 cases passed
";
    assert_eq!(ran.stdout, expected);
}

#[test]
fn every_fault_of_a_file_has_its_place_and_a_hint() {
    let faults = [
        ("[[case]]\nnam = \"a\"\n", ":2:1", "did you mean `name`?"),
        ("[[case]]\nname = \"a\"\n[[case]]\nname = \"a\"\n", ":4:8", "two cases are called `a`"),
        ("[[case]]\nname = \"a\"\nurl = 1\n", ":3:1", "known keys: name, why, config"),
        ("[[case]]\nname = \"a\"\nconfig = [1]\n", ":3:10", "`config` is a table"),
        ("[[case]]\nname = \"a\"\nstep = [{}]\n", ":3:9", "a step without anything in it"),
        ("[[case]]\nname = \"a\"\nstep = [{ request = {}, wait = \"1s\" }]\n", ":3:25", "`request` and `wait`"),
        ("[[case]]\nname = \"a\"\nstep = [{ fires = true, fire = 0 }]\n", ":3:19", "there is none"),
        ("[[case]]\nname = \"a\"\nstep = [{ answer = { failure = \"rest\" } }]\n", ":3:32", "did you mean `reset`?"),
        ("[[case]]\nname = \"a\"\nstep = [{ answer = { base64 = \"?\" } }]\n", ":3:31", "not base64"),
        ("[[case]]\nname = \"a\"\nstep = [{ write = { json = \"{\" } }]\n", ":3:28", "this is none: EOF"),
        ("[[case]]\nname = \"a\"\nexpect = { marks = { frist_token = 1 } }\n", ":3:22", "did you mean `first_token`?"),
        ("[[case]]\nname = \"a\"\nexpect = { counters = { chunks = -1 } }\n", ":3:34", "a whole number from 0"),
        ("[[case]]\nname = \"a\nb\"\n", ":2:", "not valid TOML"),
        ("", ":1:1", "[[case]] is missing"),
    ];
    for (text, place, what) in faults {
        let ran = run("openai_chat", text, &[]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{text}");
        let place = format!("cases.toml{place}");
        assert!(ran.stderr.contains(&place) && ran.stderr.contains(what), "{text}{}", ran.stderr);
    }
    let ran = Place::new().run(&["plugin", "test", &format!("{COMPONENTS}/http.wasm"), "--script", "gone.toml"]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("the cases `gone.toml` cannot be read: No such file"), "{}", ran.stderr);
}
