//! The report as text.

use super::super::{coloured, markdown};
use super::support::{assert_committed, committed, result};

/// Between these, the guide to reading a report shows the rendered one.
const FROM: &str = "<!-- example: from here to the end mark, written by a test -->\n";
const TO: &str = "<!-- end of the example -->\n";

#[test]
fn the_whole_report_is_as_committed() {
    let report = markdown(&result()).expect("a report");
    assert_committed("src/report/tests/report.md", &report);
}

#[test]
fn the_guide_to_reading_a_report_shows_the_report_of_today() {
    let guide = std::fs::read_to_string(committed("../docs/reading-a-report.md")).expect("the guide");
    let (before, rest) = guide.split_once(FROM).expect("the mark before the example");
    let (_, after) = rest.split_once(TO).expect("the mark after the example");
    let report = markdown(&result()).expect("a report");
    let expected = format!("{before}{FROM}\n````text\n{report}````\n\n{TO}{after}");
    assert_committed("../docs/reading-a-report.md", &expected);
}

#[test]
fn the_sections_come_in_their_order_and_the_verdict_last() {
    let report = markdown(&result()).expect("a report");
    let headings: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(
        headings,
        [
            "What was run",
            "Judged phase: steady, 10 s",
            "Recovery phase: after, 5 s",
            "Whole run: 17 s",
            "Probes",
            "Validity",
            "Thresholds",
            "Verdict"
        ]
    );
    assert_eq!(report.lines().last(), Some("**failed** (also: not measured)"));
    let first = report.lines().find(|line| line.starts_with('|')).expect("a table");
    assert!(first.contains("offered") && first.contains("recorded"), "{first}");
}

#[test]
fn a_run_of_one_phase_does_not_show_the_same_figures_twice() {
    let mut result = result();
    result.phases.retain(|stretch| stretch.phase.as_deref() == Some("steady"));
    result.recovery_phase = None;
    let report = markdown(&result).expect("a report");
    assert!(report.contains("There is one phase"));
    assert!(!report.contains("Recovery"));
    assert_eq!(report.matches("| planned |").count() + report.matches(" planned | ok ").count(), 2);
}

#[test]
fn texts_of_plugins_break_no_table_and_reach_no_terminal_raw() {
    let mut result = result();
    let nasty = "a | b\n`c` \u{1b}[31m<b> \u{202e}x";
    result.phases[1].workloads[0].failures[0].reason = nasty.to_owned();
    result.notes = vec![nasty.to_owned()];
    result.run.title = Some(nasty.to_owned());
    result.plugin_traps[0].text = nasty.to_owned();
    let report = markdown(&result).expect("a report");
    assert!(report.contains("`a \\| b 'c'  [31m<b>  x`"));
    assert!(!report.contains('\u{1b}') && !report.contains('\u{202e}'));
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    for block in report.split("\n\n").filter(|block| block.starts_with('|')) {
        let mut lines = block.lines().filter(|line| line.starts_with('|'));
        let first = columns(lines.next().unwrap_or_default());
        assert!(lines.all(|line| columns(line) == first), "{block}");
    }
}

#[test]
fn colours_touch_the_verdicts_and_nothing_else() {
    let report = markdown(&result()).expect("a report");
    let in_colour = coloured(&report);
    assert!(in_colour.contains("**\u{1b}[1m\u{1b}[31mfailed\u{1b}[0m**"));
    assert!(in_colour.contains("| \u{1b}[1m\u{1b}[32mpass\u{1b}[0m "));
    let mut stripped = in_colour.clone();
    for code in ["\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[0m"] {
        stripped = stripped.replace(code, "");
    }
    assert_eq!(stripped, report);
    let (before, _) = in_colour.split_once("## Validity").expect("a section");
    assert!(!before.contains('\u{1b}'));
}

#[test]
fn no_line_ends_in_spaces_and_no_two_lines_are_empty() {
    let report = markdown(&result()).expect("a report");
    assert!(report.lines().all(|line| line == line.trim_end()));
    assert!(!report.contains("\n\n\n"));
    assert!(report.ends_with(")\n"));
}
