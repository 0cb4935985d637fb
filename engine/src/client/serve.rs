//! One exchange on one connection: from the request to its event.

use http::{HeaderMap, header};
use hyper::body::{Body, Incoming};

use super::body::Reader;
use super::exchange::Exchange;
use super::failure::{Failure, Reason};
use super::http1::{Http1, Limits, Lost};
use super::pool::Pool;
use super::seat::Seat;
use super::usage::bump;
use super::wire::Wire;
use super::{Event, redirect, socket};
use crate::clock::Time;

// The body of a redirect that is read to keep its connection; a larger one costs less to cut off.
const MOST_DRAINED: u64 = 64 * 1024;

/// How serving an exchange ended.
#[expect(clippy::large_enum_variant, reason = "the large one is the usual one, and is moved once")]
pub(super) enum Served {
    /// With this final event. The connection may serve another if `keep`.
    Ended {
        /// The event, still to be delivered.
        event: Event,
        /// Whether the answer was read to its end.
        keep: bool,
    },
    /// The exchange goes on as a redirect says.
    Redirected {
        /// As above.
        keep: bool,
    },
    /// The exchange is to be sent again on a fresh connection.
    Again,
    /// The client is gone.
    Aborted,
}

/// What cut an answer short.
pub(super) enum Cut {
    Lost(Lost),
    Refused(Failure),
}

