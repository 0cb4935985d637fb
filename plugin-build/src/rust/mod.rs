//! Plugins in Rust: a cargo package or workspace, asked by way of cargo itself.

mod cargo;
mod folder;
mod package;
mod remap;
mod toolchain;

pub use cargo::{Built, Compile};
pub use folder::Folder;
pub use package::{Metadata, Package};
pub use remap::{Flags, Remap};
pub use toolchain::has_target;

/// The target that plugins are built for: no WASI, so that nothing of it can be imported.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The SDK's package.
pub const SDK: &str = "engine-sdk";
