//! Plugins in C: `src/*.c` and the SDK's files, compiled by zig or clang.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::about::About;
use crate::plugin_toml::{self, FILE};
use crate::project::{Language, no_component};
use crate::tool::Tool;
use crate::{Fault, component, made};

pub(crate) const LANGUAGE: Language =
    Language { name: "C", manifest: FILE, described_in: FILE, about: plugin_toml::about, build };

/// A variable that names the compiler, for who has it elsewhere.
const VARIABLE: &str = "CC_WASM";
/// Compilers that bring what a plugin needs, in the order in which they are looked for, and what shows that they are there.
const COMPILERS: [(&[&str], &str); 3] =
    [(&["zig", "cc"], "--version"), (&["python3", "-m", "ziglang", "cc"], "--version"), (&["clang"], "--version")];
/// How one is installed.
const INSTALL: &str = "python3 -m pip install ziglang; or on Debian and Ubuntu: apt-get install clang lld wasi-libc \
                       libclang-rt-dev-wasm32; or say which one with CC_WASM";
/// What a module imports that nothing offers.
const FOREIGN: &str =
    "a plugin has no WASI around it: leave out what needs an operating system (files, clocks, printf to stdout)";

/// What every compilation is told: no `main`, small and fast, the functions' names kept for what a trap shows.
const FLAGS: [&str; 9] = [
    "--target=wasm32-wasi",
    "-mexec-model=reactor",
    "-std=c11",
    "-O2",
    "-flto",
    "-Wall",
    "-Wextra",
    "-g0",
    "-Wl,--no-entry",
];

fn build(folder: &Path, about: &About) -> Result<Vec<u8>, Fault> {
    let manifest = fs::read_to_string(folder.join(FILE)).map_err(|error| error.to_string());
    let manifest = manifest.and_then(|text| plugin_toml::read(&text));
    let manifest = manifest.map_err(|what| Fault::call(format!("{FILE} cannot be read: {what}"), "mend it"))?;
    let sdk = folder.join(&manifest.plugin.sdk);
    let sources: Vec<PathBuf> = sources(&folder.join("src"))?.into_iter().chain(sources(&sdk)?).collect();
    let compiler = compiler()?;
    let module = made::by(folder, |out| {
        let mut arguments: Vec<OsString> = FLAGS.map(OsString::from).to_vec();
        arguments.push(format!("-ffile-prefix-map={}=.", folder.display()).into());
        arguments.extend(["-I".into(), sdk.clone().into()]);
        arguments.extend(manifest.c.flags.iter().map(OsString::from));
        arguments.extend(sources.iter().map(|source| source.strip_prefix(folder).unwrap_or(source).into()));
        arguments.extend(["-o".into(), out.into()]);
        compiler.run(folder, &arguments, &format!("the compilation by {}", compiler.shown()), INSTALL)
    })?;
    component::wrap(module, None).map_err(|error| no_component(&about.file_name(), &error, FOREIGN))
}

/// The C files of a folder, sorted.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let entries = fs::read_dir(folder).map_err(|error| {
        Fault::call(
            format!("{} cannot be read: {error}", folder.display()),
            "a plugin in C has its files in src/ and sdk/",
        )
    })?;
    let c = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c");
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(c).collect();
    found.sort();
    Ok(found)
}

/// The compiler to use.
fn compiler() -> Result<Tool, Fault> {
    if let Some(words) = std::env::var(VARIABLE).ok().filter(|words| !words.trim().is_empty()) {
        return Ok(Tool::new(&words.split_whitespace().collect::<Vec<_>>()));
    }
    let mut there = COMPILERS.iter().map(|(words, question)| (Tool::new(words), question));
    let found = there.find(|(tool, question)| tool.answers(&[question]));
    found.map(|(tool, _)| tool).ok_or_else(|| {
        Fault::call("there is no C compiler for WebAssembly: neither zig nor clang is installed, or in PATH", INSTALL)
    })
}
