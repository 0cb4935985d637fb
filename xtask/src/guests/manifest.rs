//! `plugins/components/manifest.toml`: what the components are and what they were made from.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::{COMMAND, COMPONENTS};

/// The manifest as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// One entry for each plugin, by name.
    #[serde(default, rename = "component")]
    pub components: Vec<Component>,
}

/// One built component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// The plugin's name.
    pub name: String,
    /// Its file in the manifest's folder.
    pub file: String,
    /// Package and version of the interface it was built against.
    pub interface: String,
    /// The file's size in bytes.
    pub size: u64,
    /// The file's SHA-256.
    pub sha256: String,
    /// What it was made from.
    pub source: Source,
}

/// Digests of a component's source, apart so that a check can say which part has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Over everything below.
    pub all: String,
    /// The plugin's own folder.
    pub plugin: String,
    /// `plugins/sdk/rust`.
    pub sdk: String,
    /// `wit`.
    pub wit: String,
    /// `plugins/Cargo.toml` and `plugins/Cargo.lock`.
    pub workspace: String,
}

impl Manifest {
    /// Reads the manifest; an empty one where there is none.
    ///
    /// # Errors
    /// Where it cannot be read or is no manifest.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(COMPONENTS).join("manifest.toml");
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("reading {}", path.display()))
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, root: &Path) -> anyhow::Result<()> {
        let path = root.join(COMPONENTS).join("manifest.toml");
        let body = toml::to_string(self).context("writing the manifest")?;
        let text = format!(
            "# Written by `{COMMAND}`. `sha256` is the file's; `source` holds the digests of what it was made from.\n{body}"
        );
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }
}
