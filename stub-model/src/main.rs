//! The binary `stub-model`: reads its arguments and serves until it is told to stop.

mod args;
mod stop;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use stub_model::listen::ListenError;
use stub_model::parent::Parent;
use stub_model::server::{Handle, Server, StartError};
use stub_model::{model, platform, small};
use tokio::task::LocalSet;

use args::{Args, Command};
use stop::Wish;

/// Exit status of a stub that could not start or could not write its journal.
const FAILED: u8 = 1;

/// Exit status of arguments that cannot be honoured.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    // First of all, since the parent may end at any time.
    let parent = Parent::now();
    let served = match Args::parse().command {
        Command::Small(args) => serve(args.common.parent(parent), || small::bind(&args.into())),
        Command::Model(args) => serve(args.common.parent(parent), || model::bind(&args.into())),
        Command::Platform(args) => serve(args.common.parent(parent), || platform::bind(&args.into())),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err((status, message)) => {
            eprintln!("error: {message}");
            ExitCode::from(status)
        }
    }
}

/// Serves to the end, which is also that of `parent` where there is one. An error is an exit status and a text.
fn serve(
    parent: Option<Parent>,
    bind: impl FnOnce() -> Result<(Server, Handle), StartError>,
) -> Result<(), (u8, String)> {
    let failed = |error: &dyn std::fmt::Display| (FAILED, error.to_string());
    stop::raise_descriptor_limit();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| failed(&error))?;
    LocalSet::new().block_on(&runtime, async move {
        let mut requested = stop::Requests::listen().map_err(|error| failed(&error))?;
        let (server, handle) = bind().map_err(|error| match error {
            StartError::Listen(ListenError::Remote(_)) | StartError::Setting(_) => (BAD_USAGE, error.to_string()),
            _ => failed(&error),
        })?;
        let parent_gone = parent.map(Parent::watch).transpose().map_err(|error| failed(&error))?;
        announce(&handle.url());
        tokio::task::spawn_local(async move {
            let gone = async {
                match parent_gone {
                    Some(watch) => watch.gone().await,
                    None => std::future::pending().await,
                }
            };
            let asked = async {
                loop {
                    // Only fails where the server has ended by itself.
                    let _ = match requested.next().await {
                        Wish::Stop => return,
                        Wish::Pause => handle.pause(),
                        Wish::Resume => handle.resume(),
                    };
                }
            };
            tokio::select! {
                () = asked => {}
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
