//! Colours for verdicts, on a terminal that wants them.

use anstyle::{AnsiColor, Style};

/// The report with its verdict words coloured: in the first column of the tables of validity and thresholds, and at
/// the end. All else stays as it is.
pub fn coloured(report: &str) -> String {
    let mut text = String::with_capacity(report.len() + 256);
    let mut judging = false;
    for line in report.split_inclusive('\n') {
        if let Some(heading) = line.strip_prefix("## ") {
            judging = matches!(heading.trim_end(), "Validity" | "Thresholds" | "Checks" | "Verdict");
        }
        match word(line).filter(|_| judging).and_then(|word| Some((word, style(word)?))) {
            Some((word, style)) => {
                text.push_str(&line.replacen(word, &format!("{style}{word}{style:#}"), 1));
            }
            None => text.push_str(line),
        }
    }
    text
}

/// The word in the first cell of a line of a table, or the one that stands out at its beginning.
fn word(line: &str) -> Option<&str> {
    if let Some(cells) = line.strip_prefix('|') {
        return cells.split('|').next().map(str::trim);
    }
    line.strip_prefix("**").and_then(|rest| rest.split("**").next())
}

fn style(word: &str) -> Option<Style> {
    let colour = match word {
        "ok" | "pass" | "passed" => AnsiColor::Green,
        "warning" | "not measured" | "not checked" | "interrupted" => AnsiColor::Yellow,
        "fail" | "failed" | "invalid" | "stopped by plugin faults" => AnsiColor::Red,
        _ => return None,
    };
    Some(colour.on_default().bold())
}
