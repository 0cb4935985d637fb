//! From a folder with a plugin's source to a component: what `engine plugin build` and `cargo xtask guests` share.
//!
//! * [`Project`]: a folder in any of the languages, told by its manifest; [`Project::build`] runs that language's toolchain.
//! * [`component`]: from a core module to a component that says what it is.
//! * [`rust`]: cargo packages and workspaces.

mod about;
mod c;
pub mod component;
mod fault;
mod go;
mod javascript;
mod made;
mod manifest;
mod paths;
mod plugin_toml;
mod project;
mod python;
mod revision;
mod running;
pub mod rust;
mod tool;

pub use about::{About, Said};
pub use fault::{Blame, Fault};
pub use paths::path_in;
pub use project::{Asked, How, Made, Project};
pub use running::Running;
