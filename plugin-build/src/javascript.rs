//! Plugins in JavaScript and TypeScript: an npm package, built by the SDK's own script under Node.js.

use std::path::Path;

use serde::Deserialize;

use crate::about::{About, Said};
use crate::made::Maker;
use crate::project::Language;
use crate::tool::Tool;
use crate::{Fault, Running};

pub(crate) const LANGUAGE: Language =
    Language { name: "JavaScript", manifest: "package.json", described_in: "package.json", about: read, build };

/// The script, once `npm ci` has laid the SDK there.
const SCRIPT: &str = "node_modules/engine-sdk/build.mjs";

/// What of a `package.json` is told.
#[derive(Deserialize)]
struct Manifest {
    name: String,
    version: Option<String>,
    description: Option<String>,
    author: Option<Person>,
    contributors: Option<Vec<Person>>,
    license: Option<Licence>,
    repository: Option<Repository>,
    homepage: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Person {
    Line(String),
    Parts { name: String, email: Option<String> },
}

/// An SPDX expression; in old packages its parts, of which `type` is one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Licence {
    Line(String),
    Parts { r#type: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Repository {
    Line(String),
    Parts { url: String },
}

impl Person {
    fn line(self) -> String {
        match self {
            Self::Line(line) | Self::Parts { name: line, email: None } => line,
            Self::Parts { name, email: Some(email) } => format!("{name} <{email}>"),
        }
    }
}

fn read(text: &str) -> Result<About, String> {
    let manifest: Manifest = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let repository = manifest.repository.map(|repository| match repository {
        Repository::Line(url) | Repository::Parts { url } => url,
    });
    let licence = manifest.license.map(|licence| match licence {
        Licence::Line(text) | Licence::Parts { r#type: text } => text,
    });
    let contributors = manifest.contributors.unwrap_or_default();
    Ok(About {
        name: manifest.name,
        version: manifest.version,
        description: manifest.description,
        authors: manifest.author.into_iter().chain(contributors).map(Person::line).collect(),
        licence: Said::at("license", licence),
        // npm's own way of writing that it is git's.
        repository: Said::at("repository", repository.map(|url| url.trim_start_matches("git+").to_owned())),
        homepage: Said::at("homepage", manifest.homepage),
        ..About::default()
    })
}

fn build(folder: &Path, _: &str, _: &About, running: &Running) -> Result<Vec<u8>, Fault> {
    let node = Tool::new(&["node"]);
    if !node.answers(folder, &["--version"], running) {
        return Err(Fault::call(
            "Node.js is not installed, or `node` is not in PATH",
            "install Node.js 20.10 or newer, then in the plugin's folder: npm ci",
        ));
    }
    if !folder.join(SCRIPT).is_file() {
        return Err(Fault::call(
            format!("what the plugin is built with is not installed: there is no {SCRIPT}"),
            "in the plugin's folder: npm ci",
        ));
    }
    let maker = Maker { what: "the build of the plugin", help: "install Node.js 20.10 or newer", running };
    maker.make(folder, |out| {
        let mut command = node.command(folder);
        command.args([SCRIPT, "--out"]).arg(out);
        command
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_read_in_both_ways_of_writing() {
        let about = read(
            r#"{"name": "tea", "version": "1.0.0", "description": "Buys tea", "author": "Ann <a@example.org>",
                "contributors": [{"name": "Bob", "email": "b@example.org"}, {"name": "Cy"}], "license": "MIT",
                "repository": {"type": "git", "url": "git+https://example.org/tea.git"}, "main": "src/plugin.js"}"#,
        )
        .expect("a manifest");
        assert_eq!(about.authors, ["Ann <a@example.org>", "Bob <b@example.org>", "Cy"]);
        assert_eq!(about.repository, Said::at("repository", Some("https://example.org/tea.git")));
        assert_eq!((about.licence, about.homepage), (Said::at("license", Some("MIT")), None));
        let about = read(r#"{"name": "tea", "repository": "https://example.org/tea"}"#).expect("a manifest");
        assert_eq!(about.repository, Said::at("repository", Some("https://example.org/tea")));
        let old = r#"{"name": "tea", "license": {"type": "MIT", "url": "https://example.org"}, "contributors": null}"#;
        let about = read(old).expect("a manifest");
        assert_eq!((about.licence, about.authors), (Said::at("license", Some("MIT")), Vec::new()));
    }
}
