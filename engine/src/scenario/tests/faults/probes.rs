//! Probes that cannot be read.

use super::super::{BASE, assert_text};
use super::refused;

fn probe(keys: &str) -> String {
    refused(&format!("{BASE}\n[[probes.prometheus]]\nname = \"platform\"\n{keys}\n"))
}

#[test]
fn a_probe_needs_a_url_and_series() {
    let seen = probe("");
    assert!(seen.contains("`url`") && seen.contains("`series`"), "{seen}");
    let seen = probe("url = \"/metrics\"\nseries = []");
    assert!(seen.starts_with("error[scenario.missing_key]: `series` is missing in [[probes.prometheus]]\n"), "{seen}");
}

#[test]
fn a_url_that_is_neither_a_path_nor_a_url_is_refused() {
    let seen = probe("url = \"metrics\"\nseries = [\"a\"]");
    let line = seen.lines().nth(1).unwrap_or_default().trim_start_matches([' ', '-', '>']).to_owned();
    let number: usize = line.split(':').nth(1).and_then(|number| number.parse().ok()).expect("a line");
    assert_text(
        &seen,
        &format!(
            "error[probe.bad_url]: this is not a URL: relative URL without a base\n  --> mix.toml:{number}:7\n   |\n\
             {number} | url = \"metrics\"\n   |       ^^^^^^^^^ this URL\n   |\n   = help: a path on the target, such as \
             \"/metrics\", or a URL: for example: \"https://api.example.com\" or \"http://127.0.0.1:8080/base\""
        ),
    );
}

#[test]
fn two_probes_of_one_name_are_refused() {
    let one = "[[probes.prometheus]]\nname = \"a\"\nurl = \"/metrics\"\nseries = [\"x\"]\n";
    let seen = refused(&format!("{BASE}\n{one}{one}"));
    assert!(seen.starts_with("error[probe.duplicate_name]: two probes are called `a`\n"), "{seen}");
}
