//! How many instructions the hot path takes, counted by callgrind and held against committed counts.
//!
//! Instructions do not depend on who else uses the machine, so that a growth of a few per cent shows on any. They are counted
//! in the development profile, which CI builds anyway: such a count is no measure of speed, but what makes it grow makes
//! the other profiles slower, too. `cargo bench -p engine --bench iteration` tells times.

mod callgrind;
mod limits;

use std::path::Path;

pub use limits::{Limits, remarks};

/// The command that accepts counts as they are.
pub const ACCEPT: &str = "cargo xtask counts --accept";

/// Where the committed counts are, below the project's folder.
pub const FILE: &str = "engine/benches/counts.toml";

/// What is counted: the cases of `engine/benches/counts.rs`, and what one turn of each does.
pub const CASES: [(&str, &str); 4] = [
    ("plugin-raw", "what an iteration costs in its plugin, with raw bindings"),
    ("plugin-sdk", "what an iteration costs in its plugin, through the SDK"),
    ("record-few", "recording an iteration among the first of a run"),
    ("record-many", "recording an iteration of a long run"),
];

/// Counts every case.
///
/// # Errors
/// Where valgrind is missing, the engine does not build, or a case does not run to its end.
pub fn count(root: &Path) -> anyhow::Result<Limits> {
    let program = callgrind::Program::build(root)?;
    let mut counts = Limits::of_this_compiler()?;
    for (case, _) in CASES {
        counts.instructions.insert(case.to_owned(), program.count(case)?);
    }
    Ok(counts)
}
