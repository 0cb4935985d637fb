//! What a flow acts through.

use std::borrow::Cow;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bindings::engine::workload::types::{Arrival, Level, Since};
use crate::inbox::{Inbox, TimerLease};
use crate::metric::{Check, Counter, Mark, Observation};
use crate::{RequestBuilder, Rng, SocketBuilder, Stop, backend};

/// An iteration's access to the engine. Cheap to clone; of no use in another iteration.
#[derive(Clone)]
pub struct Context {
    pub(crate) inbox: Rc<Inbox>,
}

impl Context {
    pub(crate) fn new(inbox: Rc<Inbox>) -> Self {
        Self { inbox }
    }

    /// The arrival this iteration belongs to: `index`, `sequence`, `seed`, `client`, `wall_time`, `phase`, `row`. In
    /// setup and teardown all numbers are 0, the client is 1, the phase is empty and there is no row.
    pub fn arrival(&self) -> &Arrival {
        &self.inbox.arrival
    }

    /// The arrival's row of the workload's data file.
    ///
    /// # Errors
    /// [`Stop::Failed`] where there is no row or it is of another shape; the log says which.
    pub fn row<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        let Some(row) = &self.inbox.arrival.row else { return Err(Stop::failed("no data row")) };
        serde_json::from_str(row).map_err(|error| {
            self.log(Level::Debug, &format!("unexpected data row: {error}"));
            Stop::failed("unexpected data row")
        })
    }

    /// Randomness of this iteration: each call starts the same sequence again.
    pub fn rng(&self) -> Rng {
        Rng::from_seed(self.inbox.arrival.seed)
    }

    /// Begins a request. `path` is path and query as sent, and begins with `/`.
    pub fn request<'a>(&'a self, method: &'a str, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        RequestBuilder::new(self, method, path.into())
    }

    /// Begins a `GET`.
    pub fn get<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("GET", path)
    }

    /// Begins a `POST`.
    pub fn post<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("POST", path)
    }

    /// Begins a `PUT`.
    pub fn put<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("PUT", path)
    }

    /// Begins a `PATCH`.
    pub fn patch<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("PATCH", path)
    }

    /// Begins a `DELETE`.
    pub fn delete<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> RequestBuilder<'a> {
        self.request("DELETE", path)
    }

    /// Begins a WebSocket.
    pub fn socket<'a>(&'a self, path: impl Into<Cow<'a, str>>) -> SocketBuilder<'a> {
        SocketBuilder::new(self, path.into())
    }

    /// Waits this long, counted from the event being handled. Dropped before its end, the timer is cleared.
    pub fn wait(&self, duration: Duration) -> Wait {
        Wait { timer: TimerLease::new(&self.inbox, backend::wait(nanoseconds(duration))) }
    }

    /// Records a time: the moment the bytes of the event being handled were read, measured from `since`.
    pub fn mark(&self, mark: Mark, since: Since) {
        backend::mark(mark.id(), since, 1);
    }

    /// Records a time since the mark of the same metric before it in this iteration, as `weight` samples of an equal
    /// part each (tokens that came in one chunk); 0 counts nothing. The first one only sets the start.
    pub fn lap(&self, mark: Mark, weight: u32) {
        backend::mark(mark.id(), Since::Previous, weight);
    }

    /// Adds to a counter.
    pub fn count(&self, counter: Counter, n: u64) {
        backend::count(counter.id(), n);
    }

    /// Records a value, 0 to 2^53.
    pub fn observe(&self, observation: Observation, value: f64) {
        backend::observe(observation.id(), value);
    }

    /// Counts a check as passed or failed without deciding the iteration.
    pub fn check(&self, check: Check, passed: bool) {
        backend::check(check.id(), passed);
    }

    /// In setup only: merges the keys of this object (a struct, a map) into what every later `configure` is given. Each
    /// text in it is masked wherever text leaves the engine.
    ///
    /// # Errors
    /// [`Stop::Failed`] where the value has no form as a JSON object.
    pub fn share<T: Serialize + ?Sized>(&self, object: &T) -> Result<(), Stop> {
        match serde_json::to_value(object) {
            Ok(value @ serde_json::Value::Object(_)) => {
                backend::share(&value.to_string());
                Ok(())
            }
            _ => Err(Stop::failed("what is shared is no JSON object")),
        }
    }

    /// A line for the plugin's author: shown by `engine try`, rate-limited in a run.
    pub fn log(&self, level: Level, text: &str) {
        backend::log(level, text);
    }
}

/// As the interface has it: nanoseconds, at most 2^63 - 1.
pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).map_or(i64::MAX as u64, |n| n.min(i64::MAX as u64))
}

/// A timer: what [`Context::wait`] gives.
#[must_use = "dropped, the timer is cleared: await it"]
pub struct Wait {
    timer: TimerLease,
}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        self.timer.poll(cx)
    }
}
