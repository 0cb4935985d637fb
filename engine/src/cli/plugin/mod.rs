//! `engine plugin`: what a plugin's author and its users do with a file, one file a subcommand.

mod build;
mod check;
mod inspect;
mod new;
mod sheet;
mod test;
#[cfg(test)]
mod tests;

use std::path::Path;

use clap::Subcommand;

use crate::plugin::{self, Host, Limits};

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
    /// Check that a plugin does what any plugin must do, whatever comes: without network, without a target
    Check(check::Check),
    /// Run the cases of a file against a plugin: what it asks for, step by step, and what it makes of the answers
    Test(test::Test),
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
        Plugin::Check(arguments) => check::run(arguments),
        Plugin::Test(arguments) => test::run(arguments),
    }
}

/// Loads a plugin as a run without limits of its own does.
///
/// # Errors
/// A file that is no plugin, or that this engine cannot use.
fn load(file: &Path) -> Result<plugin::Plugin, Failure> {
    let host = Host::new(Limits::default(), None)?;
    host.load(file).map_err(|refusal| Failure::new(Exit::PluginRefused, format!("error: {refusal}")))
}