impl From<Lost> for Cut {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

impl From<Failure> for Cut {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

/// Sends an exchange's request and reads its answer.
pub(super) async fn serve(http: &mut Http1, pool: &Pool, seat: &Seat, exchange: &mut Exchange) -> Served {
    let response = match http.ask(seat, exchange).await {
        Ok(response) => response,
        Err(lost) => return give_up(http, pool, exchange, None, Cut::Lost(lost)),
    };
    let (parts, mut body) = response.into_parts();
    let status = parts.status.as_u16();
    let outcome = if let Some(outbox) = exchange.outbox.clone() {
        socket::serve(http, pool, seat, exchange, (status, parts.headers), &outbox).await
    } else if status == 101 {
        Err(Cut::Refused(Failure::new(Reason::Protocol, "the answer changes the protocol, which nobody asked for")))
    } else if exchange.redirects_left > 0
        && let Some(location) = redirect::location(status, &parts.headers)
    {
        match follow(http, pool, seat, exchange, status, location, &mut body).await {
            Ok(keep) => return Served::Redirected { keep },
            Err(cut) => Err(cut),
        }
    } else {
        receive(http, pool, seat, exchange, status, parts.headers, &mut body).await
    };
    match outcome {
        // A socket's connection has served for good.
        Ok(event) => Served::Ended { event, keep: exchange.outbox.is_none() },
        Err(cut) => give_up(http, pool, exchange, Some(status), cut),
    }
}

/// Reads an answer to its end, handing over what its mode hands over on the way.
async fn receive(
    http: &mut Http1,
    pool: &Pool,
    seat: &Seat,
    exchange: &mut Exchange,
    status: u16,
    fields: HeaderMap,
    body: &mut Incoming,
) -> Result<Event, Cut> {
    let (token, limits) = (exchange.token, Limits::of(exchange));
    let until_close = ends_with_connection(body, &fields);
    let mut reader = Reader::new(exchange.request.read, exchange.request.peek, &fields, body)?;
    let streamed = exchange.request.read.is_streamed();
    let fields = if streamed {
        pool.deliver(token, Event::Head { at: http.wire.last_read(), status, fields });
        HeaderMap::new()
    } else {
        fields
    };
    while let Some(bytes) = http.next(seat, limits, body).await? {
        exchange.timings.bytes_received += bytes.len() as u64;
        if let Some(items) = reader.push(bytes)? {
            pool.deliver(token, Event::Items { at: http.wire.last_read(), items });
        }
    }
    let end = end_of(&http.wire, until_close);
    if streamed {
        for items in reader.rest()?.into_iter().flatten() {
            pool.deliver(token, Event::Items { at: end, items });
        }
        Http1::check(seat)?;
        exchange.note(&http.wire);
        exchange.timings.end = end;
        return Ok(Event::End { status, timings: exchange.timings });
    }
    exchange.note(&http.wire);
    exchange.timings.end = end;
    Ok(match reader.whole() {
        Ok(body) => Event::Response { status, fields, body, timings: exchange.timings },
        Err(failure) => exchange.failed(Some(status), failure, end),
    })
}

/// Turns the exchange to where a redirect leads, and reads the rest of the answer if that is cheap. Whether it did.
async fn follow(
    http: &mut Http1,
    pool: &Pool,
    seat: &Seat,
    exchange: &mut Exchange,
    status: u16,
    location: &[u8],
    body: &mut Incoming,
) -> Result<bool, Cut> {
    let limits = Limits::of(exchange);
    redirect::apply(exchange, status, location, &pool.origins)?;
    let mut drained = 0;
    let mut keep = true;
    while let Some(bytes) = http.next(seat, limits, body).await? {
        drained += bytes.len() as u64;
        if drained > MOST_DRAINED {
            keep = false;
            break;
        }
    }
    Http1::check(seat)?;
    exchange.timings.bytes_received += drained;
    exchange.note(&http.wire);
    exchange.timings.first_byte = None;
    exchange.timings.redirects += 1;
    exchange.redirects_left -= 1;
    exchange.resent = false;
    Ok(keep)
}

/// Whether only the closing of the connection shows where a body ends.
fn ends_with_connection(body: &Incoming, fields: &HeaderMap) -> bool {
    let chunked = || {
        fields
            .get_all(header::TRANSFER_ENCODING)
            .iter()
            .any(|value| value.to_str().is_ok_and(|coding| coding.to_ascii_lowercase().trim_end().ends_with("chunked")))
    };
    !body.is_end_stream() && body.size_hint().exact().is_none() && !chunked()
}

fn end_of(wire: &Wire, until_close: bool) -> Time {
    if until_close { wire.closed().unwrap_or_else(|| wire.last_read()) } else { wire.last_read() }
}

/// The end of an exchange whose answer did not come, or not whole.
fn give_up(http: &Http1, pool: &Pool, exchange: &mut Exchange, status: Option<u16>, cut: Cut) -> Served {
    let wire = &*http.wire;
    let failure = match cut {
        Cut::Lost(Lost::Aborted) => return Served::Aborted,
        Cut::Lost(Lost::Cancelled) => {
            exchange.note(wire);
            return Served::Ended { event: exchange.cancelled(pool.clock.now()), keep: false };
        }
        Cut::Lost(Lost::TimedOut(reason)) => Failure::new(reason, progress(wire)),
        Cut::Lost(Lost::Broken(error)) => {
            let failure = explain(&error, wire);
            match if_stale(pool, exchange, wire, failure) {
                Ok(()) => return Served::Again,
                Err(failure) => failure,
            }
        }
        Cut::Refused(failure) => failure,
    };
    exchange.note(wire);
    Served::Ended { event: exchange.failed(status, failure, pool.clock.now()), keep: false }
}

/// What a failed connection means for the exchange it was serving: that it is to be sent again, or this failure.
fn if_stale(pool: &Pool, exchange: &mut Exchange, wire: &Wire, failure: Failure) -> Result<(), Failure> {
    if !exchange.timings.reused {
        return Err(failure);
    }
    if wire.sent().is_none() {
        // Found closed before anything was sent: as if it had never been chosen.
        return Ok(());
    }
    if wire.first_byte().is_some() || failure.reason != Reason::Reset {
        return Err(failure);
    }
    if exchange.is_idempotent() && !exchange.resent {
        exchange.resent = true;
        exchange.note_sizes(wire);
        exchange.timings.attempts_stale += 1;
        bump(&pool.counts.stale_resent);
        return Ok(());
    }
    Err(Failure::new(Reason::StaleConnection, format!("an idle connection was closed: {}", failure.detail)))
}

fn progress(wire: &Wire) -> String {
    if wire.first_byte().is_some() {
        format!("after {} bytes of the answer", wire.read())
    } else if wire.sent().is_some() {
        format!("after {} bytes of the request, before an answer", wire.written())
    } else {
        "before the request was sent".to_owned()
    }
}

/// hyper's error as a failure.
fn explain(error: &hyper::Error, wire: &Wire) -> Failure {
    let begun = wire.first_byte().is_some();
    if begun && wire.sent().is_none() {
        return Failure::new(Reason::Protocol, "the peer spoke before it was asked");
    }
    if error.is_parse() {
        return Failure::new(Reason::Protocol, error.to_string());
    }
    let closed = || {
        if begun {
            return Failure::new(Reason::Truncated, format!("closed {}", progress(wire)));
        }
        match wire.write_error() {
            Some(error) => Failure::of_io(&error),
            None => Failure::new(Reason::Reset, "closed before an answer"),
        }
    };
    match io_error_within(error) {
        Some(io) => match Failure::of_io(io) {
            failure if failure.reason != Reason::Other => failure,
            failure => match io.kind() {
                std::io::ErrorKind::UnexpectedEof => closed(),
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => {
                    Failure::new(Reason::Protocol, failure.detail)
                }
                _ => failure,
            },
        },
        None if error.is_incomplete_message() || error.is_canceled() || error.is_closed() => closed(),
        None => Failure::new(Reason::Other, error.to_string()),
    }
}

fn io_error_within(error: &hyper::Error) -> Option<&std::io::Error> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return Some(io);
        }
        source = error.source();
    }
    None
}
