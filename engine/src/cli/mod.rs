//! The command line program: one file a subcommand.

mod args;
mod configs;
mod course;
pub mod exit;
mod keep;
mod machine;
mod output;
mod plugin;
mod prepare;
mod probes;
mod progress;
mod repeat;
mod report;
mod requests;
mod run;
mod setup;
mod signals;
mod stub;
mod trace;
mod trial;
mod verify;
mod watch;

use std::io::IsTerminal;

use clap::Parser;

use args::{Arguments, Command};
use exit::{Exit, Failure};
use tokio::task::LocalSet;

/// Reads the command line, does what it asks for, and gives the exit status. What went wrong is on stderr.
pub fn main() -> Exit {
    let mut arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no faults; a closed pipe while printing them is none either.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Passed };
        }
    };
    if let Command::Run(run) = &mut arguments.command {
        run.scenario = run.scenario.take().or_else(|| run.file.take());
    }
    let done = match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Try(arguments) => trial::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Plugin(plugin) => plugin::run(plugin),
    };
    done.unwrap_or_else(|failure| {
        output::say(&failure.text);
        failure.exit
    })
}

/// Whether stderr may show colours.
fn colours_on_stderr() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Runs the commander's part of a command, with room for tasks of its thread only.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Internal, format!("no runtime: {error}")))?;
    LocalSet::new().block_on(&runtime, work)
}
