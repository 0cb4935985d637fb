//! Whether the committed components are those of the source beside them.

use std::fs;
use std::path::Path;

use super::manifest::{Component, Manifest, Source};
use super::{COMMAND, COMPONENTS, source};

/// Everything that is wrong with the committed components, each as a text that says what to do; empty where all is
/// well. Builds nothing and needs no WebAssembly toolchain.
///
/// # Errors
/// Where files cannot be read.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let manifest = Manifest::read(root)?;
    let plugins = source::plugins(root)?;
    let mut faults = Vec::new();
    for plugin in &plugins {
        match manifest.components.iter().find(|component| component.name == *plugin) {
            None => faults.push(format!("{plugin}: {COMPONENTS}/manifest.toml has no component of it; {}", mend())),
            Some(component) => faults.extend(fault(root, component)?),
        }
    }
    for component in manifest.components.iter().filter(|component| !plugins.contains(&component.name)) {
        faults.push(format!(
            "{name}: {COMPONENTS}/manifest.toml has a component of it, but plugins/Cargo.toml has no such plugin; \
             delete {COMPONENTS}/{file} and {}",
            mend(),
            name = component.name,
            file = component.file,
        ));
    }
    Ok(faults)
}

/// What is wrong with one component.
fn fault(root: &Path, component: &Component) -> anyhow::Result<Option<String>> {
    let Component { name, file, .. } = component;
    let now = Source::of(root, name)?;
    let changed: Vec<String> = [
        (component.source.plugin != now.plugin, format!("plugins/{name}")),
        (component.source.sdk != now.sdk, "plugins/sdk/rust".to_owned()),
        (component.source.wit != now.wit, "wit".to_owned()),
        (component.source.workspace != now.workspace, "plugins/Cargo.toml or plugins/Cargo.lock".to_owned()),
    ]
    .into_iter()
    .filter_map(|(changed, what)| changed.then_some(what))
    .collect();
    let path = root.join(COMPONENTS).join(file);
    Ok(if !path.exists() {
        Some(format!("{name}: {COMPONENTS}/{file} is missing; {}", mend()))
    } else if crate::hash::sha256(&fs::read(&path)?) != component.sha256 {
        Some(format!("{name}: {COMPONENTS}/{file} is not the file that manifest.toml describes; {}", mend()))
    } else if !changed.is_empty() || component.source.all != now.all {
        let what = if changed.is_empty() { "the source".to_owned() } else { changed.join(", ") };
        Some(format!("{name}: {COMPONENTS}/{file} is older than its source; changed: {what}; {}", mend()))
    } else {
        None
    })
}

fn mend() -> String {
    format!("run `{COMMAND}` and commit {COMPONENTS}")
}
