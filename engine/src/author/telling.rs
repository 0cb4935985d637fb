//! What a plugin asks for, in words.

use std::time::Duration;

use crate::plugin::{Action, Metric, ReadMode, Verdict};

use super::piece::{cut, said, shown};

/// An action for people.
pub(super) fn told(action: &Action, metrics: &[Metric]) -> String {
    let named = |metric: u32| metrics.get(metric as usize).map_or("?", |metric| metric.name.as_str());
    match action {
        Action::Send { exchange, request } => {
            let body = if request.body.is_empty() { String::new() } else { format!(", body {}", shown(&request.body)) };
            let host = request.authority.as_deref().map_or(String::new(), |host| format!(" at {host}"));
            format!(
                "asks for #{exchange}: {} {}{host}, read {}{body}",
                request.method,
                request.path_with_query,
                read_name(request.read)
            )
        }
        Action::Impossible { exchange, detail, .. } => format!("asks for #{exchange}, which cannot be had: {detail}"),
        Action::Write { exchange, message } => format!("writes to #{exchange} {}", said(message)),
        Action::Close { exchange, code, reason } => format!("closes #{exchange} with {code} {}", cut(reason)),
        Action::Cancel(exchange) => format!("gives #{exchange} up"),
        Action::Wait { timer, nanoseconds } => {
            format!("waits {} (timer {timer})", humantime::format_duration(Duration::from_nanos(*nanoseconds)))
        }
        Action::Clear(timer) => format!("takes timer {timer} back"),
        Action::Mark { metric, weight, .. } => format!("marks {}, weight {weight}", named(*metric)),
        Action::Count { metric, n } => format!("counts {} + {n}", named(*metric)),
        Action::Observe { metric, value } => format!("observes {} = {value}", named(*metric)),
        Action::Check { metric, passed } => {
            format!("checks {}: {}", named(*metric), if *passed { "passed" } else { "failed" })
        }
        Action::Finish(Verdict::Ok) => "finishes: ok".to_owned(),
        Action::Finish(Verdict::Cancelled) => "finishes: cancelled".to_owned(),
        Action::Finish(Verdict::Failed(text)) => format!("finishes: failed, {}", cut(text)),
        Action::Finish(Verdict::FailedBy(exchange)) => format!("finishes: failed by #{exchange}"),
    }
}

/// A read mode as the interface calls it.
pub(super) fn read_name(read: ReadMode) -> &'static str {
    match read {
        ReadMode::Head => "head",
        ReadMode::Whole(_) => "whole",
        ReadMode::Events => "events",
        ReadMode::Lines => "lines",
        ReadMode::Chunks => "chunks",
        ReadMode::Count => "count",
        ReadMode::Socket => "socket",
    }
}
