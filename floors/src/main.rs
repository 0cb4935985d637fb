//! The binary `floor`: what the engine's speed is measured against.
//!
//! Each client does the same exchanges as the engine and as little else as can be: no plugin, no limits, no report. What
//! the engine needs beyond its floor is what all that costs. Each prints one line of JSON.

mod answer;
mod closed;
mod open;
mod origin;
mod process;
mod streams;
mod target;
mod times;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use stub_model::parent::Parent;

/// The leanest clients that do what a load engine does, and a lean target.
#[derive(Debug, Parser)]
#[command(name = "floor", version, about)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// So many connections, each asking again as soon as it has its answer
    Closed(closed::Closed),
    /// An open schedule at a constant rate: epoll, one timer, a request made beforehand
    Open(open::Open),
    /// So many event streams at once, each event decoded
    Streams(streams::Streams),
    /// A target that costs little: GET /small and /slow?ms=N, POST /v1/chat/completions, GET /count
    Target(target::Target),
}

fn main() -> ExitCode {
    // First of all, since the parent may end at any time.
    let parent = Parent::now();
    let ran = match Args::parse().command {
        Command::Closed(closed) => closed.run().and_then(|figures| process::say(&figures)),
        Command::Open(open) => open.run().and_then(|figures| process::say(&figures)),
        Command::Streams(streams) => streams.run().and_then(|figures| process::say(&figures)),
        Command::Target(target) => target.run(parent),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
