//! After a call into a plugin: what it asked for is done, in order.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use crate::books::Id;
use crate::client;
use crate::clock::Time;
use crate::plugin::{Action, MetricKind, ReadMode, Request, Since, Verdict};
use crate::printable::cut;
use crate::record::{CheckSample, CountSample, MarkSample, NameId, ObservationSample, Outcome};

use super::alarms::{Alarm, FlightKey};
use super::core::{Core, to_u32};
use super::flight::{Flight, Form, Kind, Open, http_reason, token};

/// The most bytes a plugin may ask to be handed in one body.
const WHOLE_MOST: u32 = 64 << 20;
/// Bytes of a counted body that are shown to who listens.
const PEEK: usize = 64 << 10;
/// The most exchanges that one iteration may have open.
pub(crate) const OPEN_MOST: usize = 10_000;
/// The most timers that one iteration may have running.
pub(crate) const TIMERS_MOST: usize = 10_000;
/// The longest name of a series in bytes; the rest is cut.
const NAME_LONGEST: usize = 128;

/// What the actions of one call came to.
enum After {
    /// The iteration goes on.
    GoesOn,
    /// It finished.
    Finished(Verdict),
    /// It did what is not allowed.
    Misuse(String),
}

impl Core {
    /// Does what the plugin asked for in the call just made. Exchanges count as asked for at `asked`; marks are set and
    /// timers counted from `at`.
    pub(super) fn heed(&mut self, key: FlightKey, asked: Time, at: Time) {
        let (job, instance) = {
            let flight = &self.flights[key.at as usize];
            (flight.job, flight.instance)
        };
        if self.workloads[job.workload].instances.get(instance).has_log() {
            self.pass_log(job.workload, instance);
        }
        let target = self.workloads[job.workload].instances.get(instance);
        let misuse = target.take_misuse();
        let mut actions = std::mem::take(&mut self.actions);
        target.take_actions(&mut actions);
        if job.kind != Kind::Arrival {
            let shared = target.take_shared();
            if let Some(listener) = &mut self.listener {
                for json in shared {
                    listener.shared(json);
                }
            }
        }
        let mut after = misuse.map_or(After::GoesOn, After::Misuse);
        for action in actions.drain(..) {
            if !matches!(after, After::GoesOn) {
                break;
            }
            after = self.act(key, action, asked, at);
        }
        self.actions = actions;
        match after {
            After::Misuse(text) => self.misuse(key, at, text),
            After::Finished(verdict) => self.finish(key, at, &verdict),
            After::GoesOn => {
                let flight = &self.flights[key.at as usize];
                if flight.open.is_empty() && flight.timers.is_empty() {
                    self.end(key, at, Outcome::Failed("plugin_stalled"));
                }
            }
        }
    }

