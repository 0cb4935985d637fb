//! `plugin.toml`: the manifest of plugins in languages whose own manifests have no place for what is told of a plugin.

use serde::Deserialize;

use crate::about::{About, Said};

/// The manifest's name.
pub(crate) const FILE: &str = "plugin.toml";

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) plugin: Plugin,
    #[serde(default)]
    pub(crate) c: C,
}

/// What is told of the plugin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plugin {
    name: String,
    version: Option<String>,
    summary: Option<String>,
    #[serde(default)]
    authors: Vec<String>,
    licence: Option<String>,
    repository: Option<String>,
    homepage: Option<String>,
}

/// What is special to C. Paths count from the plugin's folder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct C {
    /// Where the SDK is.
    pub(crate) sdk: String,
    /// What is compiled with it, as patterns of paths.
    pub(crate) sources: Vec<String>,
    /// Further arguments of the compiler.
    pub(crate) flags: Vec<String>,
}

impl Default for C {
    fn default() -> Self {
        Self { sdk: "sdk".to_owned(), sources: vec!["src/*.c".to_owned()], flags: Vec::new() }
    }
}

/// Reads the file.
///
/// # Errors
/// What is wrong with it, with its line.
pub(crate) fn read(text: &str) -> Result<Manifest, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

/// What it says of the plugin.
///
/// # Errors
/// As [`read`].
pub(crate) fn about(text: &str) -> Result<About, String> {
    let Plugin { name, version, summary, authors, licence, repository, homepage } = read(text)?.plugin;
    Ok(About {
        name,
        version,
        description: summary,
        authors,
        licence: Said::at("plugin.licence", licence),
        repository: Said::at("plugin.repository", repository),
        homepage: Said::at("plugin.homepage", homepage),
        ..About::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_and_a_mistyped_key_is_named() {
        let text = "[plugin]\nname = \"tea\"\nversion = \"1.0.0\"\nauthors = [\"Ann\"]\nlicence = \"MIT\"\n";
        let about = about(text).expect("a manifest");
        assert_eq!((about.name.as_str(), about.version.as_deref()), ("tea", Some("1.0.0")));
        assert_eq!(about.licence, Said::at("plugin.licence", Some("MIT")));
        let c = read(&format!("{text}[c]\nflags = [\"-DX\"]\n")).expect("a manifest").c;
        assert_eq!((c.sdk.as_str(), c.sources, c.flags), ("sdk", vec!["src/*.c".to_owned()], vec!["-DX".to_owned()]));
        let wrong = read("[plugin]\nname = \"tea\"\nlicense = \"MIT\"\n").expect_err("a mistyped key");
        assert!(wrong.contains("line 3") && wrong.contains("unknown field `license`"), "{wrong}");
    }
}
