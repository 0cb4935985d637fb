//! `floor open`: requests at a constant rate, on epoll and one absolute timer, in one thread.

mod connection;
mod timer;

use std::time::Duration;

use anyhow::{Result, ensure};
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use serde::Serialize;
use stub_model::clock::monotonic_ns;

use crate::origin::Origin;
use crate::process;
use crate::times::{Figures as TimesFigures, Times};
use connection::Connection;
use timer::Timer;

/// From the start of the program's work to the first request, so that all is ready by then.
const AHEAD_NS: u64 = 20_000_000;

/// Requests that may be sent before answers are looked for.
const AT_ONCE: u64 = 16;

/// Room for an answer.
const ROOM: usize = 16 * 1024;

/// Events that are taken at once.
const EVENTS: usize = 256;

/// The timer among the events; connections have their own numbers.
const TIMER: u64 = u64::MAX;

/// How long nothing may happen at all before the target is given up.
const PATIENCE: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };

#[derive(Debug, clap::Args)]
pub(crate) struct Open {
    /// What to GET
    #[arg(long)]
    url: String,
    /// Requests per second
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// For how long
    #[arg(long, value_name = "TIME", default_value = "8s", value_parser = humantime::parse_duration)]
    duration: Duration,
    /// Sleep to whole multiples of this time only; 0 for the very moment
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = humantime::parse_duration)]
    tick: Duration,
    /// Connections opened beforehand; more are opened when they are needed
    #[arg(long, value_name = "N", default_value_t = 1)]
    connections: u32,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    floor: &'static str,
    requests: u64,
    seconds: f64,
    connections: usize,
    /// From the due time to the moment before the request was handed to the socket.
    lateness: TimesFigures,
    /// From the due time to the end of the answer.
    response: TimesFigures,
}

/// When what is due, in nanoseconds of the monotonic clock.
#[derive(Debug)]
struct Schedule {
    start_ns: u64,
    rate: u64,
    total: u64,
    tick_ns: u64,
}

impl Schedule {
    fn new(start_ns: u64, rate: u32, duration: Duration, tick: Duration) -> Self {
        let total = duration.as_nanos() * u128::from(rate) / 1_000_000_000;
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        Self { start_ns, rate: rate.into(), total, tick_ns: u64::try_from(tick.as_nanos()).unwrap_or(u64::MAX) }
    }

    /// When request `k` is due, counted from 0; none past the last.
    fn due_ns(&self, k: u64) -> Option<u64> {
        (k < self.total)
            .then(|| self.start_ns + k / self.rate * 1_000_000_000 + k % self.rate * 1_000_000_000 / self.rate)
    }

    /// When to wake for what is due then.
    fn wake_ns(&self, due_ns: u64) -> u64 {
        match self.tick_ns {
            0 => due_ns,
            tick => self.start_ns + (due_ns - self.start_ns).div_ceil(tick) * tick,
        }
    }
}

/// The loop's state.
struct Loop {
    origin: Origin,
    request: Vec<u8>,
    epoll: OwnedFd,
    connections: Vec<Connection>,
    idle: Vec<usize>,
    lateness: Times,
    response: Times,
    done: u64,
}

impl Open {
    pub(crate) fn run(&self) -> Result<Figures> {
        process::raise_descriptor_limit();
        let origin = Origin::of(&self.url)?;
        let mut running = Loop {
            request: origin.get(),
            origin,
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            connections: Vec::new(),
            idle: Vec::new(),
            lateness: Times::new(),
            response: Times::new(),
            done: 0,
        };
        for _ in 0..self.connections {
            let number = running.connect()?;
            running.idle.push(number);
        }
        let start_ns = monotonic_ns() + AHEAD_NS;
        running.work(&Schedule::new(start_ns, self.rate, self.duration, self.tick))?;
        let seconds = (monotonic_ns() - start_ns) as f64 / 1e9;
        Ok(Figures {
            floor: "open",
            requests: running.done,
            seconds,
            connections: running.connections.len(),
            lateness: running.lateness.figures(),
            response: running.response.figures(),
        })
    }
}

impl Loop {
    fn work(&mut self, schedule: &Schedule) -> Result<()> {
        let mut timer = Timer::new()?;
        epoll::add(
            &self.epoll,
            timer.descriptor(),
            epoll::EventData::new_u64(TIMER),
            epoll::EventFlags::IN | epoll::EventFlags::ET,
        )?;
        let mut events = Vec::with_capacity(EVENTS);
        let mut buffer = vec![0; ROOM];
        let mut next = 0;
        while self.done < schedule.total {
            let most = next + AT_ONCE;
            while let Some(due_ns) = schedule.due_ns(next).filter(|due_ns| next < most && *due_ns <= monotonic_ns()) {
                self.send(due_ns)?;
                next += 1;
            }
            if let Some(due_ns) = schedule.due_ns(next) {
                timer.arm(schedule.wake_ns(due_ns))?;
            }
            epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&PATIENCE))?;
            ensure!(!events.is_empty(), "the target was silent for {} s", PATIENCE.tv_sec);
            for event in events.drain(..) {
                match event.data.u64() {
                    // An edge: there is no need to read it before it is armed again.
                    TIMER => timer.fired(),
                    number => self.receive(usize::try_from(number)?, &mut buffer)?,
                }
            }
        }
        Ok(())
    }

    fn connect(&mut self) -> Result<usize> {
        let number = self.connections.len();
        let connection = Connection::open(self.origin.address)?;
        let data = epoll::EventData::new_u64(number as u64);
        epoll::add(&self.epoll, connection.stream(), data, epoll::EventFlags::IN | epoll::EventFlags::ET)?;
        self.connections.push(connection);
        Ok(number)
    }

    fn send(&mut self, due_ns: u64) -> Result<()> {
        let number = match self.idle.pop() {
            Some(number) => number,
            None => self.connect()?,
        };
        self.lateness.record(monotonic_ns().saturating_sub(due_ns));
        self.connections[number].send(&self.request, due_ns)
    }

    fn receive(&mut self, number: usize, buffer: &mut [u8]) -> Result<()> {
        let connection = &mut self.connections[number];
        if connection.receive(buffer)? {
            self.response.record(monotonic_ns().saturating_sub(connection.due_ns()));
            self.done += 1;
            self.idle.push(number);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_times_are_even_and_as_many_as_the_rate_says() {
        let schedule = Schedule::new(1_000, 3, Duration::from_secs(2), Duration::ZERO);
        let due: Vec<_> = (0..8).map(|k| schedule.due_ns(k)).collect();
        let some = [1_000, 333_334_333, 666_667_666, 1_000_001_000, 1_333_334_333, 1_666_667_666].map(Some);
        assert_eq!(due[..6], some);
        assert_eq!(due[6..], [None, None]);
        assert_eq!(schedule.wake_ns(333_334_333), 333_334_333);
    }

    #[test]
    fn a_tick_is_counted_from_the_start_and_never_early() {
        let schedule = Schedule::new(1_000, 10_000, Duration::from_secs(1), Duration::from_millis(1));
        assert_eq!(schedule.wake_ns(1_000), 1_000);
        assert_eq!(schedule.wake_ns(1_001), 1_001_000);
        assert_eq!(schedule.wake_ns(1_001_000), 1_001_000);
        assert_eq!(schedule.wake_ns(1_001_001), 2_001_000);
    }
}
