//! A new plugin in Rust.

use super::lock;
use super::template::{Template, files};

/// The workload that a new plugin begins with.
pub(in crate::cli::plugin) const SOURCE: &str = include_str!("rust/lib.rs.txt");

pub(super) const TEMPLATE: Template = Template {
    own: &[
        ("Cargo.toml", include_str!("rust/Cargo.toml.txt")),
        ("src/lib.rs", SOURCE),
        ("README.md", include_str!("rust/README.md.txt")),
        (".gitignore", include_str!("rust/gitignore.txt")),
    ],
    // Without its tests.
    sdk: files!["plugins/sdk/rust":
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
        "src/sending.rs",
        "src/socket.rs",
        "src/stream.rs",
        "src/testing/answering.rs",
        "src/testing/mod.rs",
        "src/testing/play.rs",
        "src/testing/recorder.rs",
        "src/testing/run.rs",
        "src/testing/script.rs",
        "src/verdict.rs",
        "src/workload.rs",
        "wit/workload.wit",
    ],
    more: Some(|name| ("Cargo.lock", lock::of(name))),
    steps: &["cargo test"],
};

/// Rust's words, of all editions (The Rust Reference, "Keywords"), those reserved for later among them.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Crates that a plugin is built with, and those of Rust itself: a crate of the same name would stand in their place.
const CRATES: &[&str] =
    &["alloc", "core", "engine_sdk", "proc_macro", "schemars", "serde", "serde_json", "std", "test"];

/// Why a crate cannot be called so; none where it can.
pub(super) fn keeps(name: &str) -> Option<&'static str> {
    if KEYWORDS.contains(&name) {
        Some("is a word of Rust, which no crate can be called")
    } else if CRATES.contains(&name) || lock::has(name) {
        Some("is a crate that plugins are built with")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_is_that_of_the_projects_plugins() {
        let theirs = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/Cargo.toml"));
        let [theirs, ours] = [theirs, TEMPLATE.own[0].1].map(|text| text.parse::<toml::Table>().unwrap());
        assert_eq!(ours["profile"], theirs["profile"]);
    }

    #[test]
    fn the_manifest_bears_the_name_and_the_sdks_stands_alone() {
        let files = TEMPLATE.files("tea_shop");
        let of = |path: &str| files.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str()).unwrap();
        let manifest: toml::Table = of("Cargo.toml").parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some("tea_shop"));
        assert!(of("src/lib.rs").contains(r#"const NAME: &str = "tea_shop";"#));
        // What the SDK's manifest takes from a workspace would not be there.
        let sdk: toml::Table = of("sdk/Cargo.toml").parse().unwrap();
        assert!(!toml::to_string(&sdk).unwrap().contains("workspace"), "the SDK's manifest stands alone");
    }
}
