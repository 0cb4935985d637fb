use std::time::Duration;

use engine_sdk::Since;
use engine_sdk::testing::{Outcome, Run, Script};

use super::{CONFIG, DONE, PATH, ROLE, STOP, delta, marks, run, stream, text, usage};
use crate::plan::OpenAiChat;

const GAP: Duration = Duration::from_millis(10);

/// An answer of these events, each in a read of its own and 10 ms apart.
fn spaced<T: AsRef<str>>(events: impl IntoIterator<Item = T>) -> Run {
    let script = events.into_iter().fold(stream(), |script, event| script.pause(GAP).events([event]));
    run(&script.end())
}

#[test]
fn a_stream_is_timed_by_its_texts_and_counted_by_its_usage() {
    let answer = [ROLE, &text("a"), &text("b"), &text("c"), STOP, &usage(7, 3), DONE].map(str::to_owned);
    let run = spaced(answer);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(marks(&run, "first_chunk"), [(11, 1)]);
    assert_eq!(marks(&run, "first_token"), [(21, 1)], "a role is no token");
    assert!(run.marks().iter().filter(|mark| mark.name == "first_token").all(|mark| matches!(mark.since, Since::Due)));
    assert_eq!(marks(&run, "chunk_gap"), [(21, 1), (31, 1), (41, 1)], "the first only sets the start");
    assert_eq!(marks(&run, "token_gap"), [(21, 1), (61, 2)], "two of the three tokens came after the first chunk");
    assert_eq!(marks(&run, "first_reasoning_token"), []);
    assert_eq!((run.counted("tokens_in"), run.counted("tokens_out"), run.counted("chunks")), (7, 3, 3));
    assert_eq!((run.checked("finish_reason"), run.checked("paced")), (vec![true], vec![true]));
    assert_eq!(run.took(), 7 * GAP + Duration::from_millis(1));
}

#[test]
fn m3_several_events_in_one_read_are_all_counted_at_its_time() {
    let script = stream().events([text("a")]).pause(GAP).events([text("b"), text("c")]).events([STOP, DONE]).end();
    let run = run(&script);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(marks(&run, "chunk_gap"), [(1, 1), (11, 1), (11, 1)]);
    assert_eq!(run.counted("chunks"), 3);
}

