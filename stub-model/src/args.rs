//! The command line.

mod faults;
mod model;
mod platform;
mod small;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use stub_model::parent::Parent;
use stub_model::server;

/// Targets for load tests: small servers that answer as asked and record what arrives.
#[derive(Debug, Parser)]
#[command(name = "stub-model", version, about)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Which target to be.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A small HTTP target: fixed, echoed and slow answers, faults, and lists behind a log-in
    Small(small::Small),
    /// A model for chat completions and embeddings, paced, with faults at set rates
    Model(model::Model),
    /// A platform of agents, searches and webhooks that calls a model and guards its work with a connection pool
    Platform(Box<platform::Platform>),
}

/// What every target can be told.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Common {
    /// Allow an address that other machines can reach
    #[arg(long)]
    allow_remote: bool,

    /// Append every request to this file when it has ended, a line of JSON each, between a first and a last line that
    /// tell what they are about
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Stop when the process that started this one ends; its id, where it may have ended already
    #[arg(long, value_name = "PID", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    die_with_parent: Option<i32>,

    #[command(flatten)]
    faults: faults::Faults,
}

impl Common {
    /// The process to end with, if there is one.
    pub(crate) fn parent(&self, now: Parent) -> Option<Parent> {
        self.die_with_parent.map(|id| Parent::of(id).unwrap_or(now))
    }

    /// The settings of a server at this address, where the seed decides which faults befall whom.
    fn server(&self, listen: SocketAddr, seed: u64) -> server::Settings {
        server::Settings {
            listen,
            allow_remote: self.allow_remote,
            journal_file: self.journal.clone(),
            faults: self.faults.settings(seed),
            ..server::Settings::default()
        }
    }
}

/// A token must be able to stand in a request field.
fn token(text: &str) -> Result<String, &'static str> {
    let visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if visible { Ok(text.to_owned()) } else { Err("a token is visible ASCII without spaces, one character at least") }
}

/// A part of a whole: 0 to 1.
fn part(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("a number from 0 to 1 is wanted"),
    }
}
