//! A probe's readings over a run: one before, one in each interval, one after.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use super::fetch::Fetcher;
use super::prometheus::{Selector, values};
use super::readings::{Readings, When};
use crate::client::Settings;
use crate::clock::{Clock, Time};

/// A Prometheus endpoint and what is read of it.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its name in reports.
    pub name: String,
    /// How it is reached.
    pub client: Arc<Settings>,
    /// Path and query of its answer.
    pub path: String,
    /// What is read.
    pub series: Vec<Selector>,
    /// How often it is read during the load.
    pub every: Duration,
}

/// A probe at work.
pub struct Watching {
    name: String,
    series: Vec<String>,
    stop: Rc<Notify>,
    task: JoinHandle<Readings>,
}

/// Reads a probe once, and begins to read it in intervals. `t0` is told when the schedule starts.
///
/// # Panics
/// Outside of a `LocalSet`.
pub async fn watch(probe: Probe, clock: Rc<dyn Clock>, t0: Rc<std::cell::Cell<Option<Time>>>) -> Watching {
    let Probe { name, client, path, series, every } = probe;
    let fetcher = Fetcher::new(client, Rc::clone(&clock), path);
    let texts = series.iter().map(|series| series.text().to_owned()).collect();
    let mut readings = Readings::new(series.len());
    readings.add(When::Before, read(&fetcher, &series).await);
    let stop = Rc::new(Notify::new());
    let stopped = Rc::clone(&stop);
    let task = tokio::task::spawn_local(async move {
        let since = |start: Time| clock.now() - start;
        let mut ticks = tokio::time::interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stopped.notified() => break,
                _ = ticks.tick() => {
                    // Nothing is offered before the start.
                    if let Some(start) = t0.get() {
                        let at = since(start);
                        readings.add(When::During(at), read(&fetcher, &series).await);
                    }
                }
            }
        }
        let at = t0.get().map(since).unwrap_or_default();
        readings.add(When::After(at), read(&fetcher, &series).await);
        readings
    });
    Watching { name, series: texts, stop, task }
}

async fn read(fetcher: &Fetcher, series: &[Selector]) -> Result<Vec<Option<f64>>, String> {
    let body = fetcher.fetch().await?;
    Ok(values(&String::from_utf8_lossy(&body), series))
}

impl Watching {
    /// Its name, the series it reads, and what it has read, with a last reading now.
    pub async fn finish(self) -> (String, Vec<String>, Readings) {
        // Kept for a task that is in the middle of a reading.
        self.stop.notify_one();
        let readings = self.task.await.unwrap_or_default();
        (self.name, self.series, readings)
    }
}