#[test]
fn m5_a_role_an_empty_text_and_null_are_no_token() {
    let empty = [ROLE, &delta(r#"{"content":null}"#), &delta("{}"), &delta("null"), &delta(r#"{"content":""}"#)];
    let mut events: Vec<_> = empty.map(str::to_owned).into();
    events.extend([text("a"), STOP.to_owned(), DONE.to_owned()]);
    let run = spaced(events);
    assert_eq!(marks(&run, "first_token"), [(61, 1)]);
    assert_eq!(run.counted("chunks"), 1);
    assert_eq!(run.checked("paced"), [] as [bool; 0], "one chunk has no pace");
}

#[test]
fn m6_thoughts_and_texts_have_a_first_token_each() {
    for key in ["reasoning_content", "reasoning"] {
        let thought = |text: &str| delta(&format!(r#"{{"{key}":"{text}","content":null}}"#));
        let events = [ROLE.to_owned(), thought(""), thought("hm"), thought("so"), text("a"), STOP.to_owned()];
        let run = spaced(events);
        assert_eq!(run.outcome(), &Outcome::Ok);
        assert_eq!(marks(&run, "first_reasoning_token"), [(31, 1)], "{key}");
        assert_eq!(marks(&run, "first_token"), [(51, 1)], "{key}");
        assert_eq!(run.counted("chunks"), 3);
    }
}

#[test]
fn m7_a_chunk_without_choices_is_no_crash() {
    let filters = r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#;
    let no_choices = r#"{"choices":null,"usage":null}"#;
    let events = [filters, no_choices, "{}", &text("a"), STOP, &usage(1, 1), DONE].map(str::to_owned);
    let run = spaced(events);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(marks(&run, "token_gap"), [(41, 1)], "one token has no gap");
}

#[test]
fn m8_a_running_count_shares_each_interval_out_to_its_tokens() {
    let counted = |text: &str, tokens: u64| {
        let usage = format!(r#""usage":{{"prompt_tokens":5,"completion_tokens":{tokens},"total_tokens":9}}"#);
        format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}],{usage}}}"#)
    };
    let role = r#"{"choices":[{"delta":{"role":"assistant"}}],"usage":{"prompt_tokens":5,"completion_tokens":0}}"#;
    let last = usage(5, 6);
    let events = [role, &counted("a b", 2), &counted("c d e", 5), &counted("", 5), &counted("f", 6), STOP, &last];
    let run = spaced(events.map(str::to_owned));
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(marks(&run, "token_gap"), [(21, 1), (31, 3), (51, 1)]);
    assert_eq!(marks(&run, "chunk_gap"), [(21, 1), (31, 1), (51, 1)], "chunks are chunks, whatever is in them");
    assert_eq!((run.counted("tokens_in"), run.counted("tokens_out")), (5, 6), "the last count, not their sum");
}

#[test]
fn without_counts_there_is_no_token_gap() {
    let run = spaced([text("a"), text("b"), STOP.to_owned(), DONE.to_owned()]);
    assert_eq!(marks(&run, "token_gap"), [(11, 1)], "the start alone, which is not counted");
    assert_eq!((run.counted("tokens_in"), run.counted("tokens_out")), (0, 0));
}

#[test]
fn m9_calls_of_tools_in_any_shape_are_output_but_no_text() {
    let shapes = [
        r#"{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}"#,
        r#"{"tool_calls":[{"function":{"arguments":"{\"a\":"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"1"}},{"index":0,"function":{"arguments":"}"}}]}"#,
        r#"{"tool_calls":{"function":{"name":"g"}}}"#,
        r#"{"function_call":{"name":"h","arguments":"{}"}}"#,
    ];
    let mut events: Vec<_> = shapes.map(delta).into();
    events.push(r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned());
    let run = spaced(events);
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.counted("chunks"), 5);
    assert_eq!(marks(&run, "first_token"), [], "nothing that people see");
    let nulls = delta(r#"{"content":"a","tool_calls":null,"function_call":null,"refusal":null}"#);
    let empty = delta(r#"{"tool_calls":[]}"#);
    let run = spaced([nulls, empty, STOP.to_owned()]);
    assert_eq!((run.outcome(), run.counted("chunks")), (&Outcome::Ok, 1));
}

#[test]
fn a_text_in_parts_or_a_refusal_is_text() {
    let parts = delta(r#"{"content":[{"type":"text","text":""}]}"#);
    let said = delta(r#"{"content":[{"type":"text","text":"a"}]}"#);
    let run = spaced([parts, said, STOP.to_owned()]);
    assert_eq!(marks(&run, "first_token"), [(21, 1)]);
    let run = spaced([delta(r#"{"refusal":"no"}"#), STOP.to_owned()]);
    assert_eq!(marks(&run, "first_token"), [(11, 1)]);
}

#[test]
fn m10_an_end_without_done_is_right_after_a_finish_reason_only() {
    let reason = "check: ended without [DONE] and without a finish reason";
    assert_eq!(spaced([ROLE.to_owned(), text("a"), text("b")]).reason(), Some(reason));
    assert_eq!(spaced([ROLE]).reason(), Some(reason));
    let blank = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}"#;
    assert_eq!(spaced([blank]).reason(), Some(reason), "an empty reason is none");
    let finished = spaced([text("a"), STOP.to_owned()]);
    assert_eq!((finished.outcome(), finished.checked("finish_reason")), (&Outcome::Ok, vec![true]));
    let last = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}"#;
    assert_eq!(spaced([last]).outcome(), &Outcome::Ok, "text and finish reason may come together");
}

#[test]
fn m10_done_without_a_finish_reason_is_right_and_noted() {
    let run = spaced([text("a"), DONE.to_owned()]);
    assert_eq!((run.outcome(), run.checked("finish_reason")), (&Outcome::Ok, vec![false]));
}

#[test]
fn m10_a_stream_that_breaks_off_keeps_the_engines_reason() {
    let script = stream().events([ROLE.to_owned(), text("a")]).fail("truncated");
    assert_eq!(run(&script).reason(), Some("truncated"));
}

#[test]
fn m11_an_error_inside_a_200_fails_with_its_type() {
    let reason = |event: &str| spaced([ROLE, event]).reason().map(str::to_owned);
    let cases = [
        (r#"{"error":{"type":"server_error","message":"x 1","code":null}}"#, "check: error: server_error"),
        (r#"{"error":{"type":null,"code":"rate_limit_exceeded"}}"#, "check: error: rate_limit_exceeded"),
        (r#"{"error":{"message":"out of memory","code":500}}"#, "check: error"),
        (r#"{"error":"out of memory at 0x7f"}"#, "check: error"),
        (r#"{"object":"error","type":"BadRequestError","code":400}"#, "check: error: BadRequestError"),
        (r#"{"error":{"type":"internal_error_7b1c44"}}"#, "check: error"),
        (r#"{"choices":[],"error":{"type":"overloaded"}}"#, "check: error: overloaded"),
    ];
    for (event, expected) in cases {
        assert_eq!(reason(event).as_deref(), Some(expected), "{event}");
    }
    assert_eq!(spaced([r#"{"error":null,"choices":[]}"#, STOP]).outcome(), &Outcome::Ok);
    let named = run(&stream().event("error", "overloaded").end());
    assert_eq!(named.reason(), Some("check: error"));
    let named = run(&stream().event("error", r#"{"error":{"type":"overloaded"}}"#).end());
    assert_eq!(named.reason(), Some("check: error: overloaded"));
}

#[test]
fn m11_an_answer_with_nothing_in_it_is_a_failure() {
    assert_eq!(run(&stream().end()).reason(), Some("check: empty answer"));
    assert_eq!(run(&stream().events([DONE]).end()).reason(), Some("check: empty answer"));
    assert_eq!(run(&stream().events(["", " "]).end()).reason(), Some("check: empty answer"));
    let bare = Script::new().on("POST", PATH).reply(200, "");
    assert_eq!(run(&bare).reason(), Some("check: empty answer"));
}

#[test]
fn m12_an_answer_that_is_no_stream_has_no_first_token() {
    let whole = r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#;
    let script = Script::new().on("POST", PATH).field("content-type", "application/json; charset=utf-8");
    let run = run(&script.reply(200, whole));
    assert_eq!(run.outcome(), &Outcome::Ok);
    let marks: Vec<_> = run.marks().iter().map(|mark| mark.name).collect();
    assert_eq!(marks, ["head"], "the first token is absent, not 0");
}

#[test]
fn m13_a_burst_is_flagged() {
    let texts = |n: usize| (0..n).map(|_| text("a"));
    let all = run(&stream().events(texts(3).chain([STOP.to_owned(), DONE.to_owned()])).end());
    assert_eq!((all.outcome(), all.checked("paced")), (&Outcome::Ok, vec![false]));
    let two = run(&stream().events(texts(10)).pause(GAP).events(texts(6)).events([STOP, DONE]).end());
    assert_eq!(two.checked("paced"), [false], "sixteen chunks in two reads");
    let pairs = (0..8).fold(stream(), |script, _| script.pause(GAP).events(texts(2)));
    let pairs = run(&pairs.events([STOP, DONE]).end());
    assert_eq!(pairs.checked("paced"), [true], "two at a time is no burst");
}

#[test]
fn what_is_no_chunk_is_a_failure() {
    for event in ["hello", "[1", r#"{"choices":3}"#, r#"{"usage":{"completion_tokens":"x"}}"#] {
        assert_eq!(spaced([ROLE, event]).reason(), Some("check: unexpected chunk"), "{event}");
    }
}

#[test]
fn an_unexpected_status_keeps_the_engines_reason_and_reads_the_rest() {
    let script = Script::new().on("POST", PATH).stream(429).pause(GAP).end();
    let run = run(&script);
    assert_eq!(run.reason(), Some("http_429"));
    assert!(run.cancelled().is_empty());
    assert_eq!(run.took(), GAP + Duration::from_millis(1), "the connection can be used again");
    let refused = Script::new().on("POST", PATH).fail("refused");
    assert_eq!(refused.run::<OpenAiChat>(CONFIG).reason(), Some("refused"));
}

#[test]
fn what_comes_after_done_is_read_and_not_judged() {
    let after = stream().events([text("a"), STOP.to_owned(), DONE.to_owned(), "junk".to_owned()]).pause(GAP);
    let run = run(&after.events(["junk"]).end());
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.took(), GAP + Duration::from_millis(1));
}

#[test]
fn an_end_that_does_not_come_after_done_holds_nothing_up() {
    let script = stream().events([text("a"), STOP.to_owned(), DONE.to_owned()]).pause(Duration::from_mins(1)).end();
    let hanging = run(&script);
    assert_eq!(hanging.outcome(), &Outcome::Ok);
    assert_eq!(hanging.took(), Duration::from_millis(1001));
    let broken = run(&stream().events([text("a"), STOP.to_owned(), DONE.to_owned()]).fail("reset"));
    assert_eq!(broken.outcome(), &Outcome::Ok, "the answer was complete");
}
