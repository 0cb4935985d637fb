//! The plugins of `plugins/` as components under `plugins/components/`.
//!
//! Building them needs a toolchain for WebAssembly, building the engine does not: the components are committed, each
//! with the digest of the source it was made from, and [`check`] tells when the two have parted.

mod check;
mod component;
mod manifest;
mod source;
mod toolchain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use plugin_build::rust::{Folder, Package, SDK, TARGET};
use plugin_build::{About, Running};

pub use check::check;
pub use manifest::{Component, Manifest, Source};

use toolchain::Toolchain;

/// The command that mends whatever [`check`] finds.
pub const COMMAND: &str = "cargo xtask guests";

/// Where the built components are, below the project's folder.
pub const COMPONENTS: &str = "plugins/components";

/// Builds every plugin and writes components and manifest. The plugins' own tests are not run.
///
/// # Errors
/// Where the toolchain is missing and cannot be made, a build fails, or a component imports what is not the
/// interface's.
pub fn build(root: &Path) -> anyhow::Result<Vec<Component>> {
    let plugins = root.join("plugins");
    let names = source::plugins(root)?;
    let interface = crate::wit::package(root)?;
    let target = target_folder(&plugins);
    let folder = Folder::open(&plugins, &Running::default())?;
    let metadata = folder.metadata()?;
    let toolchain = Toolchain::find(&plugins, &target, folder.remap(&metadata))?;
    let package = |name: &str| metadata.packages.iter().find(|package| package.name == name);

    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--target", TARGET]).current_dir(&plugins).env("CARGO_TARGET_DIR", &target);
    for name in &names {
        cargo.args(["-p", name]);
    }
    toolchain.apply(&mut cargo);
    run(&mut cargo)?;

    let folder = root.join(COMPONENTS);
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let mut components = Vec::new();
    for name in names {
        let module = target.join(TARGET).join("release").join(format!("{name}.wasm"));
        let module = fs::read(&module).with_context(|| format!("reading {}", module.display()))?;
        let package_of_it = package(&name).with_context(|| format!("plugins/ has no package {name}"))?;
        // No revision: a component would then differ after every commit.
        let sdk = package(SDK).map(Package::name_and_version);
        let (bytes, untold) = plugin_build::component::encode(&module)
            .and_then(|bytes| plugin_build::component::describe(&bytes, &About { sdk, ..package_of_it.about() }))
            .with_context(|| format!("making a component of {name}"))?;
        anyhow::ensure!(untold.is_empty(), "{name}: {}", untold.join("; "));
        component::inspect(&bytes, &interface).with_context(|| format!("the component {name}"))?;
        if let Some(path) = plugin_build::path_in(&bytes, toolchain.folders().chain([root])) {
            anyhow::bail!("the component {name} holds a path of this machine: {path}");
        }
        let file = format!("{name}.wasm");
        fs::write(folder.join(&file), &bytes).with_context(|| format!("writing {COMPONENTS}/{file}"))?;
        components.push(Component {
            source: Source::of(root, &name)?,
            sha256: crate::hash::sha256(&bytes),
            size: bytes.len() as u64,
            interface: interface.to_string(),
            file,
            name,
        });
    }
    let manifest = Manifest { components };
    manifest.write(root)?;
    Ok(manifest.components)
}

/// `CARGO_TARGET_DIR` where set, else a folder of the plugins' own workspace.
fn target_folder(plugins: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) if !folder.is_empty() => std::path::absolute(&folder).unwrap_or_else(|_| folder.into()),
        _ => plugins.join("target"),
    }
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("starting {program}"))?;
    anyhow::ensure!(status.success(), "{program} ended with {status}");
    Ok(())
}
