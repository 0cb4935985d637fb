//! A folder with a plugin's source, asked by way of cargo.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::project::ensure_folder;
use crate::{Fault, Running};

use super::{Metadata, Package, Remap, TARGET, toolchain};

/// A folder with a `Cargo.toml`.
#[derive(Clone, Debug)]
pub struct Folder {
    /// As it was given.
    given: PathBuf,
    manifest: PathBuf,
    /// What cargo is told each time: `--locked`, `--offline`.
    options: Vec<&'static str>,
    /// Through what programs run.
    pub(crate) running: Running,
}

impl Folder {
    /// The folder of a package or a workspace.
    ///
    /// # Errors
    /// Where it has no `Cargo.toml`.
    pub fn open(folder: &Path, running: &Running) -> Result<Self, Fault> {
        ensure_folder(folder)?;
        let shown = folder.display();
        let manifest = folder.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(Fault::call(
                format!("the folder {shown} has no Cargo.toml"),
                "give the folder of a plugin, or make one: engine plugin new NAME",
            ));
        }
        // Cargo gives absolute paths, and is started in another folder than this process.
        let manifest = std::path::absolute(&manifest).unwrap_or(manifest);
        Ok(Self { given: folder.to_owned(), manifest, options: Vec::new(), running: running.clone() })
    }

    /// Has `Cargo.lock` stay as it is.
    #[must_use]
    pub fn locked(mut self, locked: bool) -> Self {
        self.options.extend(locked.then_some("--locked"));
        self
    }

    /// Has cargo fetch nothing.
    #[must_use]
    pub fn offline(mut self, offline: bool) -> Self {
        self.options.extend(offline.then_some("--offline"));
        self
    }

    /// As it was given.
    pub fn path(&self) -> &Path {
        &self.given
    }

    /// The package to build: the one named, else the one of the folder itself, else the only plugin of the workspace.
    ///
    /// # Errors
    /// Where there is none, where there are several, where it is no plugin, or where cargo cannot read the folder.
    pub fn package(&self, name: Option<&str>) -> Result<Package, Fault> {
        let metadata = self.ask(&["--no-deps"], Stdio::piped())?;
        // As it was given, for the errors; `same` sees through the difference.
        metadata.choose(&self.given.join("Cargo.toml"), name).cloned()
    }

    /// What cargo says of the folder and of all that a build of it reads; fetches that.
    ///
    /// # Errors
    /// Where cargo cannot say it. Its own words are on stderr.
    pub fn metadata(&self) -> Result<Metadata, Fault> {
        self.ask(&["--filter-platform", TARGET], Stdio::inherit())
    }

    fn ask(&self, more: &[&str], stderr: Stdio) -> Result<Metadata, Fault> {
        let mut cargo = self.cargo("metadata");
        cargo.args(["--format-version", "1"]).args(more).stderr(stderr);
        let output = self.running.output(&mut cargo).map_err(|error| no_cargo(&error))?;
        if !output.status.success() {
            let manifest = self.given.join("Cargo.toml");
            let manifest = manifest.display();
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.trim();
            // Nothing was caught where the user has seen it already.
            return Err(if said.is_empty() {
                Fault::call(format!("cargo cannot fetch what {manifest} depends on"), "mend what cargo says above")
            } else {
                let said = said.strip_prefix("error: ").unwrap_or(said);
                Fault::call(format!("cargo cannot read {manifest}: {said}"), "mend what cargo says there")
            });
        }
        serde_json::from_slice(&output.stdout).map_err(|error| {
            Fault::call(
                format!("`cargo metadata` says what cannot be read: {error}"),
                "update Rust: rustup update stable",
            )
        })
    }

    /// A subcommand of cargo in this folder, with the user's settings.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.arg(subcommand).args(&self.options).stdin(Stdio::null());
        cargo.current_dir(self.place());
        cargo
    }

    /// Stand-ins for the folders that a build of this one reads.
    pub fn remap(&self, metadata: &Metadata) -> Remap {
        let mut sysroots = toolchain::given_sysroots();
        sysroots.extend(toolchain::sysroot(self.place(), &self.running));
        Remap::of(&sysroots, metadata)
    }

    /// Whether Rust can build for the target, as far as that can be told before minutes of compilation.
    ///
    /// # Errors
    /// Where the target is not installed.
    pub fn ensure_target(&self) -> Result<(), Fault> {
        let place = self.place();
        if !toolchain::may_be_led_elsewhere(place) && toolchain::has_target(place, &self.running) == Some(false) {
            return Err(no_target());
        }
        Ok(())
    }

    fn place(&self) -> &Path {
        self.manifest.parent().unwrap_or(&self.given)
    }
}

/// The target is not installed.
pub(crate) fn no_target() -> Fault {
    Fault::call(format!("Rust's target {TARGET} is not installed"), format!("rustup target add {TARGET}"))
}

/// Cargo could not be started.
pub(crate) fn no_cargo(error: &std::io::Error) -> Fault {
    if error.kind() == std::io::ErrorKind::NotFound {
        Fault::call(
            "cargo is not installed, or not in PATH",
            format!("install Rust from https://rustup.rs, then: rustup target add {TARGET}"),
        )
    } else {
        Fault::call(format!("cargo cannot be started: {error}"), "check its permissions: cargo --version")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_package_is_refused() {
        let place = tempfile::tempdir().expect("a folder");
        let refused = |folder: &Path| Folder::open(folder, &Running::default()).expect_err("no plugin").to_string();
        let shown = place.path().display();
        assert_eq!(
            refused(place.path()),
            format!(
                "the folder {shown} has no Cargo.toml\n  help: give the folder of a plugin, or make one: engine plugin new NAME"
            )
        );
        assert_eq!(
            refused(&place.path().join("gone")),
            format!("there is no folder {shown}/gone\n  help: check the path; it counts from the current folder")
        );
    }
}
