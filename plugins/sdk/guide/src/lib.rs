//! The guide to plugins. Each of its Rust snippets is a test of this crate: one that stops compiling, or whose assertions
//! stop holding, fails `cargo test`.
#![allow(clippy::doc_markdown, reason = "a page for people, in which names are no code")]
#![doc = include_str!("../../../../docs/plugins.md")]
