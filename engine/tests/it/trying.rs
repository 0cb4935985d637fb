//! `engine try`.

use super::kit::{Place, stub};

const HTTP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components/http.wasm");

#[test]
fn one_iteration_is_shown_with_all_it_sent_and_got() {
    let target = stub();
    let config =
        r#"{"method":"POST","path":"/echo","body":"hello","fields":{"Authorization":"Bearer abcdef","X-Kind":"a"}}"#;
    let ran = Place::new().run(&["try", HTTP, "--url", &target.url(), "--config", config]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    for part in
        ["> POST /echo", "> Authorization: ***", "> X-Kind: a", "> hello", "< 200", "= response ", "verdict: ok"]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("abcdef"), "{}", ran.stdout);
}

#[test]
fn an_iteration_that_fails_says_why() {
    let target = stub();
    let ran = Place::new().run(&["try", HTTP, "--url", &target.url(), "--config", r#"{"path":"/small?status=500"}"#]);
    assert_eq!(ran.status, 10, "{}", ran.stdout);
    assert!(ran.stdout.contains("verdict: http_500"), "{}", ran.stdout);
}

#[test]
fn a_plugin_alone_needs_to_know_where_to_send() {
    let ran = Place::new().run(&["try", HTTP]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr
            .ends_with("is a plugin, and nothing says where to send\n  help: add --url URL, or give a scenario\n"),
        "{}",
        ran.stderr
    );
}