    fn act(&mut self, key: FlightKey, action: Action, asked: Time, at: Time) -> After {
        if let Some(listener) = &mut self.listener {
            listener.did(&action);
        }
        match action {
            Action::Send { exchange, request } => {
                let held = request.held();
                if let Some(misuse) = self.too_much(key, held) {
                    return After::Misuse(misuse);
                }
                self.send(key, exchange, *request, held, asked, at);
            }
            Action::Impossible { exchange, name, detail } => {
                if let Some(misuse) = self.too_much(key, 0) {
                    return After::Misuse(misuse);
                }
                let name = self.name_of(key, &name);
                self.refuse(key, exchange, name, detail, asked, at);
            }
            Action::Write { exchange, message } => match self.open_socket(key, exchange, "write") {
                Ok(Some(socket)) => {
                    if let Some(listener) = &mut self.listener {
                        listener.wrote(exchange, &message);
                    }
                    self.exchanges[super::flight::place(socket).0].bytes_sent += message.len() as u64;
                    self.client.write(socket, message);
                }
                Ok(None) => {}
                Err(misuse) => return After::Misuse(misuse),
            },
            Action::Close { exchange, code, reason } => match self.open_socket(key, exchange, "close") {
                Ok(Some(socket)) => self.client.close_socket(socket, code, reason),
                Ok(None) => {}
                Err(misuse) => return After::Misuse(misuse),
            },
            Action::Cancel(exchange) => return self.cancel(key, exchange),
            Action::Wait { timer, nanoseconds } => {
                let timers = &mut self.flights[key.at as usize].timers;
                if timers.len() >= TIMERS_MOST {
                    return After::Misuse(format!("more than {TIMERS_MOST} timers of one iteration running at once"));
                }
                timers.push(timer);
                self.set_alarm(at + Duration::from_nanos(nanoseconds), key, Alarm::Timer(timer));
            }
            Action::Clear(timer) => {
                let flight = &mut self.flights[key.at as usize];
                if !flight.flow.as_ref().is_some_and(|flow| flow.knows_timer(timer)) {
                    return After::Misuse(format!("`clear` of timer {timer}, which was never set"));
                }
                flight.timers.retain(|&running| running != timer);
            }
            Action::Mark { metric, since, weight } => return self.mark(key, metric, since, weight, at),
            Action::Count { metric, n } => {
                if let Some(misuse) = self.wrong_metric(key, metric, MetricKind::Counter) {
                    return misuse;
                }
                self.flights[key.at as usize].notes.counters.push(CountSample { metric, n });
            }
            Action::Observe { metric, value } => {
                if let Some(misuse) = self.wrong_metric(key, metric, MetricKind::Observation) {
                    return misuse;
                }
                self.flights[key.at as usize].notes.observations.push(ObservationSample { metric, value });
            }
            Action::Check { metric, passed } => {
                if let Some(misuse) = self.wrong_metric(key, metric, MetricKind::Check) {
                    return misuse;
                }
                self.flights[key.at as usize].notes.checks.push(CheckSample { metric, passed });
            }
            Action::Finish(verdict) => return After::Finished(verdict),
        }
        After::GoesOn
    }

    /// Why an iteration may not have one more exchange open that holds `bytes`.
    fn too_much(&self, key: FlightKey, bytes: usize) -> Option<String> {
        let flight = &self.flights[key.at as usize];
        let most = self.workloads[flight.job.workload].held;
        if flight.open.len() >= OPEN_MOST {
            Some(format!("more than {OPEN_MOST} exchanges of one iteration open at once"))
        } else if flight.held.saturating_add(bytes) > most {
            Some(format!("the open exchanges of one iteration hold more than {most} bytes (limits.plugin.string)"))
        } else {
            None
        }
    }

    /// Sends a request that holds so many bytes, or keeps why it cannot be sent.
    fn send(&mut self, key: FlightKey, exchange: u32, mut request: Request, held: usize, asked: Time, at: Time) {
        let name = self.request_name(key, &request);
        if let Some(listener) = &mut self.listener {
            listener.asked(exchange, &self.name, &request, asked);
        }
        let read = match read_mode(&request) {
            Ok(read) => read,
            Err(detail) => return self.refuse(key, exchange, name, detail, asked, at),
        };
        let job = &self.flights[key.at as usize].job;
        let request_id = match &self.books {
            None => Id::None,
            Some(books) => books.label(job, exchange, &mut request.fields),
        };
        let workload = &self.workloads[job.workload];
        let mut timeouts = workload.timeouts;
        if let Some(nanoseconds) = request.timeout {
            timeouts.total = Duration::from_nanos(nanoseconds);
        }
        let follow_redirects = request.follow_redirects.unwrap_or(workload.redirects);
        let open = self.opened(key, exchange, name, asked, request.wanted_fields);
        let place = super::flight::place(open).0;
        self.exchanges[place].held = held;
        self.exchanges[place].request_id = request_id;
        self.flights[key.at as usize].held += held;
        self.exchanges[place].form = match read {
            client::ReadMode::Socket => Form::Opening,
            client::ReadMode::Count => Form::Count,
            _ => Form::Answer,
        };
        self.client.send(
            open,
            client::Request {
                authority: request.authority,
                method: request.method,
                path_with_query: request.path_with_query,
                fields: request.fields,
                body: request.body,
                read,
                // Who listens wants to see what is only counted, too.
                peek: if self.listener.is_some() { PEEK } else { 0 },
                follow_redirects,
                asked,
                timeouts,
            },
        );
    }

