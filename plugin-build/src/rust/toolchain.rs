//! Whether Rust can build for the target, as far as that can be told before it tries.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::TARGET;
use crate::Running;

/// Where the compiler used in a folder is installed; none where it does not say, which cargo will explain.
pub(crate) fn sysroot(folder: &Path, running: &Running) -> Option<PathBuf> {
    ask(folder, &["--print", "sysroot"], running)
}

/// Whether the compiler used in a folder has a standard library for the target; none where it does not say. Flags may lead it
/// to another one.
pub fn has_target(folder: &Path, running: &Running) -> Option<bool> {
    let library = ask(folder, &["--print", "target-libdir", "--target", TARGET], running)?;
    let Ok(files) = std::fs::read_dir(library) else { return Some(false) };
    Some(files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libcore-")))
}

fn ask(folder: &Path, arguments: &[&str], running: &Running) -> Option<PathBuf> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(arguments).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
    let output = running.output(&mut rustc).ok()?;
    output.status.success().then(|| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Variables in which the user may give the compiler flags, in cargo's order.
fn flag_variables() -> [String; 3] {
    let target = TARGET.to_uppercase().replace('-', "_");
    ["CARGO_ENCODED_RUSTFLAGS".into(), "RUSTFLAGS".into(), format!("CARGO_TARGET_{target}_RUSTFLAGS")]
}

/// Where the user's flags say that a standard library is.
pub(crate) fn given_sysroots() -> Vec<PathBuf> {
    flag_variables().iter().filter_map(std::env::var_os).filter_map(|flags| sysroot_of(&flags)).collect()
}

/// Whether flags of the user's, in a variable or in a file of cargo's settings, may lead the compiler elsewhere.
pub(crate) fn may_be_led_elsewhere(folder: &Path) -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let folders = folder.ancestors().map(|folder| folder.join(".cargo")).chain(home);
    let settings = |folder: PathBuf| ["config.toml", "config"].iter().any(|file| folder.join(file).exists());
    flag_variables().iter().any(|name| std::env::var_os(name).is_some()) || folders.into_iter().any(settings)
}

/// What `--sysroot` says in a variable of flags.
fn sysroot_of(flags: &OsString) -> Option<PathBuf> {
    let flags = flags.to_string_lossy();
    let separator = |c: char| c == '\u{1f}' || c.is_whitespace();
    let mut flags = flags.split(separator).skip_while(|flag| !flag.starts_with("--sysroot"));
    let found = flags.next()?;
    found.strip_prefix("--sysroot=").or_else(|| flags.next()).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sysroot_is_found_among_flags() {
        let found = |flags: &str| sysroot_of(&flags.into());
        assert_eq!(found("-C x --sysroot /a -C y"), Some("/a".into()));
        assert_eq!(found("-Cx\u{1f}--sysroot=/a b"), Some("/a".into()));
        assert_eq!(found("-C x"), None);
    }

    #[test]
    fn settings_beside_or_above_a_folder_are_seen() {
        let place = tempfile::tempdir().expect("a folder");
        let inner = place.path().join("a/b");
        std::fs::create_dir_all(&inner).expect("made");
        std::fs::create_dir(place.path().join(".cargo")).expect("made");
        std::fs::write(place.path().join(".cargo/config.toml"), "").expect("written");
        assert!(may_be_led_elsewhere(&inner));
    }
}
