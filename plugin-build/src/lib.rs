//! From a folder with a plugin's source to a component: what `engine plugin build` and `cargo xtask guests` share.
//!
//! * [`Folder`]: a cargo package or workspace, asked by way of cargo itself.
//! * [`Remap`]: no path of this machine in what is built.
//! * [`component`]: from a core module to a component that says what it is.

mod cargo;
pub mod component;
mod fault;
mod folder;
mod package;
mod remap;
mod revision;
mod toolchain;

pub use cargo::{Built, Compile};
pub use fault::{Blame, Fault};
pub use folder::Folder;
pub use package::{Metadata, Package};
pub use remap::{Flags, Remap, path_in};
pub use revision::revision;
pub use toolchain::has_target;

/// The target that plugins are built for: no WASI, so that nothing of it can be imported.
pub const TARGET: &str = "wasm32-unknown-unknown";
