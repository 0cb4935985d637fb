//! Plugins in Go: a module, built by the `go` command.

use std::path::Path;

use crate::about::About;
use crate::made::Maker;
use crate::plugin_toml::{self, FILE};
use crate::project::{Language, no_component};
use crate::tool::Tool;
use crate::{Fault, Running, component};

pub(crate) const LANGUAGE: Language =
    Language { name: "Go", manifest: "go.mod", described_in: FILE, about: plugin_toml::about, build };

/// What a module made by Go imports beside the interface, and what offers it in the place of WASI.
const ADAPTED: &str = "wasi_snapshot_preview1";
const ADAPTER: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/sdk/go/adapter.wat"));
/// How Go is installed.
const INSTALL: &str = "install Go 1.24 or newer, from your distribution or from https://go.dev/dl";
/// The target, and nothing of the user's settings that would make the result another one.
const VARIABLES: [(&str, &str); 6] = [
    ("GOTOOLCHAIN", "local"),
    ("GOOS", "wasip1"),
    ("GOARCH", "wasm"),
    ("CGO_ENABLED", "0"),
    ("GOFLAGS", ""),
    ("GOWORK", "off"),
];
/// Without paths and debug information; what a panic shows comes from the runtime's own tables.
const ARGUMENTS: [&str; 6] = ["build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o"];

fn build(folder: &Path, _: &str, about: &About, running: &Running) -> Result<Vec<u8>, Fault> {
    let go = Tool::new(&["go"]);
    if !go.answers(folder, &["version"], running) {
        return Err(Fault::call("Go is not installed, or `go` is not in PATH", INSTALL));
    }
    let module = Maker { what: "the compilation by go", help: INSTALL, running }.make(folder, |out| {
        let mut command = go.command(folder);
        command.envs(VARIABLES).args(ARGUMENTS).arg(out).arg(".");
        command
    })?;
    wat::parse_str(ADAPTER)
        .map_err(anyhow::Error::from)
        .and_then(|adapter| component::wrap(module, Some((ADAPTED, adapter))))
        .map_err(|error| no_component(&about.file_name(), &error, "mend what is said there"))
}
