//! `engine plugin inspect`: what a plugin is, where it comes from, and what it says of itself.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::Format;
use crate::cli::exit::{Exit, Failure};

use super::sheet;

/// `engine plugin inspect`.
#[derive(Debug, Args)]
pub(in crate::cli) struct Inspect {
    /// Plugin file (.wasm)
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Shows a plugin.
///
/// # Errors
/// A file that is no plugin, or that this engine cannot use.
pub(super) fn run(arguments: &Inspect) -> Result<Exit, Failure> {
    let plugin = super::load(&arguments.file)?;
    sheet::print(&plugin, arguments.format)
}
