//! The files of a new plugin: a small workload, and the SDK as this engine was built with it.

use super::lock;

/// What stands for the plugin's name in the template.
const NAME: &str = "my_plugin";

/// The workload that a new plugin begins with.
pub(in crate::cli::plugin) const SOURCE: &str = include_str!("rust/lib.rs.txt");

/// Files by their path in the plugin's folder.
const TEMPLATE: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("rust/Cargo.toml.txt")),
    ("src/lib.rs", SOURCE),
    ("cases.toml", include_str!("rust/cases.toml.txt")),
    ("scenario.toml", include_str!("rust/scenario.toml.txt")),
    ("README.md", include_str!("rust/README.md.txt")),
    (".gitignore", include_str!("rust/gitignore.txt")),
];

/// Files of the project by their path in the SDK's folder.
macro_rules! files {
    ($from:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $from, "/", $path)))),+]
    };
}

/// The SDK, without its tests. It is not on crates.io, and who has this program need not have the project.
const SDK: &[(&str, &str)] = files!["plugins/sdk/rust":
    "Cargo.toml",
    "src/backend.rs",
    "src/bindings.rs",
    "src/component.rs",
    "src/config.rs",
    "src/context.rs",
    "src/encode.rs",
    "src/flow.rs",
    "src/inbox.rs",
    "src/join.rs",
    "src/lib.rs",
    "src/metric.rs",
    "src/reply.rs",
    "src/request.rs",
    "src/rng.rs",
    "src/socket.rs",
    "src/stream.rs",
    "src/testing/mod.rs",
    "src/testing/play.rs",
    "src/testing/recorder.rs",
    "src/testing/run.rs",
    "src/testing/script.rs",
    "src/verdict.rs",
    "src/workload.rs",
    "wit/workload.wit",
];

/// The SDK's licence goes with it.
const LICENCES: &[(&str, &str)] = files!["": "LICENSE-APACHE", "LICENSE-MIT"];

/// Every file of a plugin of this name in Rust.
pub(super) fn rust(name: &str) -> Vec<(String, String)> {
    let own = TEMPLATE.iter().map(|(path, text)| ((*path).to_owned(), text.replace(NAME, name)));
    let sdk = SDK.iter().chain(LICENCES).map(|(path, text)| (format!("sdk/{path}"), (*text).to_owned()));
    let lock = ("Cargo.lock".to_owned(), lock::of(name));
    own.chain([lock]).chain(sdk).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Files below a folder, by their path in it.
    fn below(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, root, found);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }

    #[test]
    fn the_sdk_is_written_whole() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/sdk/rust");
        let mut there = BTreeSet::new();
        below(&root, &root, &mut there);
        // Tests of the SDK, a library of one platform's plugins, the list that a test holds the interface against.
        let left_out =
            |path: &String| ["tests/", "platform/", "target/", "wit/items.txt"].iter().any(|p| path.starts_with(p));
        there.retain(|path| !left_out(path));
        let listed: BTreeSet<String> = SDK.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(listed, there, "the list `SDK` is not what is in plugins/sdk/rust");
    }

    #[test]
    fn nothing_is_left_of_the_template_but_its_own_words() {
        let files = rust("tea_shop");
        let of = |path: &str| files.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str()).unwrap();
        for (path, _) in TEMPLATE {
            assert!(!of(path).contains(NAME), "{path}");
        }
        let manifest: toml::Table = of("Cargo.toml").parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some("tea_shop"));
        assert!(of("src/lib.rs").contains(r#"const NAME: &str = "tea_shop";"#));
        assert!(files.iter().all(|(path, _)| PathBuf::from(path).is_relative()));
        // What the SDK's manifest takes from a workspace would not be there.
        let sdk: toml::Table = of("sdk/Cargo.toml").parse().unwrap();
        assert!(!toml::to_string(&sdk).unwrap().contains("workspace"), "the SDK's manifest stands alone");
    }

    #[test]
    fn the_profile_is_that_of_the_projects_plugins() {
        let theirs = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/Cargo.toml"));
        let [theirs, ours] = [theirs, TEMPLATE[0].1].map(|text| text.parse::<toml::Table>().unwrap());
        assert_eq!(ours["profile"], theirs["profile"]);
    }

    #[test]
    fn the_scenario_is_one() {
        use crate::scenario::{Overrides, Surroundings, parse};
        let files = rust("tea_shop");
        let (_, text) = files.iter().find(|(path, _)| path == "scenario.toml").unwrap();
        let surroundings = Surroundings { variable: Box::new(|_| None), cores: 1 };
        let plan = parse(Path::new("scenario.toml"), text, &Overrides::default(), &surroundings);
        let plan = plan.map_err(|faults| faults.to_string()).unwrap();
        assert_eq!((plan.workloads[0].name.as_str(), plan.thresholds.len()), ("tea_shop", 2));
    }
}
