//! The interface of `wit/workload.wit` as Rust types, made by wasmtime.
//!
//! Answers are lent to the plugin (`…Param<'_>`), so that a body is copied once, into the plugin's memory; what a plugin
//! hands over is owned.

#![allow(missing_docs, clippy::pedantic, unreachable_pub, reason = "generated")]
#![allow(unsafe_code, reason = "generated: the lifting and lowering of component values is unsafe to implement")]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "plugin",
    ownership: Borrowing { duplicate_if_necessary: true },
});
