//! `cargo xtask …`: see `cargo xtask help`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{compare, counts, guests, root, wit};

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Builds every plugin of plugins/ into plugins/components/
    Guests {
        /// Builds nothing: says which committed components are older than their source
        #[arg(long)]
        check: bool,
    },
    /// Sets this engine beside other load tools that are installed (wrk, oha, k6), seen from the target; prints a table
    Compare {
        /// What to compare
        subject: compare::Subject,
        /// How often each tool takes its turn
        #[arg(long, value_name = "N", default_value_t = 1)]
        rounds: u32,
        #[command(flatten)]
        options: compare::Options,
    },
    /// Counts the instructions of the hot path under valgrind; fails where they grew beyond engine/benches/counts.toml
    Counts {
        /// Writes engine/benches/counts.toml anew
        #[arg(long)]
        accept: bool,
    },
    /// Compares the items of wit/ with wit/items.txt
    Wit {
        /// Writes wit/items.txt anew and prints the line that CHANGELOG.md needs
        #[arg(long)]
        accept: bool,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let root = root()?;
    match arguments.command {
        Command::Guests { check: false } => {
            for component in guests::build(&root)? {
                println!("{:<24} {:>9} bytes  sha256 {}", component.file, component.size, component.sha256);
            }
            Ok(())
        }
        Command::Guests { check: true } => faults(&guests::check(&root)?),
        Command::Compare { subject, rounds, ref options } => {
            compare::run(&root, subject, rounds, options, |text| println!("{text}"))
        }
        Command::Counts { accept: true } => {
            let counted = counts::count(&root)?;
            println!("{}", counts::remarks(&counted, &counted).join("\n"));
            counted.write(&root)
        }
        Command::Counts { accept: false } => {
            let limits = counts::Limits::read(&root)?;
            let counted = counts::count(&root)?;
            println!("{}", counts::remarks(&limits, &counted).join("\n"));
            faults(&limits.faults(&counted))
        }
        Command::Wit { accept: true } => {
            println!("{}", wit::accept(&root)?);
            Ok(())
        }
        Command::Wit { accept: false } => faults(&wit::check(&root)?),
    }
}

/// Each fault is printed; one is enough to fail.
fn faults(found: &[String]) -> anyhow::Result<()> {
    anyhow::ensure!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}
