//! A chat completion as server-sent events, each when its token is due.

use std::fmt::Write;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::time::Instant;

use crate::body::Pieces;
use crate::clock::monotonic_ns;
use crate::metrics::model::{ModelMetrics, OpenStream};

use super::completion::{Completion, Schedule};
use super::pace::Pace;

/// The event to come next.
#[derive(Debug, Clone, Copy)]
enum Step {
    Role,
    Token(u64),
    Finish,
    Usage,
    Done,
    End,
}

/// The events of one answer. The role comes with the first token, the end with the last.
#[derive(Debug)]
pub(super) struct Events {
    completion: Completion,
    start: String,
    schedule: Schedule,
    pace: Pace,
    include_usage: bool,
    stamped: bool,
    step: Step,
    metrics: Rc<ModelMetrics>,
    _open: OpenStream,
}

impl Events {
    /// Events of an answer; `stamped` ones tell when they were handed over.
    pub(super) fn new(
        completion: Completion,
        schedule: Schedule,
        pace: Pace,
        (include_usage, stamped): (bool, bool),
        metrics: Rc<ModelMetrics>,
    ) -> Self {
        let open = metrics.stream_opened();
        let start = completion.event_start();
        Self { completion, start, schedule, pace, include_usage, stamped, step: Step::Role, metrics, _open: open }
    }

    /// An event with this delta, and perhaps the reason for the end.
    fn chunk(&self, delta: (&str, &str, &str), finish_reason: Option<&str>) -> Bytes {
        let (before, content, after) = delta;
        let mut choices =
            format!(r#"[{{"index":0,"delta":{{{before}{content}{after}}},"logprobs":null,"finish_reason":"#);
        match finish_reason {
            Some(reason) => drop(write!(choices, "\"{reason}\"}}]")),
            None => choices.push_str("null}]"),
        }
        self.event(&choices, if self.include_usage { Some("null") } else { None })
    }

    /// An event with these choices, and the usage where it has one.
    fn event(&self, choices: &str, usage: Option<&str>) -> Bytes {
        let mut event = String::with_capacity(self.start.len() + choices.len() + 80);
        event.push_str(&self.start);
        event.push_str(",\"choices\":");
        event.push_str(choices);
        if let Some(usage) = usage {
            event.push_str(",\"usage\":");
            event.push_str(usage);
        }
        if self.stamped {
            // A string takes every write.
            let _ = write!(event, ",\"sent_ns\":{}", monotonic_ns());
        }
        event.push_str("}\n\n");
        event.into()
    }
}

impl Pieces for Events {
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let due = self.schedule.due();
        let (event, next) = match self.step {
            Step::Role => {
                ready!(self.pace.poll_until(cx, due));
                (self.chunk((r#""role":"assistant","content":"#, r#""""#, r#","refusal":null"#), None), Step::Token(0))
            }
            Step::Token(k) => {
                ready!(self.pace.poll_until(cx, due));
                self.metrics.token_sent(Instant::now().saturating_duration_since(due));
                let (space, word) = self.completion.token(k);
                // Words have nothing that JSON would have to escape.
                let event = self.chunk((r#""content":""#, &[space, word].concat(), "\""), None);
                self.schedule.advance();
                (event, if k + 1 < self.completion.tokens { Step::Token(k + 1) } else { Step::Finish })
            }
            Step::Finish => {
                let event = self.chunk(("", "", ""), Some(self.completion.finish_reason));
                (event, if self.include_usage { Step::Usage } else { Step::Done })
            }
            Step::Usage => (self.event("[]", Some(&self.completion.usage().to_string())), Step::Done),
            Step::Done => (Bytes::from_static(b"data: [DONE]\n\n"), Step::End),
            Step::End => return Poll::Ready(None),
        };
        self.step = next;
        Poll::Ready(Some(event))
    }
}
