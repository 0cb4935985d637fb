//! Progress on stderr: a bar with the phase and the time left on a terminal, a line a second elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::record::{Live, Percentile};

/// When a phase is, for people.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// Its name.
    pub(super) name: String,
    /// From the start of the schedule to its end.
    pub(super) end: Duration,
}

/// Shows how far a run is.
pub(super) struct Progress {
    stages: Vec<Stage>,
    length: Duration,
    /// The bar; none where stderr is no terminal, or nothing is to be shown.
    bar: Option<ProgressBar>,
    quiet: bool,
}

impl Progress {
    /// For a schedule of these phases.
    pub(super) fn new(stages: Vec<Stage>, quiet: bool) -> Self {
        let length = stages.last().map_or(Duration::ZERO, |stage| stage.end);
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let milliseconds = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
            let bar = ProgressBar::with_draw_target(Some(milliseconds), ProgressDrawTarget::stderr());
            // The template is fixed; a bar of another look is better than none.
            if let Ok(style) = ProgressStyle::with_template("{prefix:.bold} [{bar:8.cyan/dim}] {wide_msg}") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self { stages, length, bar, quiet }
    }

    /// Shows the state of things, `elapsed` after the start of the schedule.
    pub(super) fn show(&self, elapsed: Duration, live: &Live, stopping: bool) {
        if self.quiet {
            return;
        }
        let phase = if stopping {
            "stopping"
        } else {
            // What is shown is the second that has just gone by.
            let shown = elapsed.saturating_sub(Duration::from_millis(500));
            self.stages.iter().find(|stage| shown < stage.end).map_or("drain", |stage| stage.name.as_str())
        };
        let text = describe(live);
        match &self.bar {
            Some(bar) => {
                let left = self.length.saturating_sub(elapsed).as_secs();
                bar.set_position(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
                bar.set_prefix(phase.to_owned());
                bar.set_message(format!("{:>2}:{:02}  {text}", left / 60, left % 60));
            }
            None => output::say(&format!("{:>4} s  {phase}  {text}", elapsed.as_secs())),
        }
    }

    /// Says something that stays on the screen.
    pub(super) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::say(text)),
            None => output::say(text),
        }
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What happened since the last look, and in all.
fn describe(live: &Live) -> String {
    use std::fmt::Write as _;
    let (recent, total) = (&live.recent, &live.total);
    let mut text = format!("{}/s offered, {} ok", recent.offered, recent.ok);
    if let Some(p95) = live.recent_times.percentile(Percentile::P95) {
        let _ = write!(text, ", p95 {:.3} ms", p95 as f64 / 1e6);
    }
    let _ = write!(text, "; {} in all", total.offered);
    for (count, what) in [(total.failed, "failed"), (total.missed, "missed"), (total.unfinished, "unfinished")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    let _ = write!(text, ", {} in flight", total.in_flight());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Tally;

    #[test]
    fn a_line_tells_the_last_second_and_the_whole() {
        let mut live = Live {
            total: Tally { offered: 120, started: 118, ok: 110, failed: 3, missed: 2, ..Tally::default() },
            recent: Tally { offered: 12, ok: 11, ..Tally::default() },
            ..Live::default()
        };
        live.recent_times.record(1_234_567);
        assert_eq!(describe(&live), "12/s offered, 11 ok, p95 1.235 ms; 120 in all, 3 failed, 2 missed, 5 in flight");
    }
}
