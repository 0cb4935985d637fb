//! Any HTTP request, wholly described by its configuration: plain HTTP needs no code.
//!
//! ```toml
//! [[workload]]
//! plugin = "http"
//! config = { method = "POST", paths = ["/a", "/b?x={index}"], fields = { accept = "text/plain" }, body = "n={sequence}", expect = [200, "3xx"] }
//! ```
//!
//! Arrival `i` takes path `i % n`, so that every run sends the same. `{index}`, `{sequence}`, `{client}` and `{seed}`
//! stand for the arrival's numbers in paths, field values and bodies; `{{` is a brace. The answer is right when its
//! status is an expected one (any 2xx where nothing is said) and, where `expect_body_contains` is given, its body holds
//! that text. Another status fails the iteration as `http_<status>`.

mod config;
mod plan;
mod template;

#[cfg(test)]
mod tests;

engine_sdk::plugin!(plan::Http);