    /// Opens an exchange that fails as soon as the call has returned.
    fn refuse(&mut self, key: FlightKey, exchange: u32, name: NameId, detail: String, asked: Time, at: Time) {
        let (place, serial) = super::flight::place(self.opened(key, exchange, name, asked, None));
        self.exchanges[place].impossible = Some(detail);
        self.set_alarm(at, key, Alarm::Impossible(to_u32(place), serial));
    }

    /// Takes a place for an exchange.
    fn opened(
        &mut self,
        key: FlightKey,
        id: u32,
        name: NameId,
        asked: Time,
        wanted: Option<Vec<String>>,
    ) -> client::Token {
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let open = Open {
            serial,
            flight: key,
            id,
            name,
            asked,
            status: None,
            wanted,
            impossible: None,
            given_up: false,
            form: Form::Answer,
            shaken: None,
            bytes_sent: 0,
            bytes_received: 0,
            held: 0,
            request_id: Id::None,
        };
        let place = self.exchanges.insert(open);
        self.flights[key.at as usize].open.push(place);
        token(place, serial)
    }

    /// The client's token of a WebSocket that has not ended; none where it has, which a plugin may not know yet.
    fn open_socket(&self, key: FlightKey, exchange: u32, action: &str) -> Result<Option<client::Token>, String> {
        let flight = &self.flights[key.at as usize];
        if !flight.flow.as_ref().is_some_and(|flow| flow.knows_exchange(exchange)) {
            return Err(format!("`{action}` on exchange {exchange}, which was never opened"));
        }
        let Some(place) = flight.open.iter().copied().find(|&place| self.exchanges[place].id == exchange) else {
            return Ok(None);
        };
        let open = &self.exchanges[place];
        match open.impossible {
            Some(_) => Ok(None),
            None if matches!(open.form, Form::Opening | Form::Socket) => Ok(Some(token(place, open.serial))),
            None => Err(format!("`{action}` on exchange {exchange}, which is no WebSocket")),
        }
    }

    fn cancel(&mut self, key: FlightKey, exchange: u32) -> After {
        let flight = &self.flights[key.at as usize];
        if !flight.flow.as_ref().is_some_and(|flow| flow.knows_exchange(exchange)) {
            return After::Misuse(format!("`cancel` of exchange {exchange}, which was never opened"));
        }
        let open = flight.open.iter().copied().find(|&place| self.exchanges[place].id == exchange);
        if let Some(place) = open {
            let open = &mut self.exchanges[place];
            if open.impossible.is_some() {
                open.given_up = true;
            } else {
                self.client.cancel(token(place, open.serial));
            }
        }
        After::GoesOn
    }

    fn mark(&mut self, key: FlightKey, metric: u32, since: Since, weight: u32, at: Time) -> After {
        if let Some(misuse) = self.wrong_metric(key, metric, MetricKind::Mark) {
            return misuse;
        }
        let flight = &self.flights[key.at as usize];
        let lap = flight.notes.laps.iter().position(|&(of, _)| of == metric);
        let from = match since {
            Since::Due => Some(flight.job.due),
            Since::Previous => lap.map(|lap| flight.notes.laps[lap].1),
            Since::Asked(exchange) => match self.asked_time(flight, exchange) {
                None => return After::Misuse(format!("`mark` since exchange {exchange}, which was never asked for")),
                asked => asked,
            },
        };
        let notes = &mut self.flights[key.at as usize].notes;
        match lap {
            Some(lap) => notes.laps[lap].1 = at,
            None => notes.laps.push((metric, at)),
        }
        if let Some(from) = from {
            let sample = MarkSample { metric, interval: at.since(from), weight };
            notes.marks.push(sample);
            if let Some(listener) = &mut self.listener {
                listener.marked(sample);
            }
        }
        After::GoesOn
    }

    /// When an exchange of the iteration was asked for.
    fn asked_time(&self, flight: &Flight, exchange: u32) -> Option<Time> {
        let open = flight.open.iter().map(|&place| &self.exchanges[place]);
        open.filter(|open| open.id == exchange)
            .map(|open| open.asked)
            .chain(flight.notes.exchanges.iter().filter(|ended| ended.id == exchange).map(|ended| ended.asked))
            .next()
    }

