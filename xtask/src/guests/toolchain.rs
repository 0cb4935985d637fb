//! A Rust that builds for WebAssembly.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::{TARGET, run};

/// Names the folder of the toolchain that `plugins/toolchain/guest-std.sh` makes, where rustup has no target installed.
const FOLDER_VARIABLE: &str = "GUEST_STD";

/// What the build of a guest is called with.
pub(super) struct Toolchain {
    variables: BTreeMap<String, String>,
    /// Folders of this machine that must not appear in a component, with what stands in their place.
    remap: Vec<(PathBuf, &'static str)>,
}

impl Toolchain {
    /// The installed target, or one made on the spot.
    pub(super) fn find(plugins: &Path, target: &Path) -> anyhow::Result<Self> {
        let sysroot = ask_rustc(&["--print", "sysroot"])?;
        let mut remap = vec![(Path::new(&sysroot).join("lib/rustlib/src/rust"), "/rust")];
        remap.extend(registries()?.into_iter().map(|folder| (folder, "/crates")));
        if installed()? {
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
        remap.push((folder.join("root/usr/lib/rustlib/src/rust"), "/rust"));
        remap.push((folder, "/guest-std"));
        Ok(Self { variables: variables(&text), remap })
    }

    /// Sets up a build: the compiler, and no path of this machine in what it makes.
    pub(super) fn apply(&self, cargo: &mut Command, root: &Path) {
        let flags_variable = format!("CARGO_TARGET_{}_RUSTFLAGS", TARGET.to_uppercase().replace('-', "_"));
        let given = self.variables.get(&flags_variable).map(String::as_str).unwrap_or_default();
        let mut flags: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
        for (folder, name) in &self.remap {
            flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
        }
        flags.push(format!("--remap-path-prefix={}=", root.display()));
        for (name, value) in self.variables.iter().filter(|(name, _)| **name != flags_variable) {
            cargo.env(name, value);
        }
        // This form takes flags with spaces in them, and goes before every other.
        cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    }
}

/// Whether rustc finds a standard library for the target.
fn installed() -> anyhow::Result<bool> {
    let folder = ask_rustc(&["--print", "target-libdir", "--target", TARGET])?;
    let Ok(files) = fs::read_dir(folder) else { return Ok(false) };
    Ok(files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-")))
}

fn ask_rustc(arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("rustc").args(arguments).output().context("starting rustc")?;
    anyhow::ensure!(output.status.success(), "rustc {} ended with {}", arguments.join(" "), output.status);
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The folders of cargo's cache that hold sources of crates, a folder for each registry.
fn registries() -> anyhow::Result<Vec<PathBuf>> {
    let home = match env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => env::home_dir().context("there is no home folder")?.join(".cargo"),
    };
    let sources = home.join("registry/src");
    let folders = fs::read_dir(&sources).with_context(|| format!("reading {}", sources.display()))?;
    let mut folders: Vec<PathBuf> = folders.flatten().map(|folder| folder.path()).collect();
    folders.sort();
    Ok(folders)
}

/// The lines `export NAME="value"` of the script's file.
fn variables(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned()))
        .collect()
}
