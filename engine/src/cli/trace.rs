//! A flow as text: what was sent, what came back, how long each part took, what the plugin made of it.

use std::fmt::Write as _;
use std::time::Duration;

use crate::client::{Target, Timings};
use crate::credentials::is_credential;
use crate::plugin::{Metric, ReadMode};
use crate::printable::CUT;
use crate::worker::{Figure, Trace, TracedExchange};

/// Bytes of a body that are shown.
const BODY_SHOWN: usize = 2_000;

/// Marks that are shown.
const MARKS_SHOWN: usize = 100;

/// The whole text.
/// `target` names the target for people, `host` is where requests go.
pub(super) fn render(workload: &str, target: &str, host: &Target, trace: &Trace, metrics: &[Metric]) -> String {
    let mut text = format!("workload {workload} against {target}\n");
    for exchange in &trace.exchanges {
        render_exchange(&mut text, exchange, host, trace);
    }
    if !trace.marks.is_empty() {
        text.push_str("\nmarks\n");
        for mark in trace.marks.iter().take(MARKS_SHOWN) {
            let name = metrics.get(mark.metric as usize).map_or("?", |metric| metric.name.as_str());
            let weight = if mark.weight == 1 { String::new() } else { format!("  weight {}", mark.weight) };
            let _ = writeln!(text, "  {name:<24} {}{weight}", milliseconds(Duration::from_nanos(mark.interval)));
        }
    }
    if trace.marks.len() > MARKS_SHOWN {
        let _ = writeln!(text, "  … {} more", trace.marks.len() - MARKS_SHOWN);
    }
    if !trace.figures.is_empty() {
        text.push_str("\ncounters, observations, checks\n");
    }
    for (&metric, figure) in &trace.figures {
        let metric = metrics.get(metric as usize);
        let name = metric.map_or("?", |metric| metric.name.as_str());
        let unit = metric.map_or(String::new(), |metric| format!(" {}", metric.unit));
        let _ = writeln!(text, "  {name:<24} {}", told(figure, unit.trim_end()));
    }
    if !trace.log.is_empty() {
        text.push_str("\nlog\n");
        for line in &trace.log {
            let _ = writeln!(text, "  {:<5} {}", line.level, line.text);
        }
    }
    if trace.not_kept > 0 {
        let _ = writeln!(text, "\n… {} more exchanges and log lines", trace.not_kept);
    }
    for fault in &trace.faults {
        let _ = writeln!(text, "\nfault\n  {}", fault.replace('\n', "\n  "));
    }
    let took = milliseconds(trace.end - trace.start);
    let verdict = trace.outcome.as_deref().unwrap_or("nothing to do");
    let _ = writeln!(text, "\nverdict: {verdict} after {took}");
    text
}

/// A figure in a line.
fn told(figure: &Figure, unit: &str) -> String {
    match figure {
        Figure::Sum(sum) => format!("{sum}{unit}"),
        Figure::Values(count, values) => {
            let shown: Vec<String> = values.iter().map(f64::to_string).collect();
            let more = count - values.len() as u64;
            let more = if more > 0 { format!(", … {more} more") } else { String::new() };
            format!("{}{more}{unit}", shown.join(", "))
        }
        Figure::Checked(passed, failed) => format!("passed {passed}, failed {failed}"),
    }
}

fn render_exchange(text: &mut String, exchange: &TracedExchange, host: &Target, trace: &Trace) {
    let request = &exchange.request;
    let asked = exchange.timings.map(|timings| timings.asked - trace.start).unwrap_or_default();
    let _ = writeln!(text, "\nexchange {} `{}`, asked at {}", exchange.id, exchange.name, milliseconds(asked));
    let base = if request.authority.is_none() { host.base_path.as_str() } else { "" };
    let _ = writeln!(text, "  > {} {base}{}", request.method, request.path_with_query);
    if !request.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        let _ = writeln!(text, "  > host: {}", request.authority.clone().unwrap_or_else(|| host.origin.authority()));
    }
    for (name, value) in &request.fields {
        let _ = writeln!(text, "  > {name}: {}", field(name, value));
    }
    render_body(text, '>', &request.body);
    match (&exchange.failure, exchange.status) {
        (Some((reason, detail)), status) => {
            let status = status.map(|status| format!(" after status {status}")).unwrap_or_default();
            let _ = writeln!(text, "  < failed{status}: {reason}: {detail}");
        }
        (None, Some(status)) => {
            let _ = writeln!(text, "  < {status}");
        }
        (None, None) if exchange.cancelled => text.push_str("  < cancelled\n"),
        (None, None) => text.push_str("  < open when the iteration ended\n"),
    }
    for (name, value) in &exchange.fields {
        let value = String::from_utf8_lossy(value.as_bytes());
        let _ = writeln!(text, "  < {name}: {}", field(name.as_str(), &value));
    }
    // What was said on a socket was said by both sides.
    let side = if request.read == ReadMode::Socket { '|' } else { '<' };
    render_body(text, side, &exchange.body);
    if let Some(timings) = &exchange.timings {
        let _ = writeln!(text, "  = {}", describe(timings));
    }
}

/// A field's value, or stars where it is a credential.
fn field<'a>(name: &str, value: &'a str) -> &'a str {
    if is_credential(name) { "***" } else { value }
}

fn render_body(text: &mut String, side: char, body: &[u8]) {
    if body.is_empty() {
        return;
    }
    let shown = &body[..body.len().min(BODY_SHOWN)];
    // The last character shown may be cut as well.
    let whole = shown.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    if whole.len() + 4 <= shown.len() {
        let _ = writeln!(text, "  {side}\n  {side} ({} bytes that are not text)", body.len());
        return;
    }
    let _ = write!(text, "  {side}");
    for line in whole.lines() {
        let _ = write!(text, "\n  {side} {line}");
    }
    if body.len() > whole.len() {
        // The mark stands right behind what was cut: the mask looks there for secrets that are no longer whole.
        let _ = write!(text, "{CUT} ({} bytes more)", body.len() - whole.len());
    }
    text.push('\n');
}

/// The parts of an exchange's time.
fn describe(timings: &Timings) -> String {
    let mut parts = vec![format!("response {}", milliseconds(timings.response_time()))];
    if let Some(service) = timings.service_time() {
        parts.push(format!("service {}", milliseconds(service)));
    }
    if let (Some(sent), Some(first)) = (timings.sent, timings.first_byte) {
        parts.push(format!("first byte {}", milliseconds(first - sent)));
    }
    for (part, length) in [("name", timings.dns), ("connect", timings.connect), ("TLS", timings.tls)] {
        if let Some(length) = length {
            parts.push(format!("{part} {}", milliseconds(length)));
        }
    }
    if timings.reused {
        parts.push("on a kept connection".to_owned());
    }
    parts.push(format!("{} bytes sent, {} of body received", timings.bytes_sent, timings.bytes_received));
    if timings.redirects > 0 {
        parts.push(format!("{} redirects", timings.redirects));
    }
    if timings.attempts_stale > 0 {
        parts.push(format!("{} re-sent after a stale connection", timings.attempts_stale));
    }
    parts.join(", ")
}

fn milliseconds(length: Duration) -> String {
    format!("{:.3} ms", length.as_secs_f64() * 1e3)
}
