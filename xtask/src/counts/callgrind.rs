//! Running `engine/benches/counts.rs` under callgrind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

/// How often a case's work is done while it is counted: what differs from turn to turn evens out.
const TIMES: u64 = 1_000;

/// The function whose instructions count, with all that it calls.
const COUNTED: &str = "*callgrind_counts_this*";

/// The built program, and where its output goes.
pub(super) struct Program {
    file: PathBuf,
    folder: PathBuf,
}

impl Program {
    /// Builds it as `cargo test --workspace` builds the engine: where that has been run, nothing is compiled but the program.
    pub(super) fn build(root: &Path) -> anyhow::Result<Self> {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--workspace", "--bench", "counts", "--message-format", "json"]);
        let built =
            cargo.current_dir(root).stderr(std::process::Stdio::inherit()).output().context("starting cargo")?;
        anyhow::ensure!(built.status.success(), "cargo ended with {}", built.status);
        let messages = String::from_utf8_lossy(&built.stdout);
        let file = messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|message| message["target"]["name"] == "counts")
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .context("cargo has not said where the program is")?;
        // target/PROFILE/deps/counts-HASH
        let folder = file.ancestors().nth(3).unwrap_or(root).join("counts");
        fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
        Ok(Self { file, folder })
    }

    /// The instructions of one turn of a case. What callgrind wrote is kept, for `callgrind_annotate`.
    pub(super) fn count(&self, case: &str) -> anyhow::Result<u64> {
        let output = self.folder.join(format!("{case}.out"));
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--quiet", "--tool=callgrind"])
            .arg(format!("--toggle-collect={COUNTED}"))
            .arg(format!("--callgrind-out-file={}", output.display()))
            .arg(&self.file)
            .args([case, &TIMES.to_string()])
            .arg(self.folder.join("cache"));
        let ran = valgrind.output().context("starting valgrind (Debian package `valgrind`)")?;
        anyhow::ensure!(
            ran.status.success(),
            "{case} under valgrind ended with {}\n{}",
            ran.status,
            String::from_utf8_lossy(&ran.stderr)
        );
        let text = fs::read_to_string(&output).with_context(|| format!("reading {}", output.display()))?;
        let total = total(&text).with_context(|| format!("{} has no total", output.display()))?;
        anyhow::ensure!(total > 0, "{case}: callgrind has not found the function {COUNTED}");
        Ok(total / TIMES)
    }
}

/// The sum of all instructions in what callgrind wrote.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn the_total_is_the_line_that_says_so() {
        assert_eq!(total("events: Ir\n\nfn=(1)\n12 34\n\ntotals: 4945019\n"), Some(4_945_019));
        assert_eq!(total("events: Ir\nsummary: 12\n"), None);
    }
}
