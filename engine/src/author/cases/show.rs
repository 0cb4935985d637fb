//! What differs, as text for people: expected and got, line by line where they are long.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use super::run::{CaseResult, Difference};

/// Lines of a story that are shown: the last ones.
const STORY: usize = 12;

/// A result. `file` names the cases; with colours of a terminal where `coloured`.
pub fn show(file: &str, result: &CaseResult, coloured: bool) -> String {
    let paint = |code: &str, text: &str| {
        if coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    };
    if result.differences.is_empty() {
        return format!("  {:<8} {}\n", paint("32", "ok"), result.name);
    }
    let mut text = format!("  {:<8} {}\n", paint("31", "FAILED"), result.name);
    for difference in &result.differences {
        let Difference { line, part, expected, got } = difference;
        let _ = writeln!(text, "    {file}:{line}: {part}");
        for (sign, line) in lines(expected, got) {
            let shown = format!("      {sign} {line}");
            let _ = match sign {
                '-' => writeln!(text, "{}", paint("31", &shown)),
                '+' => writeln!(text, "{}", paint("32", &shown)),
                _ => writeln!(text, "{shown}"),
            };
        }
    }
    if !result.story.is_empty() {
        text.push_str("    what happened\n");
        let left_out = result.story.len().saturating_sub(STORY);
        if left_out > 0 {
            let _ = writeln!(text, "      | … {left_out} earlier lines");
        }
        for line in &result.story[left_out..] {
            let _ = writeln!(text, "      | {}", line.replace('\n', "\n      |   "));
        }
    }
    text
}

/// `-` for what was expected, `+` for what came, a space for what both have.
fn lines(expected: &str, got: &str) -> Vec<(char, String)> {
    let difference = TextDiff::from_lines(expected, got);
    let mut lines: Vec<(char, String)> = difference
        .iter_all_changes()
        .map(|change| {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            (sign, change.value().trim_end_matches(['\n', '\r']).to_owned())
        })
        .collect();
    // An empty text has no line to show.
    if expected.is_empty() {
        lines.insert(0, ('-', "(empty)".to_owned()));
    }
    if got.is_empty() {
        lines.push(('+', "(empty)".to_owned()));
    }
    lines
}
