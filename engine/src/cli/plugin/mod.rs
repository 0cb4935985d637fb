//! `engine plugin`: what a plugin's author and its users do with a file, one file a subcommand.

mod build;
mod inspect;
mod new;
mod sheet;
#[cfg(test)]
mod tests;

use clap::Subcommand;

use super::exit::{Exit, Failure};

/// `engine plugin`.
#[derive(Debug, Subcommand)]
pub(super) enum Plugin {
    /// Make a folder with a workload of your own that builds and tests as it is
    New(new::New),
    /// Build the plugin of a folder: compile it, make a component of it, check it as a run would
    Build(build::Build),
    /// Show what a plugin is: interface, imports, memory, origin, metrics, configuration, size, SHA-256
    Inspect(inspect::Inspect),
}

/// Does what is asked for.
///
/// # Errors
/// As the subcommand says.
pub(super) fn run(plugin: &Plugin) -> Result<Exit, Failure> {
    match plugin {
        Plugin::New(arguments) => new::run(arguments),
        Plugin::Build(arguments) => build::run(arguments),
        Plugin::Inspect(arguments) => inspect::run(arguments),
    }
}
