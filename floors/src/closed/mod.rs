//! `floor closed`: a closed loop, on three layers of what a client is made of.

mod bare;
mod pooled;
mod raw;

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;
use tokio::task::LocalSet;

use crate::origin::Origin;
use crate::process;

/// What it runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum On {
    /// A stream of tokio's; the request is made beforehand and of the answer only its end is looked for
    Raw,
    /// hyper's connection
    Hyper,
    /// hyper-util's client with its pool
    Pooled,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Closed {
    /// What to GET
    #[arg(long)]
    url: String,
    /// Connections
    #[arg(long, value_name = "N", default_value_t = 64)]
    connections: u32,
    /// For how long
    #[arg(long, value_name = "TIME", default_value = "8s", value_parser = humantime::parse_duration)]
    duration: Duration,
    #[arg(long)]
    on: On,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    floor: &'static str,
    on: On,
    requests: u64,
    seconds: f64,
}

/// What all connections share.
struct Work {
    origin: Origin,
    until: Instant,
    done: Cell<u64>,
}

impl Work {
    /// True while there is time for another request.
    fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }

    fn one_done(&self) {
        self.done.set(self.done.get() + 1);
    }
}

impl Closed {
    pub(crate) fn run(&self) -> Result<Figures> {
        process::raise_descriptor_limit();
        let origin = Origin::of(&self.url)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let start = Instant::now();
        let work = Rc::new(Work { origin, until: start + self.duration, done: Cell::new(0) });
        LocalSet::new().block_on(&runtime, async {
            let client = pooled::client();
            let connections: Vec<_> = (0..self.connections)
                .map(|_| {
                    let work = Rc::clone(&work);
                    match self.on {
                        On::Raw => tokio::task::spawn_local(raw::ask(work)),
                        On::Hyper => tokio::task::spawn_local(bare::ask(work)),
                        On::Pooled => tokio::task::spawn_local(pooled::ask(client.clone(), work)),
                    }
                })
                .collect();
            for connection in connections {
                connection.await??;
            }
            anyhow::Ok(())
        })?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Figures { floor: "closed", on: self.on, requests: work.done.get(), seconds })
    }
}
