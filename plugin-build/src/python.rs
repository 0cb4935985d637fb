//! Plugins in Python: a project with a `pyproject.toml`, built by the SDK's own module.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::about::{About, Said};
use crate::made::Maker;
use crate::project::Language;
use crate::tool::Tool;
use crate::{Fault, Running};

pub(crate) const LANGUAGE: Language =
    Language { name: "Python", manifest: "pyproject.toml", described_in: "pyproject.toml", about: read, build };

/// The interpreter of the folder's own environment.
const OWN: &str = ".venv/bin/python";
/// The module of the SDK that builds.
const MODULE: &str = "engine_sdk.build";
/// How what it takes is installed.
const INSTALL: &str = "in the plugin's folder: python3 -m venv .venv && .venv/bin/pip install -e './sdk[build]'";

#[derive(Deserialize)]
struct Manifest {
    project: Project,
}

/// What of the table `project` is told.
#[derive(Deserialize)]
struct Project {
    name: String,
    version: Option<String>,
    description: Option<String>,
    #[serde(default)]
    authors: Vec<Person>,
    license: Option<Licence>,
    #[serde(default)]
    urls: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Person {
    name: Option<String>,
    email: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Licence {
    Line(String),
    Parts { text: Option<String> },
}

fn read(text: &str) -> Result<About, String> {
    let Manifest { project } = toml::from_str(text).map_err(|error| error.to_string())?;
    let licence = project.license.and_then(|licence| match licence {
        Licence::Line(text) => Some(text),
        Licence::Parts { text } => text,
    });
    let url = |names: &[&str]| {
        let mut found = project.urls.iter().filter(|(name, _)| names.contains(&name.to_lowercase().as_str()));
        found.next().map(|(_, url)| url.clone())
    };
    let person = |person: Person| match (person.name, person.email) {
        (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
        (name, email) => name.or(email),
    };
    Ok(About {
        version: project.version,
        description: project.description,
        licence: Said::at("project.license", licence),
        repository: Said::at("project.urls", url(&["repository", "source", "source code", "github"])),
        homepage: Said::at("project.urls", url(&["homepage"])),
        authors: project.authors.into_iter().filter_map(person).collect(),
        name: project.name,
        ..About::default()
    })
}

fn build(folder: &Path, _: &str, _: &About, running: &Running) -> Result<Vec<u8>, Fault> {
    let own = folder.join(OWN);
    let python = Tool::new(&[if own.is_file() { own.display().to_string() } else { "python3".to_owned() }]);
    if !python.answers(folder, &["--version"], running) {
        return Err(Fault::call(
            "Python is not installed, or `python3` is not in PATH",
            "install Python 3.11 or newer",
        ));
    }
    for module in [MODULE, "componentize_py"] {
        let found = format!("import importlib.util as u; u.find_spec({module:?}) or exit(1)");
        if !python.answers(folder, &["-c", &found], running) {
            return Err(Fault::call(
                format!("what the plugin is built with is not installed: {} has no module {module}", python.shown()),
                INSTALL,
            ));
        }
    }
    let maker = Maker { what: "the build of the plugin by componentize-py", help: INSTALL, running };
    maker.make(folder, |out| {
        let mut command = python.command(folder);
        command.args(["-m", MODULE, "--out"]).arg(out);
        command
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_read_in_both_ways_of_writing_a_licence() {
        let text = r#"
            [project]
            name = "tea"
            version = "1.0.0"
            authors = [{ name = "Ann", email = "a@example.org" }, { email = "b@example.org" }]
            license = "MIT"
            [project.urls]
            Homepage = "https://example.org"
            Source = "https://example.org/tea"
        "#;
        let about = read(text).expect("a manifest");
        assert_eq!(about.authors, ["Ann <a@example.org>", "b@example.org"]);
        assert_eq!(about.licence, Said::at("project.license", Some("MIT")));
        assert_eq!(about.homepage, Said::at("project.urls", Some("https://example.org")));
        assert_eq!(about.repository, Said::at("project.urls", Some("https://example.org/tea")));
        let about = read(&text.replace("\"MIT\"", "{ text = \"MIT\" }")).expect("a manifest");
        assert_eq!(about.licence, Said::at("project.license", Some("MIT")));
        assert!(read("[tool]").expect_err("no project").contains("missing field `project`"));
    }
}
