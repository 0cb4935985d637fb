//! `engine plugin`: what a plugin's author and its users do with a file, one file a subcommand.

mod inspect;

use clap::Subcommand;

use super::exit::{Exit, Failure};

/// `engine plugin`.
#[derive(Debug, Subcommand)]
pub(super) enum Plugin {
    /// Show what a plugin is: interface, imports, metrics, configuration, size, SHA-256
    Inspect(inspect::Inspect),
}

/// Does what is asked for.
///
/// # Errors
/// As the subcommand says.
pub(super) fn run(plugin: &Plugin) -> Result<Exit, Failure> {
    match plugin {
        Plugin::Inspect(arguments) => inspect::run(arguments),
    }
}
