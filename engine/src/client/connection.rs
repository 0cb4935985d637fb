//! The task of one connection: opens it, serves exchanges, waits for the next, and gives its place back.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc;

use super::Event;
use super::connect::{self, Dialed, Stage};
use super::deadline::Alarm;
use super::exchange::Exchange;
use super::failure::{Failure, Reason};
use super::http1::Http1;
use super::pool::{Lease, Next};
use super::serve::{Served, serve};
use super::usage::bump;
use super::wire::Wire;
use crate::clock::Time;

/// What a connection is opened for.
pub(super) enum Purpose {
    /// To serve this exchange first.
    Exchange(Box<Exchange>),
    /// To lie ready. The outcome is told once.
    Idle(mpsc::UnboundedSender<Result<(), Failure>>),
}

/// Why a connection was not opened.
enum NotOpened {
    Cancelled,
    Aborted,
    TimedOut(Stage),
    Failed(Failure),
}

/// Runs a connection to its end.
pub(super) async fn run(mut lease: Lease, purpose: Purpose) {
    let (pool, seat) = (Rc::clone(&lease.pool), Rc::clone(&lease.seat));
    let (mut connected, mut given) = match purpose {
        Purpose::Exchange(exchange) => (None, Some(exchange)),
        Purpose::Idle(outcome) => {
            let opened = open_idle(&lease).await;
            let told = opened.as_ref().map(|_| ()).map_err(Clone::clone);
            let kept = opened.ok().and_then(|http| proceed(lease, http, pool.release(&seat)));
            // Told when the connection can be had, or its place is free again. Whoever asked may have gone.
            let _ = outcome.send(told);
            let Some((back, http, next)) = kept else { return };
            lease = back;
            (Some(http), next)
        }
    };
    loop {
        let asked = match given.take() {
            Some(exchange) => Some(exchange),
            None => rest(&lease, &mut connected).await,
        };
        let Some(mut exchange) = asked else { return };
        let token = exchange.token;
        exchange.timings.reused = connected.is_some();
        let mut http = match connected.take() {
            Some(http) => {
                bump(&pool.counts.reused);
                http
            }
            None => match open_for(&lease, &mut exchange).await {
                Ok(http) => http,
                Err(event) => {
                    pool.forget(&seat, token);
                    drop(lease);
                    if let Some(event) = event {
                        pool.deliver(token, event);
                    }
                    return;
                }
            },
        };
        let (event, keep) = match serve(&mut http, &pool, &seat, &mut exchange).await {
            Served::Ended { event, keep } => (Some(event), keep),
            Served::Redirected { keep } => (None, keep),
            // On a fresh connection in the same place, so that it waits behind nobody.
            Served::Again => {
                given = Some(exchange);
                continue;
            }
            Served::Aborted => return,
        };
        // The place is free, or in other hands, before the sink hears of the end: what it then sends finds it.
        pool.forget(&seat, token);
        let kept = if keep {
            let next = if http.is_reusable() { pool.release(&seat) } else { Next::Close };
            proceed(lease, http, next)
        } else {
            drop(http);
            drop(lease);
            None
        };
        match event {
            Some(event) => pool.deliver(token, event),
            None => pool.place(exchange),
        }
        let Some((back, http, next)) = kept else { return };
        (lease, connected, given) = (back, Some(http), next);
    }
}

/// Does with a free connection what the pool says. Gives it back with the exchange it is to serve, if there is one;
/// none where it was closed and its place given up.
fn proceed(lease: Lease, http: Box<Http1>, next: Next) -> Option<(Lease, Box<Http1>, Option<Box<Exchange>>)> {
    let instead = match next {
        Next::Serve(exchange) => return Some((lease, http, Some(exchange))),
        Next::Idle => return Some((lease, http, None)),
        Next::Replace(exchange) => Some(exchange),
        Next::Close => None,
    };
    http.close();
    let pool = Rc::clone(&lease.pool);
    drop(lease);
    if let Some(exchange) = instead {
        pool.connect(exchange);
    }
    None
}

