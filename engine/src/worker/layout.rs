//! A plugin's metrics as the recorder lays them out.

use crate::plugin::{MetricKind, Plugin};
use crate::record;

/// The metrics of a plugin, by position.
pub fn metrics_of(plugin: &Plugin) -> Vec<record::Metric> {
    let metrics = plugin.description.metrics.iter();
    metrics
        .map(|metric| record::Metric {
            name: metric.name.clone(),
            kind: match metric.kind {
                MetricKind::Mark => record::MetricKind::Mark,
                MetricKind::Counter => record::MetricKind::Counter,
                MetricKind::Observation => record::MetricKind::Observation,
                MetricKind::Check => record::MetricKind::Check,
            },
            unit: metric.unit.clone(),
        })
        .collect()
}
