//! Series of Prometheus' text format, found by name and labels.

use super::exposition::{sample, series};

/// A series: its name, and labels that it must have. Where several fit, they are added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    text: String,
    name: String,
    labels: Vec<(String, String)>,
}

/// Why a text selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no series: write `name` or `name{{label=\"value\"}}`")]
pub struct BadSelector(String);

impl std::str::FromStr for Selector {
    type Err = BadSelector;

    fn from_str(text: &str) -> Result<Self, BadSelector> {
        match series(text.trim()) {
            Some((name, labels, "")) => Ok(Self {
                text: text.to_owned(),
                name: name.to_owned(),
                labels: labels.into_iter().map(|(label, value)| (label.to_owned(), value)).collect(),
            }),
            _ => Err(BadSelector(text.to_owned())),
        }
    }
}

impl Selector {
    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The value of each series in an answer, the sum where several samples fit; none for those that are not in it.
pub(super) fn values(text: &str, series: &[Selector]) -> Vec<Option<f64>> {
    let mut values = vec![None; series.len()];
    for sample in text.lines().filter_map(sample) {
        for (selector, value) in series.iter().zip(&mut values) {
            let has = |(label, wanted): &(String, String)| {
                sample.labels.iter().any(|(name, value)| name == label && value == wanted)
            };
            if sample.name == selector.name && selector.labels.iter().all(has) {
                *value = Some(value.unwrap_or(0.0) + sample.value);
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "\
# HELP pool_timeouts_total Waits that ended without a connection.
# TYPE pool_timeouts_total counter
pool_timeouts_total{pool=\"main\"} 3
pool_timeouts_total{pool=\"other\"} 4
# TYPE pool_in_use gauge
pool_in_use 2.5
untyped_thing 7
# TYPE wait_seconds histogram
wait_seconds_bucket{le=\"0.1\"} 1
wait_seconds_bucket{le=\"+Inf\"} 2
wait_seconds_sum 0.5
wait_seconds_count 2
routes{path=\"/users/{id}\", q=\"a=b,c\"} 7 1700000000000
routes{path=\"/a\",q=\"say \\\"hi\\\"\",} 5
empty{} 6
apart {a=\"b\"} 8
job:rate 10
";

    fn value(selector: &str) -> Option<f64> {
        values(ANSWER, &[selector.parse().expect("a selector")])[0]
    }

    #[test]
    fn series_are_found_by_name_and_labels_and_added_up() {
        assert_eq!(value("pool_in_use"), Some(2.5));
        assert_eq!(value("pool_timeouts_total"), Some(7.0));
        assert_eq!(value("pool_timeouts_total{pool=\"main\"}"), Some(3.0));
        assert_eq!(value("pool_timeouts_total{pool=\"none\"}"), None);
        assert_eq!(value("untyped_thing"), Some(7.0));
        assert_eq!(value("wait_seconds_count"), Some(2.0));
        assert_eq!(value("pool"), None);
        assert_eq!(value("wait_seconds_bucket{le=\"+Inf\"}"), Some(2.0));
    }

    #[test]
    fn label_values_may_hold_whatever_stands_between_quotes() {
        assert_eq!(value("routes"), Some(12.0));
        assert_eq!(value("routes{path=\"/users/{id}\"}"), Some(7.0));
        assert_eq!(value("routes{ q=\"a=b,c\" }"), Some(7.0));
        assert_eq!(value("routes{q=\"a=b\"}"), None);
        assert_eq!(value("routes{q=\"say \\\"hi\\\"\"}"), Some(5.0));
        assert_eq!((value("empty"), value("apart"), value("job:rate")), (Some(6.0), Some(8.0), Some(10.0)));
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in
            ["", "a b", "# HELP x", "x{", "x 3", "{a=\"b\"}", "x-y", "g{nonsense}", "g{a=~\"x\"}", "g{a=x}", "9x"]
        {
            assert!(text.parse::<Selector>().is_err(), "{text:?}");
        }
        assert_eq!(
            "a b".parse::<Selector>().expect_err("bad").to_string(),
            "`a b` is no series: write `name` or `name{label=\"value\"}`"
        );
    }

    #[test]
    fn an_answer_that_is_no_exposition_has_none() {
        for text in ["", "<html>not metrics</html>", "\u{0}\n{{{{"] {
            assert_eq!(values(text, &["x".parse().expect("a selector")]), [None], "{text:?}");
        }
    }
}
