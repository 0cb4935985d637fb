//! A section of the result: a table of what was measured, and the bars it is held against.

use super::figures::ends;
use super::sitting::Outcome;
use crate::compare::table;

/// A limit that a figure is held against.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bar {
    pub(super) what: String,
    pub(super) figure: Option<f64>,
    pub(super) at_most: Option<f64>,
    pub(super) unit: &'static str,
}

impl Bar {
    pub(super) fn new(what: impl Into<String>, figure: Option<f64>, at_most: Option<f64>, unit: &'static str) -> Self {
        Self { what: what.into(), figure, at_most, unit }
    }

    /// Whether it holds; not where one of the two was not measured.
    fn verdict(&self) -> &'static str {
        match self.figure.zip(self.at_most) {
            Some((figure, at_most)) if figure <= at_most => "holds",
            Some(_) => "does not hold",
            None => "not measured",
        }
    }
}

/// A heading, a table, and bars.
pub(super) fn section(title: &str, headers: &[&str], rows: Vec<Vec<String>>, bars: &[Bar]) -> String {
    let mut text = format!("### {title}\n\n{}\n", table(headers, rows));
    if !bars.is_empty() {
        let rows = bars.iter().map(|bar| {
            let with_unit =
                |value: Option<f64>| value.map_or_else(unknown, |value| format!("{} {}", three(value), bar.unit));
            vec![bar.what.clone(), with_unit(bar.figure), with_unit(bar.at_most), bar.verdict().to_owned()]
        });
        text = format!("{text}\n{}\n", table(&["bar", "figure", "at most", "verdict"], rows.collect()));
    }
    text
}

/// The rows of a table of costs: the median with the least and the most of the rounds, and its ratio to the floor's.
pub(super) fn costs(outcomes: &[Outcome], floor: &str) -> Vec<Vec<String>> {
    let base = super::sitting::cost_of(outcomes, floor);
    let row = |outcome: &Outcome| {
        let (least, most) = ends(&outcome.costs);
        let ratio = outcome.cost().zip(base).map(|(cost, base)| format!("{:.2}", cost / base));
        let invalid = outcome.long.iter().filter(|run| run.said.as_ref().is_some_and(|said| said.invalid)).count();
        let missed: u64 = outcome.long.iter().filter_map(|run| Some(run.said.as_ref()?.missed)).sum();
        let note = match (&outcome.left_out, invalid, missed) {
            // All of it was told when it was left out.
            (Some(_), ..) => "left out".to_owned(),
            (None, 0, 0) => String::new(),
            (None, invalid, missed) => format!("{invalid} of {} runs invalid, {missed} missed", outcome.long.len()),
        };
        vec![
            outcome.name.clone(),
            shown(outcome.cost()),
            shown(least),
            shown(most),
            ratio.unwrap_or_else(unknown),
            note,
        ]
    };
    outcomes.iter().map(row).collect()
}

fn unknown() -> String {
    "n/a".to_owned()
}

/// A figure in a table.
pub(super) fn shown(value: Option<f64>) -> String {
    value.map_or_else(unknown, three)
}

/// Three significant digits.
fn three(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let shown = [0.123, 5.0, 9.996, 12.34, 99.96, 1_234.5].map(three);
        assert_eq!(shown, ["0.12", "5.00", "10.0", "12.3", "100", "1234"]);
    }

    #[test]
    fn a_bar_holds_up_to_its_limit_and_is_not_judged_without_figures() {
        let verdict = |figure, at_most| Bar::new("x", figure, at_most, "µs").verdict();
        assert_eq!(verdict(Some(5.0), Some(5.0)), "holds");
        assert_eq!(verdict(Some(5.1), Some(5.0)), "does not hold");
        assert_eq!(verdict(None, Some(5.0)), "not measured");
        assert_eq!(verdict(Some(5.0), None), "not measured");
    }

    #[test]
    fn rows_have_the_ratio_to_the_floor_of_the_sitting() {
        let outcome = |name: &str, costs: &[f64], left_out: Option<&str>| Outcome {
            name: name.to_owned(),
            costs: costs.to_vec(),
            long: Vec::new(),
            left_out: left_out.map(str::to_owned),
        };
        let outcomes = [
            outcome("floor", &[4.0, 6.0, 5.0], None),
            outcome("tool", &[10.0], None),
            outcome("gone", &[], Some("no")),
        ];
        let rows = costs(&outcomes, "floor");
        assert_eq!(rows[0], ["floor", "5.00", "4.00", "6.00", "1.00", ""]);
        assert_eq!(rows[1], ["tool", "10.0", "10.0", "10.0", "2.00", ""]);
        assert_eq!(rows[2], ["gone", "n/a", "n/a", "n/a", "n/a", "left out"]);
    }
}
