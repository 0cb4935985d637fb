//! The project's own commands, as a library so that tests check what the commands keep.
//!
//! * [`compare`]: sets the engine beside other load tools.
//! * [`counts`]: counts the instructions of the hot path.
//! * [`guests`]: builds the plugins into components and tells when a committed one is out of date.
//! * [`wit`]: lists every item of the plugin interface and tells when one has changed unannounced.

pub mod compare;
pub mod counts;
pub mod guests;
mod hash;
pub mod wit;

use std::path::{Path, PathBuf};

use anyhow::Context;

/// The folder of the whole project.
///
/// # Errors
/// Where this package's folder is gone.
pub fn root() -> anyhow::Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = here.canonicalize().with_context(|| format!("{} is gone", here.display()))?;
    Ok(here.parent().unwrap_or(&here).to_owned())
}
