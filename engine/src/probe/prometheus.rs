//! Series of Prometheus' text format, found by name and labels.

use prometheus_parse::{Scrape, Value};

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
        let bad = || BadSelector(text.to_owned());
        // What selects a series is written as a sample of it is.
        let scrape = parse(&format!("{text} 1\n")).ok_or_else(bad)?;
        let [sample] = &scrape.samples[..] else { return Err(bad()) };
        let name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_:".contains(c));
        if !name(&sample.metric) || text.contains(char::is_whitespace) && sample.labels.is_empty() {
            return Err(bad());
        }
        let mut labels: Vec<_> = sample.labels.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        labels.sort_unstable();
        Ok(Self { text: text.to_owned(), name: sample.metric.clone(), labels })
    }
}

impl Selector {
    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The sum of the samples it selects; none where there is none.
    fn sum(&self, scrape: &Scrape) -> Option<f64> {
        let fits = |sample: &&prometheus_parse::Sample| {
            sample.metric == self.name
                && self.labels.iter().all(|(label, value)| sample.labels.get(label) == Some(value.as_str()))
        };
        let value = |sample: &prometheus_parse::Sample| match sample.value {
            Value::Counter(value) | Value::Gauge(value) | Value::Untyped(value) => Some(value),
            // Their `_count` and `_sum` are series of their own.
            Value::Histogram(_) | Value::Summary(_) => None,
        };
        scrape.samples.iter().filter(fits).filter_map(value).reduce(|sum, value| sum + value)
    }
}

fn parse(text: &str) -> Option<Scrape> {
    Scrape::parse(text.lines().map(|line| Ok(line.to_owned()))).ok()
}

/// The value of each series in an answer; none for those that are not in it.
pub(super) fn values(text: &str, series: &[Selector]) -> Vec<Option<f64>> {
    match parse(text) {
        Some(scrape) => series.iter().map(|series| series.sum(&scrape)).collect(),
        None => vec![None; series.len()],
    }
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
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for text in ["", "a b", "# HELP x", "x{", "x 3", "{a=\"b\"}", "x-y"] {
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
