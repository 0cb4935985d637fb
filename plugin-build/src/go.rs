//! Plugins in Go: a module, built by the `go` command.

use std::fs;
use std::path::Path;

use crate::about::About;
use crate::plugin_toml::{self, FILE};
use crate::project::{Language, no_component};
use crate::tool::{Tool, run};
use crate::{Fault, component, made};

pub(crate) const LANGUAGE: Language =
    Language { name: "Go", manifest: "go.mod", described_in: FILE, about: plugin_toml::about, build };

/// What the module imports beside the interface, which the SDK's adapter offers in the place of WASI.
const ADAPTED: &str = "wasi_snapshot_preview1";
/// That adapter, in the SDK's folder.
const ADAPTER: &str = "adapter.wasm";
/// How Go is installed.
const INSTALL: &str = "install Go 1.24 or newer, from your distribution or from https://go.dev/dl";

/// The module's path is a name; what else is told stands in `plugin.toml`.
fn read(text: &str) -> Result<About, String> {
    let path = text.lines().find_map(|line| line.strip_prefix("module "));
    let name = path.map(|path| path.trim().trim_matches('"').to_owned()).ok_or("it has no line `module`")?;
    Ok(About { name, ..About::default() })
}

fn build(folder: &Path, about: &About) -> Result<Vec<u8>, Fault> {
    let go = Tool::new(&["go"]);
    if !go.answers(&["version"]) {
        return Err(Fault::call("Go is not installed, or `go` is not in PATH", INSTALL));
    }
    let adapter = folder.join("sdk").join(ADAPTER);
    let adapter = fs::read(&adapter).map_err(|error| {
        Fault::call(format!("{} cannot be read: {error}", adapter.display()), "copy it from a new plugin")
    })?;
    let module = made::by(folder, |out| {
        let mut command = go.command(folder);
        command.env("GOOS", "wasip1").env("GOARCH", "wasm").env("GOFLAGS", "-mod=mod");
        command.args(["build", "-buildmode=c-shared", "-trimpath", "-o"]).arg(out).arg(".");
        run(&mut command, "the compilation by go", INSTALL)
    })?;
    let adapters = Some((ADAPTED, adapter.as_slice()));
    component::wrap(module, adapters)
        .map_err(|error| no_component(&about.file_name(), &error, "mend what is said there"))
}
