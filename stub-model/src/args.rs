//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use stub_model::small::{DEFAULT_TOKEN, Settings};

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
    Small(Small),
}

/// Settings of the small target.
#[derive(Debug, clap::Args)]
pub(crate) struct Small {
    /// Address to listen on; port 0 takes any free one, which is printed
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Allow an address that other machines can reach
    #[arg(long)]
    allow_remote: bool,

    /// Append every finished exchange to this file, a line of JSON each
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Stop when the process that started this one ends
    #[arg(long)]
    pub(crate) die_with_parent: bool,

    /// Decides the ids and names in the lists
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The bearer token that logging in gives and the lists want
    #[arg(long, value_name = "TOKEN", env = "STUB_TOKEN", hide_env_values = true, default_value = DEFAULT_TOKEN,
          value_parser = token)]
    token: String,
}

impl From<Small> for Settings {
    fn from(small: Small) -> Self {
        Self {
            listen: small.listen,
            allow_remote: small.allow_remote,
            journal_file: small.journal,
            seed: small.seed,
            token: small.token,
            ..Self::default()
        }
    }
}

/// A token must be able to stand in a request field.
fn token(text: &str) -> Result<String, &'static str> {
    let visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if visible { Ok(text.to_owned()) } else { Err("a token is visible ASCII without spaces, one character at least") }
}
