//! What `wit-bindgen` makes of the folder `wit/` (in the project a link to its `wit/`). Not for plugins: the rest of this
//! crate wraps it.
//!
//! Borrowing ownership: what a plugin sends is lowered from where it lies, without a copy of every string first.
#![allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic)]

wit_bindgen::generate!({
    path: "wit",
    world: "plugin",
    ownership: Borrowing { duplicate_if_necessary: true },
    pub_export_macro: true,
    default_bindings_module: "engine_sdk::bindings",
});
