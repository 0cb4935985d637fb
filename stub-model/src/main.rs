//! The binary `stub-model`: reads its arguments and serves until it is told to stop.

mod args;
mod parent;
mod stop;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use stub_model::listen::ListenError;
use stub_model::server::StartError;
use stub_model::small::{self, Settings};
use tokio::task::LocalSet;

use args::{Args, Command, Small};
use parent::Parent;

/// Exit status of a stub that could not start or could not write its journal.
const FAILED: u8 = 1;

/// Exit status of arguments that cannot be honoured.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    // First of all, since the parent may end at any time.
    let parent = Parent::now();
    let Command::Small(small) = Args::parse().command;
    match serve(small, parent) {
        Ok(()) => ExitCode::SUCCESS,
        Err((status, message)) => {
            eprintln!("error: {message}");
            ExitCode::from(status)
        }
    }
}

/// Serves the small target to its end. An error is an exit status and a text.
fn serve(small: Small, parent: Parent) -> Result<(), (u8, String)> {
    let failed = |error: &dyn std::fmt::Display| (FAILED, error.to_string());
    stop::raise_descriptor_limit();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| failed(&error))?;
    let die_with_parent = small.die_with_parent;
    let settings = Settings::from(small);
    LocalSet::new().block_on(&runtime, async move {
        let requested = stop::Requests::listen().map_err(|error| failed(&error))?;
        let (server, handle) = small::bind(&settings).map_err(|error| match error {
            StartError::Listen(ListenError::Remote(_)) => (BAD_USAGE, error.to_string()),
            _ => failed(&error),
        })?;
        let parent_gone = die_with_parent.then(|| parent.watch()).transpose().map_err(|error| failed(&error))?;
        announce(&handle.url());
        tokio::task::spawn_local(async move {
            let gone = async {
                match parent_gone {
                    Some(watch) => watch.gone().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = requested.next() => {}
                () = gone => {}
            }
            // Only fails where the server has ended by itself.
            let _ = handle.stop().await;
        });
        server.run().await.map_err(|error| failed(&error))
    })
}

/// Tells the parent where to connect. A parent that closed its end knows the port by other means.
fn announce(url: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "listening on {url}").and_then(|()| out.flush());
}
