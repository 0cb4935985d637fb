//! Which plugins there are, and what each is made from.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use super::manifest::Source;
use crate::hash::{read_files, sha256_of_files};

/// The plugins: the members of the workspace `plugins/` that are no SDK, sorted.
///
/// # Errors
/// Where `plugins/Cargo.toml` cannot be read.
pub(super) fn plugins(root: &Path) -> anyhow::Result<Vec<String>> {
    #[derive(Deserialize)]
    struct File {
        workspace: Workspace,
    }
    #[derive(Deserialize)]
    struct Workspace {
        members: Vec<String>,
    }
    let path = root.join("plugins/Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let file: File = toml::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
    let mut names: Vec<String> =
        file.workspace.members.into_iter().filter(|member| !member.starts_with("sdk/")).collect();
    names.sort();
    Ok(names)
}

impl Source {
    /// The digests of a plugin's source as it is now.
    ///
    /// # Errors
    /// Where a part of it cannot be read.
    pub fn of(root: &Path, plugin: &str) -> anyhow::Result<Self> {
        let mut everything = BTreeMap::new();
        let mut digest = |paths: &[&str]| -> anyhow::Result<String> {
            let mut files = BTreeMap::new();
            for path in paths {
                read_files(root, &root.join(path), &is_source, &mut files)?;
            }
            let digest = sha256_of_files(&files);
            everything.append(&mut files);
            Ok(digest)
        };
        Ok(Self {
            plugin: digest(&[&format!("plugins/{plugin}")])?,
            sdk: digest(&["plugins/sdk/rust"])?,
            wit: digest(&["wit"])?,
            workspace: digest(&["plugins/Cargo.toml", "plugins/Cargo.lock"])?,
            all: sha256_of_files(&everything),
        })
    }
}

/// Whether a component can depend on this file or folder, by its path below the project's folder. Left out are build
/// folders, hidden files, texts, the interface's list of items, the SDK's link to `wit/` (which is looked at by itself),
/// and tests, which are compiled for the machine alone.
fn is_source(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let test = matches!(name, "tests" | "tests.rs") || path == "plugins/sdk/rust/src/testing";
    let link = path == "plugins/sdk/rust/wit";
    !test && !link && name != "target" && !name.starts_with('.') && !matches!(extension, "md" | "txt")
}
