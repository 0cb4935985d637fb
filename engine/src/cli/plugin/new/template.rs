//! What a new plugin is made of: files of its own, those that are the same in every language, and a copy of the SDK as this
//! engine was built with it. The SDKs are in no registry, and who has this program need not have the project.

/// What stands for the plugin's name in a template, in texts and in names of files.
const NAME: &str = "my_plugin";

/// Files by their path.
pub(super) type Files = &'static [(&'static str, &'static str)];

/// A file that depends on the plugin's name: its path and its text.
pub(super) type More = fn(&str) -> (&'static str, String);

/// Files of the project by their path in a folder of it.
macro_rules! files {
    ($from:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $from, "/", $path)))),+]
    };
}
pub(super) use files;

/// The same in every language.
const COMMON: Files = &[
    ("cases.toml", include_str!("common/cases.toml.txt")),
    ("scenario.toml", include_str!("common/scenario.toml.txt")),
];

/// The SDK's licence goes with it.
const LICENCES: Files = files!["": "LICENSE-APACHE", "LICENSE-MIT"];

/// What a new plugin in a language is made of.
pub(super) struct Template {
    /// Its own files.
    pub(super) own: Files,
    /// The SDK's, by their path in its folder.
    pub(super) sdk: Files,
    /// One more, which depends on the name.
    pub(super) more: Option<More>,
    /// What to type in the folder before `engine plugin build`.
    pub(super) steps: &'static [&'static str],
}

impl Template {
    /// Every file of a plugin of this name.
    pub(super) fn files(&self, name: &str) -> Vec<(String, String)> {
        let own =
            self.own.iter().chain(COMMON).map(|(path, text)| (path.replace(NAME, name), text.replace(NAME, name)));
        let sdk = self.sdk.iter().chain(LICENCES).map(|(path, text)| (format!("sdk/{path}"), (*text).to_owned()));
        let more = self.more.map(|more| more(name)).map(|(path, text)| (path.to_owned(), text));
        own.chain(more).chain(sdk).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::super::Language;
    use super::*;
    use clap::ValueEnum as _;

    /// What lies in an SDK's folder and is not copied: tests, what tools leave, a library of one platform's plugins, the list
    /// that a test holds the interface against.
    const LEFT_OUT: [&str; 14] = [
        ".gitignore",
        ".mypy_cache",
        ".npmrc",
        ".venv",
        "__pycache__",
        "engine_sdk.egg-info",
        "generate.sh",
        "items.txt",
        "node_modules",
        "package-lock.json",
        "platform",
        "target",
        "test",
        "tests",
    ];

    /// Files below a folder, by their path in it.
    fn below(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap();
            // Of the crate in Rust the front page is in its source.
            if (name == "README.md" && root.ends_with("rust")) || LEFT_OUT.contains(&name) || name.ends_with("_test.go")
            {
                continue;
            }
            if path.is_dir() {
                below(&path, root, found);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn every_sdk_is_written_whole() {
        for language in Language::value_variants() {
            let folder = language.to_possible_value().unwrap();
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/sdk").join(folder.get_name());
            let mut there = BTreeSet::new();
            below(&root, &root, &mut there);
            let listed: BTreeSet<String> = language.template().sdk.iter().map(|(path, _)| (*path).to_owned()).collect();
            assert_eq!(listed, there, "the list of files is not what is in {}", root.display());
        }
    }

    #[test]
    fn the_interface_in_an_sdk_is_the_engines() {
        let ours = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit/workload.wit"));
        let files = Language::value_variants().iter().flat_map(|language| language.template().sdk);
        let theirs: Vec<&(&str, &str)> = files.filter(|(path, _)| path.ends_with("workload.wit")).collect();
        assert!(theirs.len() >= 2, "{}", theirs.len());
        for (path, text) in theirs {
            assert_eq!(*text, ours, "{path}");
        }
    }

    #[test]
    fn nothing_is_left_of_a_template_but_its_own_words() {
        for language in Language::value_variants() {
            for (path, text) in language.template().files("tea_shop") {
                assert!(!path.contains(NAME), "{path}");
                assert!(path.starts_with("sdk/") || !text.contains(NAME), "{path}");
                assert!(PathBuf::from(&path).is_relative(), "{path}");
            }
        }
    }

    #[test]
    fn the_scenario_is_one() {
        use crate::scenario::{Overrides, Surroundings, parse};
        let files = Language::Rust.template().files("tea_shop");
        let (_, text) = files.iter().find(|(path, _)| path == "scenario.toml").unwrap();
        let surroundings = Surroundings { variable: Box::new(|_| None), cores: 1 };
        let plan = parse(Path::new("scenario.toml"), text, &Overrides::default(), &surroundings);
        let plan = plan.map_err(|faults| faults.to_string()).unwrap();
        assert_eq!((plan.workloads[0].name.as_str(), plan.thresholds.len()), ("tea_shop", 2));
    }
}
