//! What `cargo metadata` says of packages, and which of them is the plugin.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{About, Fault, Said};

/// What cargo says of a folder.
#[derive(Debug, Deserialize)]
pub struct Metadata {
    /// The workspace's packages, and with their dependencies asked for those too.
    pub packages: Vec<Package>,
    /// Ids of the workspace's own packages.
    pub workspace_members: Vec<String>,
    /// The folder of the workspace.
    pub workspace_root: PathBuf,
    /// Where cargo builds.
    pub target_directory: PathBuf,
}

/// A package, as its manifest has it.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Package {
    /// Cargo's own name for exactly this one.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Who wrote it.
    #[serde(default)]
    pub authors: Vec<String>,
    /// One line for people.
    pub description: Option<String>,
    /// Its licence, as an SPDX expression.
    pub license: Option<String>,
    /// Where its source is kept.
    pub repository: Option<String>,
    /// Where more is to be read.
    pub homepage: Option<String>,
    /// From which registry or repository it came; absent for a folder of this machine.
    pub source: Option<String>,
    /// Its `Cargo.toml`.
    pub manifest_path: PathBuf,
    /// What it is compiled to.
    pub targets: Vec<Target>,
}

/// One thing a package is compiled to.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Target {
    /// `cdylib`, `lib`, `bin`, `test` …
    pub kind: Vec<String>,
    /// Its name as a crate.
    pub name: String,
}

impl Package {
    /// The name of the library that becomes a component; none where the package has no such library.
    pub fn library(&self) -> Option<String> {
        let library = self.targets.iter().find(|target| target.kind.iter().any(|kind| kind == "cdylib"))?;
        Some(library.name.replace('-', "_"))
    }

    /// What its manifest says of it; revision and SDK are not known from there.
    pub fn about(&self) -> About {
        About {
            name: self.name.clone(),
            version: Some(self.version.clone()),
            description: self.description.clone(),
            authors: self.authors.clone(),
            licence: Said::at("package.license", self.license.as_deref()),
            repository: Said::at("package.repository", self.repository.as_deref()),
            homepage: Said::at("package.homepage", self.homepage.as_deref()),
            ..About::default()
        }
    }

    /// Both.
    pub fn name_and_version(&self) -> (String, String) {
        (self.name.clone(), self.version.clone())
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}

impl Metadata {
    /// The package to build: the one named, else the one of the folder itself, else the only plugin of the workspace.
    ///
    /// # Errors
    /// Where there is none, where there are several, or where it is no plugin.
    pub(crate) fn choose(&self, manifest: &Path, name: Option<&str>) -> Result<&Package, Fault> {
        let shown = manifest.display();
        let members = || self.packages.iter().filter(|package| self.workspace_members.contains(&package.id));
        let plugins: Vec<&Package> = members().filter(|package| package.library().is_some()).collect();
        let names = |packages: &[&Package]| {
            let names: Vec<_> = packages.iter().map(|package| format!("`{}`", package.name)).collect();
            names.join(", ")
        };
        let chosen = match name {
            Some(name) => members().find(|package| package.name == name).ok_or_else(|| {
                let there = if plugins.is_empty() { "none".to_owned() } else { names(&plugins) };
                Fault::call(format!("{shown} has no package `{name}`"), format!("its plugins are: {there}"))
            })?,
            // Cargo may see the folder by another name than the one it was asked by.
            None => match members().find(|package| same(&package.manifest_path, manifest)) {
                Some(own) => own,
                None => match plugins.as_slice() {
                    [only] => only,
                    [] => {
                        return Err(Fault::call(
                            format!("no package of the workspace {shown} is a plugin: none is a `cdylib`"),
                            CDYLIB,
                        ));
                    }
                    several => {
                        return Err(Fault::call(
                            format!("the workspace {shown} has several plugins: {}", names(several)),
                            format!("say which: -p {}", several[0].name),
                        ));
                    }
                },
            },
        };
        if chosen.library().is_none() {
            return Err(Fault::call(
                format!("package `{}` of {shown} is no plugin: it is no `cdylib`", chosen.name),
                CDYLIB,
            ));
        }
        Ok(chosen)
    }
}

/// What a package lacks that cargo makes no WebAssembly module of.
const CDYLIB: &str = "write in its Cargo.toml:\n    [lib]\n    crate-type = [\"cdylib\"]";

/// Whether two paths are one file.
fn same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, kind: &str) -> Package {
        Package {
            id: name.to_owned(),
            name: name.to_owned(),
            manifest_path: Path::new("/w").join(name).join("Cargo.toml"),
            targets: vec![Target { kind: vec![kind.to_owned()], name: name.to_owned() }],
            ..Package::default()
        }
    }

    fn choose(packages: &[(&str, &str)], manifest: &str, name: Option<&str>) -> Result<String, String> {
        let metadata = Metadata {
            packages: packages.iter().map(|(name, kind)| package(name, kind)).collect(),
            workspace_members: packages.iter().map(|(name, _)| (*name).to_owned()).collect(),
            workspace_root: "/w".into(),
            target_directory: "/w/target".into(),
        };
        let chosen = metadata.choose(Path::new(manifest), name);
        chosen.map(|package| package.name.clone()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn the_folders_own_package_goes_first_then_the_only_plugin() {
        let packages = [("one", "cdylib"), ("two", "cdylib"), ("kit", "lib")];
        assert_eq!(choose(&packages, "/w/two/Cargo.toml", None), Ok("two".to_owned()));
        assert_eq!(choose(&packages, "/w/Cargo.toml", Some("one")), Ok("one".to_owned()));
        assert_eq!(choose(&packages[1..], "/w/Cargo.toml", None), Ok("two".to_owned()));
    }

    #[test]
    fn what_cannot_be_chosen_says_what_there_is() {
        let packages = [("one", "cdylib"), ("two", "cdylib"), ("kit", "lib")];
        let refused = |manifest, name| choose(&packages, manifest, name).unwrap_err();
        assert_eq!(
            refused("/w/Cargo.toml", None),
            "the workspace /w/Cargo.toml has several plugins: `one`, `two`\n  help: say which: -p one"
        );
        assert_eq!(
            refused("/w/Cargo.toml", Some("three")),
            "/w/Cargo.toml has no package `three`\n  help: its plugins are: `one`, `two`"
        );
        assert_eq!(
            refused("/w/kit/Cargo.toml", None),
            "package `kit` of /w/kit/Cargo.toml is no plugin: it is no `cdylib`\n  help: write in its Cargo.toml:\n    \
             [lib]\n    crate-type = [\"cdylib\"]"
        );
        assert_eq!(
            choose(&packages[2..], "/w/Cargo.toml", None).unwrap_err(),
            "no package of the workspace /w/Cargo.toml is a plugin: none is a `cdylib`\n  help: write in its Cargo.toml:\n    \
             [lib]\n    crate-type = [\"cdylib\"]"
        );
    }
}
