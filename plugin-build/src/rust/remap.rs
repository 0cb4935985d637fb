//! No path of this machine in what is built: such a build could not be repeated elsewhere, and panic texts would tell where
//! it was made.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Metadata, TARGET};

/// Folders of this machine, each with what stands in its place. Of two that fit, the compiler takes the later one.
#[derive(Clone, Debug, Default)]
pub struct Remap(Vec<(PathBuf, String)>);

/// How a build is told its flags: cargo takes them from one place only, so they are added to whatever place is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flags {
    /// The value of `CARGO_ENCODED_RUSTFLAGS`, which holds the user's flags too.
    Encoded(OsString),
    /// An argument of `--config`, which cargo joins with the user's variable and files for the target.
    Config(String),
}

impl Remap {
    /// The folders that a build of these packages reads: the compiler's own, the workspace's, those of its dependencies.
    pub fn of(sysroots: &[PathBuf], metadata: &Metadata) -> Self {
        let mut remap = Self::default();
        for sysroot in sysroots {
            remap.add(sysroot, "/rust-toolchain");
            remap.add(&sysroot.join("lib/rustlib/src/rust"), "/rust");
        }
        let fetched = metadata.packages.iter().filter(|package| package.source.is_some());
        let caches: BTreeSet<&Path> = fetched.filter_map(|package| package.folder().parent()).collect();
        for cache in caches {
            remap.add(cache, "/crates");
        }
        let own = metadata.packages.iter().filter(|package| package.source.is_none());
        for package in own.filter(|package| !package.folder().starts_with(&metadata.workspace_root)) {
            remap.add(package.folder(), &format!("/{}", package.name));
        }
        remap.add(&metadata.workspace_root, "");
        remap.add(&metadata.target_directory, "/target");
        remap
    }

    /// Adds a folder.
    pub fn add(&mut self, folder: &Path, stand_in: &str) {
        // The root itself would take the first slash from every path.
        if folder.components().count() > 1 {
            self.0.push((folder.to_owned(), stand_in.to_owned()));
        }
    }

    /// The folders.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|(folder, _)| folder.as_path())
    }

    /// The compiler's arguments.
    pub fn arguments(&self) -> Vec<String> {
        let argument =
            |(folder, stand_in): &(PathBuf, String)| format!("--remap-path-prefix={}={stand_in}", folder.display());
        self.0.iter().map(argument).collect()
    }

    /// The same for cargo, beside the flags that the environment holds.
    pub fn flags(&self, environment: impl Fn(&str) -> Option<OsString>) -> Flags {
        const SEPARATOR: &str = "\u{1f}";
        let arguments = self.arguments();
        let encoded = environment("CARGO_ENCODED_RUSTFLAGS").or_else(|| {
            let plain = environment("RUSTFLAGS")?.into_string().ok()?;
            Some(plain.split_whitespace().collect::<Vec<_>>().join(SEPARATOR).into())
        });
        match encoded {
            Some(mut flags) => {
                if !flags.is_empty() {
                    flags.push(SEPARATOR);
                }
                flags.push(arguments.join(SEPARATOR));
                Flags::Encoded(flags)
            }
            None => Flags::Config(format!("target.{TARGET}.rustflags={}", serde_json::json!(arguments))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust::Package;

    fn metadata() -> Metadata {
        let package = |name: &str, source: Option<&str>, folder: &str| Package {
            name: name.to_owned(),
            source: source.map(str::to_owned),
            manifest_path: Path::new(folder).join("Cargo.toml"),
            ..Package::default()
        };
        Metadata {
            packages: vec![
                package("one", None, "/w"),
                package("engine-sdk", None, "/w/sdk"),
                package("kit", None, "/elsewhere/kit"),
                package("serde", Some("registry+x"), "/cargo/registry/src/x/serde-1.0.0"),
                package("url", Some("registry+x"), "/cargo/registry/src/x/url-2.0.0"),
            ],
            workspace_members: Vec::new(),
            workspace_root: "/w".into(),
            target_directory: "/w/target".into(),
        }
    }

    #[test]
    fn every_folder_a_build_reads_has_a_stand_in() {
        let remap = Remap::of(&["/home/a/toolchain".into(), "/".into()], &metadata());
        let seen: Vec<String> = remap.arguments();
        assert_eq!(
            seen,
            [
                "/home/a/toolchain=/rust-toolchain",
                "/home/a/toolchain/lib/rustlib/src/rust=/rust",
                "/lib/rustlib/src/rust=/rust",
                "/cargo/registry/src/x=/crates",
                "/elsewhere/kit=/kit",
                "/w=",
                "/w/target=/target"
            ]
            .map(|pair| format!("--remap-path-prefix={pair}"))
        );
    }

    #[test]
    fn the_users_own_flags_stay() {
        let mut remap = Remap::default();
        remap.add(Path::new("/a b"), "/c");
        let flags = |name: &'static str, value: &'static str| {
            remap.flags(move |asked| (asked == name).then(|| OsString::from(value)))
        };
        let argument = "--remap-path-prefix=/a b=/c";
        let config = format!("target.wasm32-unknown-unknown.rustflags=[\"{argument}\"]");
        assert_eq!(flags("OTHER", ""), Flags::Config(config));
        let encoded = |text: String| Flags::Encoded(text.into());
        assert_eq!(flags("RUSTFLAGS", "-C  opt-level=s"), encoded(format!("-C\u{1f}opt-level=s\u{1f}{argument}")));
        assert_eq!(flags("RUSTFLAGS", ""), encoded(argument.to_owned()));
        assert_eq!(flags("CARGO_ENCODED_RUSTFLAGS", "-A\u{1f}x y"), encoded(format!("-A\u{1f}x y\u{1f}{argument}")));
    }
}