/// Waits for the next exchange on an idle connection; none when it has been closed.
async fn rest(lease: &Lease, connected: &mut Option<Box<Http1>>) -> Option<Box<Exchange>> {
    let http = connected.as_mut()?;
    let until = http.wire.last_read() + lease.pool.settings.idle_age;
    let given = http.idle(&lease.seat, until).await;
    if given.is_none() {
        lease.pool.leave_idle(&lease.seat);
        if let Some(http) = connected.take() {
            http.close();
        }
    }
    given
}

/// Opens a connection for nobody in particular.
async fn open_idle(lease: &Lease) -> Result<Box<Http1>, Failure> {
    let until = lease.pool.clock.now() + lease.pool.settings.warm_up_timeout;
    match open(lease, until).await {
        Ok((http, _)) => Ok(http),
        Err(NotOpened::Failed(failure)) => Err(failure),
        Err(NotOpened::TimedOut(stage)) => Err(Failure::new(Reason::TimeoutConnect, stage.to_string())),
        Err(NotOpened::Aborted | NotOpened::Cancelled) => Err(Failure::new(Reason::Other, "the client is gone")),
    }
}

/// Opens a connection for an exchange. The error is its final event; none where nobody listens any more.
async fn open_for(lease: &Lease, exchange: &mut Exchange) -> Result<Box<Http1>, Option<Event>> {
    let clock = &lease.pool.clock;
    let connect_until = clock.now() + exchange.request.timeouts.connect;
    let until = connect_until.min(exchange.deadline());
    let not_opened = match open(lease, until).await {
        Ok((http, dialed)) => {
            let timings = &mut exchange.timings;
            timings.dns = sum(timings.dns, dialed.dns);
            timings.connect = sum(timings.connect, Some(dialed.connect));
            timings.tls = sum(timings.tls, dialed.tls);
            return Ok(http);
        }
        Err(not_opened) => not_opened,
    };
    let failure = match not_opened {
        NotOpened::Aborted => return Err(None),
        NotOpened::Cancelled => return Err(Some(exchange.cancelled(clock.now()))),
        NotOpened::TimedOut(stage) => {
            let reason = if until < connect_until { Reason::TimeoutTotal } else { Reason::TimeoutConnect };
            Failure::new(reason, stage.to_string())
        }
        NotOpened::Failed(failure) => failure,
    };
    Err(Some(exchange.failed(None, failure, clock.now())))
}

fn sum(first: Option<Duration>, second: Option<Duration>) -> Option<Duration> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first + second),
        (one, other) => one.or(other),
    }
}

/// How long the parts of an opening took.
struct Durations {
    dns: Option<Duration>,
    connect: Duration,
    tls: Option<Duration>,
}

async fn open(lease: &Lease, until: Time) -> Result<(Box<Http1>, Durations), NotOpened> {
    let Lease { pool, seat } = lease;
    let wire = Wire::new(Rc::clone(&pool.clock));
    let stage = Cell::new(Stage::Name);
    let dialing = async {
        let Dialed { stream, dns, connect, tls } =
            connect::dial(&*pool.network, &*pool.clock, &seat.origin, &pool.settings.tls.config, &wire, until, &stage)
                .await?;
        let http = Http1::open(pool, stream, Rc::clone(&wire)).await?;
        Ok((Box::new(http), Durations { dns, connect, tls }))
    };
    let mut dialing = pin!(dialing);
    let mut alarm = Alarm::new();
    let outcome = poll_fn(|cx| {
        seat.set_waker(cx.waker().clone());
        if seat.is_aborted() {
            return Poll::Ready(Err(NotOpened::Aborted));
        }
        if seat.is_cancelled() {
            return Poll::Ready(Err(NotOpened::Cancelled));
        }
        if let Poll::Ready(dialed) = dialing.as_mut().poll(cx) {
            return Poll::Ready(dialed.map_err(NotOpened::Failed));
        }
        if alarm.passed(until, &*pool.clock, cx) {
            return Poll::Ready(Err(NotOpened::TimedOut(stage.get())));
        }
        Poll::Pending
    })
    .await;
    match &outcome {
        Ok(_) => bump(&pool.counts.connects),
        Err(NotOpened::Failed(_) | NotOpened::TimedOut(_)) => bump(&pool.counts.connects_failed),
        Err(NotOpened::Aborted | NotOpened::Cancelled) => {}
    }
    outcome
}
