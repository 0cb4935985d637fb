//! What came of a scripted iteration.

use std::time::Duration;

use serde_json::{Map, Value};

use super::recorder::{Action, Sent};
use crate::bindings::engine::workload::types::{Level, Since};
use crate::{CloseInfo, Exchange, Message};

/// How the iteration ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was right.
    Ok,
    /// The plan ended it early.
    Cancelled,
    /// It failed, with the reason a report would count it under: `check: <text>`, `http_<status>`, `timeout_total` …,
    /// `plugin_stalled` where the flow waits for something that cannot come, `plugin_misuse`.
    Failed(String),
}

/// A recorded mark.
#[derive(Debug, Clone)]
pub struct Marked {
    /// The metric's name.
    pub name: &'static str,
    /// From where it is measured.
    pub since: Since,
    /// As how many samples it counts.
    pub weight: u32,
    /// When the event being handled arrived, from the iteration's start.
    pub at: Duration,
}

/// One iteration as it went.
#[derive(Debug, Clone)]
pub struct Run {
    pub(super) outcome: Outcome,
    pub(super) took: Duration,
    pub(super) actions: Vec<(Duration, Action)>,
    pub(super) requests: Vec<Sent>,
    pub(super) metrics: Vec<&'static str>,
}

impl Run {
    /// How it ended.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The reason of the failure; `None` where it did not fail.
    pub fn reason(&self) -> Option<&str> {
        if let Outcome::Failed(reason) = &self.outcome { Some(reason) } else { None }
    }

    /// From its start to its end, in virtual time.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Every request and WebSocket in the order asked: the position is its exchange.
    pub fn requests(&self) -> &[Sent] {
        &self.requests
    }

    /// Method and path of every request in order, such as `GET /agents`.
    pub fn request_lines(&self) -> Vec<String> {
        self.requests.iter().map(|sent| format!("{} {}", sent.method, sent.path)).collect()
    }

    /// Every mark in order.
    pub fn marks(&self) -> Vec<Marked> {
        self.pick(|at, action| match action {
            Action::Mark { metric, since, weight } => {
                Some(Marked { name: self.metric(*metric), since: *since, weight: *weight, at })
            }
            _ => None,
        })
    }

    /// The sum of a counter.
    pub fn counted(&self, name: &str) -> u64 {
        let adds = self.pick(|_, action| match action {
            Action::Count { metric, n } if self.metric(*metric) == name => Some(*n),
            _ => None,
        });
        adds.iter().sum()
    }

    /// The values of an observation in order.
    pub fn observed(&self, name: &str) -> Vec<f64> {
        self.pick(|_, action| match action {
            Action::Observe { metric, value } if self.metric(*metric) == name => Some(*value),
            _ => None,
        })
    }

    /// The outcomes of a check in order.
    pub fn checked(&self, name: &str) -> Vec<bool> {
        self.pick(|_, action| match action {
            Action::Check { metric, passed } if self.metric(*metric) == name => Some(*passed),
            _ => None,
        })
    }

    /// The log's lines in order.
    pub fn logs(&self) -> Vec<(Level, &str)> {
        self.pick(|_, action| match action {
            Action::Log { level, text } => Some((*level, text.as_str())),
            _ => None,
        })
    }

    /// What setup has shared, merged: give it to [`Script::shared`](super::Script::shared).
    pub fn shared(&self) -> Value {
        let shares = self.pick(|_, action| match action {
            Action::Share { json } => serde_json::from_str::<Map<String, Value>>(json).ok(),
            _ => None,
        });
        Value::Object(shares.into_iter().flatten().collect())
    }

    /// The messages written to a WebSocket in order.
    pub fn written(&self, exchange: Exchange) -> Vec<&Message> {
        self.pick(|_, action| match action {
            Action::Write { exchange: of, message } if *of == exchange => Some(message),
            _ => None,
        })
    }

    /// The close the plugin started on a WebSocket.
    pub fn closed(&self, exchange: Exchange) -> Option<&CloseInfo> {
        self.pick(|_, action| match action {
            Action::Close { exchange: of, info } if *of == exchange => Some(info),
            _ => None,
        })
        .first()
        .copied()
    }

    /// The exchanges the plugin gave up while it went on.
    pub fn cancelled(&self) -> Vec<Exchange> {
        self.pick(|_, action| if let Action::Cancel { exchange } = action { Some(*exchange) } else { None })
    }

    fn pick<'a, T>(&'a self, choose: impl Fn(Duration, &'a Action) -> Option<T>) -> Vec<T> {
        self.actions.iter().filter_map(|(at, action)| choose(*at, action)).collect()
    }

    fn metric(&self, id: u32) -> &'static str {
        match self.metrics.get(id as usize) {
            Some(name) => name,
            None => panic!("metric {id} is not in the list `METRICS` of the workload: {:?}", self.metrics),
        }
    }
}
