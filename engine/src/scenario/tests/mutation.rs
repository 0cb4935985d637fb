//! No text, however broken, makes the engine panic.

use proptest::prelude::*;

use super::{WHOLE, resolve_with, sets};
use crate::scenario::Overrides;

/// Pieces of scenarios, put where they do not belong.
const PIECES: [&str; 30] = [
    "\"",
    "'''",
    "[",
    "]",
    "[[",
    "{",
    "}",
    "=",
    "\n",
    "#",
    "${",
    "${A}",
    "\\u0000",
    "\u{feff}",
    "ü",
    "-1",
    "1e400",
    "nan",
    "0x",
    "true",
    "[run]",
    "[[phase]]",
    "name",
    "rate",
    "1970-01-01",
    "\"10s\"",
    "99999999999999999999",
    ".",
    "%",
    "p95(",
];

#[derive(Clone, Debug)]
enum Change {
    Remove(usize, usize),
    Insert(usize, usize),
    SwapLines(usize, usize),
    DropLine(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<usize>(), 1..40_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<usize>(), 0..PIECES.len()).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Change::SwapLines(a, b)),
        any::<usize>().prop_map(Change::DropLine),
    ]
}

fn apply(text: &str, change: &Change) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut lines: Vec<&str> = text.lines().collect();
    match *change {
        Change::Remove(at, length) => {
            let at = at % (chars.len() + 1);
            chars[..at].iter().chain(chars.iter().skip(at + length)).collect()
        }
        Change::Insert(at, piece) => {
            let at = at % (chars.len() + 1);
            chars[..at].iter().copied().chain(PIECES[piece].chars()).chain(chars[at..].iter().copied()).collect()
        }
        Change::SwapLines(a, b) if !lines.is_empty() => {
            let many = lines.len();
            lines.swap(a % many, b % many);
            lines.join("\n")
        }
        Change::DropLine(at) if !lines.is_empty() => {
            lines.remove(at % lines.len());
            lines.join("\n")
        }
        _ => text.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_broken_scenario_is_refused_in_words(changes in prop::collection::vec(change(), 1..6)) {
        let text = changes.iter().fold(WHOLE.to_owned(), |text, change| apply(&text, change));
        match resolve_with(&text, &Overrides::default()) {
            Ok(plan) => prop_assert!(plan.planned.total() > 0),
            Err(faults) => prop_assert!(!faults.is_empty() && !faults.render(true).is_empty()),
        }
    }

    #[test]
    fn a_broken_set_is_refused_in_words(
        path in prop::collection::vec(prop_oneof![Just("run"), Just("phase"), Just("0"), Just("config"), Just("rate"), Just("\"")], 0..5),
        value in prop::collection::vec(0..PIECES.len(), 0..4),
    ) {
        let value: String = value.iter().map(|&piece| PIECES[piece]).collect();
        if let Err(faults) = resolve_with(WHOLE, &sets(&[&format!("{}={value}", path.join("."))])) {
            prop_assert!(!faults.to_string().is_empty());
        }
    }

    #[test]
    fn any_text_at_all_is_refused_in_words(text in ".{0,200}") {
        prop_assert!(resolve_with(&text, &sets(&[&text])).is_err());
    }
}
