//! From a core module to a component, and what it may import.

use std::path::Path;

use anyhow::Context;
use wasmparser::{Parser, Payload};
use wit_component::ComponentEncoder;

use crate::wit::Package;

/// Makes a component of a core module that `wit-bindgen` has described.
pub(super) fn encode(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    ComponentEncoder::default().validate(true).module(module)?.encode()
}

/// Refuses a component that imports anything but the interface, WASI above all, or does not export it.
pub(super) fn inspect(component: &[u8], package: &Package) -> anyhow::Result<()> {
    let allowed = [package.interface("actions"), package.interface("types")];
    let wanted = package.interface("workload");
    let mut exported = false;
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            // Nested modules and components have imports of their own, which the component around them satisfies.
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(imports) if depth == 0 => {
                for import in imports {
                    let name = import?.name.name;
                    anyhow::ensure!(
                        allowed.iter().any(|allowed| allowed == name),
                        "imports {name}; a plugin may import nothing but {}",
                        allowed.join(" and ")
                    );
                }
            }
            Payload::ComponentExportSection(exports) if depth == 0 => {
                for export in exports {
                    exported |= export?.name.name == wanted;
                }
            }
            _ => {}
        }
    }
    anyhow::ensure!(exported, "does not export {wanted}; call `engine_sdk::plugin!` in its lib.rs");
    Ok(())
}

/// Refuses a component that holds the name of a folder of this machine: such a build could not be repeated elsewhere,
/// and panic texts would tell where it was made.
pub(super) fn ensure_no_paths(component: &[u8], folders: &[&Path]) -> anyhow::Result<()> {
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let folders = folders.iter().copied().chain(home.as_deref());
    for folder in folders.filter(|folder| folder.components().count() > 1) {
        let folder = folder.to_str().context("the project's folder has a name that is no UTF-8")?;
        let needle = format!("{folder}/");
        let found = component.windows(needle.len()).position(|window| window == needle.as_bytes());
        if let Some(at) = found {
            let text: Vec<u8> = component[at..].iter().copied().take(120).take_while(u8::is_ascii_graphic).collect();
            anyhow::bail!("holds a path of this machine: {}", String::from_utf8_lossy(&text));
        }
    }
    Ok(())
}
