//! The `engine` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine::cli::main().into()
}
