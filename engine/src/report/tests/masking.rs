//! Secrets.

use super::super::{Mask, markdown};
use super::support::result;

fn mask(secrets: &[&str]) -> Mask {
    Mask::new(secrets).expect("a mask")
}

#[test]
fn words_of_which_settings_are_made_are_no_secrets() {
    let mask = Mask::new(["none", "true", "nonesuch-1"]).expect("a mask");
    assert_eq!(mask.apply("none is true, nonesuch-1 is not"), "none is true, *** is not");
}

#[test]
fn a_secret_is_masked_wherever_it_stands() {
    let mask = mask(&["s3cret-token"]);
    assert_eq!(mask.apply("Bearer s3cret-token, s3cret-tokens3cret-token."), "Bearer ***, ******.");
    assert_eq!(mask.apply("nothing here"), "nothing here");
}

#[test]
fn secrets_that_overlap_or_hold_one_another_leave_nothing_behind() {
    let mask = mask(&["abcdef", "defghi", "abcdefgh", "xyzxyz"]);
    assert_eq!(mask.apply("<abcdefghi>"), "<***>");
    assert_eq!(mask.apply("<xyzxyzxyz>"), "<***>");
}

#[test]
fn encoded_forms_are_masked_too() {
    let mask = mask(&["p@ss \"word\"/ü"]);
    assert_eq!(mask.apply("?key=p%40ss%20%22word%22%2F%C3%BC"), "?key=***");
    assert_eq!(mask.apply(r#"{"key":"p@ss \"word\"/ü"}"#), r#"{"key":"***"}"#);
}

#[test]
fn the_beginning_of_a_secret_goes_where_a_text_was_cut_within_it() {
    let secret = "s3cret-tokén \"two\"";
    let mask = mask(&[secret, "s3cret-other", "chat-me"]);
    let forms = [secret.to_owned(), "s3cret-tok%C3%A9n%20%22two%22".to_owned(), r#"s3cret-tokén \"two\""#.to_owned()];
    for form in forms {
        for (length, _) in form.char_indices() {
            let text = format!("key {}… (90 bytes)", &form[..length]);
            let told = if length < 4 { text.as_str() } else { "key ***… (90 bytes)" };
            assert_eq!(mask.apply(&text), told, "{length} of {form}");
        }
    }
    assert_eq!(
        mask.apply("s3cret- is one…, s3cr…, nos3cret-ot… and s3cret-ox…"),
        "s3cret- is one…, ***…, no***… and s3cret-ox…"
    );
    assert_eq!(mask.apply("a chat-m…, a prechat-m…"), "a ***…, a prechat-m…");
}

#[test]
fn values_too_short_to_mask_are_counted() {
    let mask = mask(&["", "abc", "abcd"]);
    assert_eq!(mask.too_short(), 1);
    assert_eq!(mask.apply("abc abcd"), "abc ***");
}

#[test]
fn no_text_of_a_result_holds_a_secret() {
    let secret = "hunter2-hunter2";
    let mut result = result();
    result.run.target = format!("http://user:{secret}@127.0.0.1");
    result.run.settings[0].value = secret.to_owned();
    result.notes.push(secret.to_owned());
    result.phases[1].workloads[0].failures[0].reason = format!("check: {secret}");
    result.plugin_traps[0].text = secret.to_owned();
    result.judgement.reasons.push(secret.to_owned());
    let masked = mask(&[secret]).apply_to_result(&result).expect("a result");
    assert!(!serde_json::to_string(&masked).expect("JSON").contains(secret));
    assert!(!markdown(&masked).expect("a report").contains(secret));
    assert_eq!(masked.run.target, "http://user:***@127.0.0.1");
}

#[test]
fn a_secret_that_is_a_word_of_the_format_does_not_break_the_result() {
    let words = [
        "engine-result",
        "pass",
        "fail",
        "failed",
        "passed",
        "not_measured",
        "invalid",
        "interrupted",
        "warning",
        "not_checked",
        "stopped_by_plugin_faults",
        "share",
        "count",
    ];
    let result = result();
    let masked = mask(&words).apply_to_result(&result).expect("a result");
    assert_eq!(masked.judgement.verdict, result.judgement.verdict);
    assert_eq!(masked.judgement.thresholds[0].limit.unit, result.judgement.thresholds[0].limit.unit);
}

#[test]
fn a_short_value_goes_only_where_it_stands_alone() {
    let mask = Mask::new(["chat", "long-enough"]).unwrap();
    assert_eq!(
        mask.apply("openai_chat chat /chat/completions chat.chunk chats xlong-enoughx"),
        "openai_chat *** /***/completions ***.chunk chats x***x"
    );
}
