//! What tools say of a run, read from what they print.

use anyhow::{Context, Result};
use serde_json::Value;

/// The times that a tool tells, in milliseconds; none where it does not tell one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    /// Which of its times, where it has several.
    pub(super) which: &'static str,
    pub(super) p50_ms: Option<f64>,
    pub(super) p90_ms: Option<f64>,
    pub(super) p99_ms: Option<f64>,
    pub(super) max_ms: Option<f64>,
}

/// This engine's result, as `--format json` prints it.
pub(super) fn engine(printed: &str) -> Result<Vec<Said>> {
    let result: Value = serde_json::from_str(printed)?;
    let times = &result["whole"]["workloads"][0]["times"];
    let said = |which, series: &str| {
        let ms = |figure: &str| times[series][figure].as_f64();
        Said { which, p50_ms: ms("p50_ms"), p90_ms: ms("p90_ms"), p99_ms: ms("p99_ms"), max_ms: ms("max_ms") }
    };
    Ok(vec![said("response", "response"), said("service", "service")])
}

/// oha's summary, as `--output-format json` prints it: in seconds.
pub(super) fn oha(printed: &str) -> Result<Vec<Said>> {
    let start = printed.find('{').context("oha printed no JSON")?;
    let result: Value = serde_json::from_str(&printed[start..])?;
    let ms = |part: &str, figure: &str| result[part][figure].as_f64().map(|seconds| seconds * 1e3);
    let at = |percentile| ms("latencyPercentiles", percentile);
    Ok(vec![Said {
        which: "latency",
        p50_ms: at("p50"),
        p90_ms: at("p90"),
        p99_ms: at("p99"),
        max_ms: ms("summary", "slowest"),
    }])
}

/// k6's `--summary-export`: in milliseconds.
pub(super) fn k6(exported: &str) -> Result<Vec<Said>> {
    let result: Value = serde_json::from_str(exported)?;
    let ms = |figure: &str| result["metrics"]["http_req_duration"][figure].as_f64();
    Ok(vec![Said {
        which: "http_req_duration",
        p50_ms: ms("med"),
        p90_ms: ms("p(90)"),
        p99_ms: ms("p(99)"),
        max_ms: ms("max"),
    }])
}

/// wrk's text with `--latency`.
pub(super) fn wrk(printed: &str) -> Vec<Said> {
    let after = |label: &str, column: usize| {
        let line = printed.lines().map(str::trim).find(|line| line.starts_with(label))?;
        milliseconds(line.split_whitespace().nth(column)?)
    };
    vec![Said {
        which: "latency",
        p50_ms: after("50%", 1),
        p90_ms: after("90%", 1),
        p99_ms: after("99%", 1),
        max_ms: after("Latency ", 3),
    }]
}

/// A time as wrk writes it, such as `1.23ms`.
fn milliseconds(text: &str) -> Option<f64> {
    let unit = text.find(|character: char| character.is_ascii_alphabetic())?;
    let (figure, unit) = text.split_at(unit);
    let scale = match unit {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 6e4,
        _ => return None,
    };
    figure.parse::<f64>().ok().map(|figure| figure * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wrk_prints_is_read() {
        let printed = "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   636.11us  540.00us   2.00s    90.66%\n  \
                       Latency Distribution\n     50%  459.00us\n     75%    0.90ms\n     90%    1.32ms\n     99%    1.10s \n";
        let said = &wrk(printed)[0];
        let seen = [said.p50_ms, said.p90_ms, said.p99_ms, said.max_ms].map(|ms| ms.map(|ms| (ms * 1e3).round()));
        assert_eq!(seen, [459.0, 1_320.0, 1_100_000.0, 2_000_000.0].map(Some));
    }

    #[test]
    fn what_oha_and_k6_write_is_read() {
        let printed =
            "x\n{\"summary\":{\"slowest\":2.0},\"latencyPercentiles\":{\"p50\":0.001,\"p90\":1.0,\"p99\":null}}";
        let said = &oha(printed).unwrap()[0];
        assert_eq!((said.p50_ms, said.p90_ms, said.p99_ms, said.max_ms), (Some(1.0), Some(1e3), None, Some(2e3)));
        let exported = r#"{"metrics":{"http_req_duration":{"med":0.5,"p(90)":1.5,"p(99)":2.5,"max":3.5}}}"#;
        let said = &k6(exported).unwrap()[0];
        assert_eq!((said.p50_ms, said.p90_ms, said.p99_ms, said.max_ms), (Some(0.5), Some(1.5), Some(2.5), Some(3.5)));
    }
}
