//! A Rust that builds for WebAssembly.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use plugin_build::Running;
use plugin_build::rust::{Flags, Remap, TARGET, has_target};

use super::run;

/// Names the folder of the toolchain that `plugins/toolchain/guest-std.sh` makes, where rustup has no target installed.
const FOLDER_VARIABLE: &str = "GUEST_STD";

/// What the build of a guest is called with.
pub(super) struct Toolchain {
    variables: BTreeMap<String, String>,
    /// What stands in the place of this machine's folders.
    remap: Remap,
}

impl Toolchain {
    /// The installed target, or one made on the spot.
    pub(super) fn find(plugins: &Path, target: &Path, mut remap: Remap) -> anyhow::Result<Self> {
        if has_target(plugins, &Running::default()).context("starting rustc")? {
            return Ok(Self { variables: BTreeMap::new(), remap });
        }
        let folder = env::var_os(FOLDER_VARIABLE).map_or_else(|| target.join("guest-std"), PathBuf::from);
        eprintln!(
            "{TARGET} is not installed (`rustup target add {TARGET}` would do); making it in {}",
            folder.display()
        );
        let script = plugins.join("toolchain/guest-std.sh");
        // Variables of the call around this one (`cargo xtask`) must not reach the script's own cargo.
        run(Command::new("bash").arg(&script).arg(&folder).env_remove("CARGO_ENCODED_RUSTFLAGS"))
            .with_context(|| format!("run `rustup target add {TARGET}`, then this again"))?;
        let env_file = folder.join("env");
        let text = fs::read_to_string(&env_file).with_context(|| format!("reading {}", env_file.display()))?;
        remap.add(&folder, "/guest-std");
        remap.add(&folder.join("root/usr/lib/rustlib/src/rust"), "/rust");
        Ok(Self { variables: variables(&text), remap })
    }

    /// Sets up a build: the compiler, and no path of this machine in what it makes.
    pub(super) fn apply(&self, cargo: &mut Command) {
        let flags_variable = format!("CARGO_TARGET_{}_RUSTFLAGS", TARGET.to_uppercase().replace('-', "_"));
        // Flags of the call around this one do not count: the components are to be the same wherever they are made.
        let given = self.variables.get(&flags_variable).map(String::as_str).unwrap_or_default();
        if let Flags::Encoded(flags) = self.remap.flags(|name| (name == "RUSTFLAGS").then(|| given.into())) {
            cargo.env("CARGO_ENCODED_RUSTFLAGS", flags);
        }
        for (name, value) in self.variables.iter().filter(|(name, _)| **name != flags_variable) {
            cargo.env(name, value);
        }
    }

    /// Folders of this machine that must not appear in a component.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.remap.folders()
    }
}

/// The lines `export NAME="value"` of the script's file.
fn variables(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned()))
        .collect()
}
