//! What a component may import.

use wasmparser::{Parser, Payload};

use crate::wit::Package;

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