    /// The misuse of a metric that is not there, or of another kind.
    fn wrong_metric(&self, key: FlightKey, metric: u32, kind: MetricKind) -> Option<After> {
        let metrics = &self.workloads[self.flights[key.at as usize].job.workload].metrics;
        match metrics.get(metric as usize) {
            Some(&found) if found == kind => None,
            Some(found) => Some(After::Misuse(format!("metric {metric} is a {found:?}, not a {kind:?}"))),
            None => Some(After::Misuse(format!("metric {metric} of {}", metrics.len()))),
        }
    }

    /// Ends an iteration as its plugin says.
    fn finish(&mut self, key: FlightKey, at: Time, verdict: &Verdict) {
        let reason: Cow<'static, str> = match verdict {
            Verdict::Ok => return self.end(key, at, Outcome::Ok),
            Verdict::Cancelled => return self.end(key, at, Outcome::Cancelled),
            Verdict::Failed(text) => check_reason(text),
            Verdict::FailedBy(exchange) => {
                let Some(reason) = self.exchange_reason(&self.flights[key.at as usize], *exchange) else {
                    let text = format!("`finish` by exchange {exchange}, which has neither failed nor been answered");
                    return self.misuse(key, at, text);
                };
                reason
            }
        };
        self.end(key, at, Outcome::Failed(&reason));
    }

    /// The reason an exchange gives for a failed iteration.
    fn exchange_reason(&self, flight: &Flight, exchange: u32) -> Option<Cow<'static, str>> {
        if let Some(ended) = flight.notes.exchanges.iter().find(|ended| ended.id == exchange) {
            return ended.reason();
        }
        let mut open = flight.open.iter().map(|&place| &self.exchanges[place]);
        open.find(|open| open.id == exchange).and_then(|open| open.status).map(http_reason)
    }

    /// The series of a request: the name it gives, else its method and path without query. Leaves the text in
    /// `self.name`, so that a known name costs no allocation.
    fn request_name(&mut self, key: FlightKey, request: &Request) -> NameId {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        if let Some(given) = request.name.as_deref().filter(|name| !name.is_empty()) {
            name.push_str(given);
        } else {
            let path = request.path_with_query.split('?').next().unwrap_or_default();
            let what = if request.read == ReadMode::Socket { "WebSocket" } else { &request.method };
            let _ = write!(name, "{what} {path}");
        }
        let id = self.name_of(key, &name);
        self.name = name;
        id
    }

    fn name_of(&mut self, key: FlightKey, name: &str) -> NameId {
        let workload = self.flights[key.at as usize].job.workload;
        self.recorder.name(workload, &cut(name, NAME_LONGEST))
    }
}

/// The failure reason of a plugin's own judgement.
pub(crate) fn check_reason(text: &str) -> Cow<'static, str> {
    const LONGEST: usize = 200;
    // One line: reasons stand in tables.
    Cow::Owned(format!("check: {}", cut(text.trim(), LONGEST).replace(|c: char| c.is_control(), " ")))
}

/// The client's read mode, or why this request cannot be made.
pub(crate) fn read_mode(request: &Request) -> Result<client::ReadMode, String> {
    if let Some((name, _)) = request.extensions.first() {
        return Err(format!("extension {name:?} is not known to this version of the engine, which has none"));
    }
    Ok(match request.read {
        ReadMode::Head => client::ReadMode::Head,
        ReadMode::Whole(most) if (1..=WHOLE_MOST).contains(&most) => client::ReadMode::Whole(most),
        ReadMode::Whole(most) => return Err(format!("read mode whole({most}): 1 to {WHOLE_MOST} bytes")),
        ReadMode::Events => client::ReadMode::Events,
        ReadMode::Lines => client::ReadMode::Lines,
        ReadMode::Chunks => client::ReadMode::Chunks,
        ReadMode::Count => client::ReadMode::Count,
        ReadMode::Socket => client::ReadMode::Socket,
    })
}
