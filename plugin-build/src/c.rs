//! Plugins in C: the workload's files and the SDK's, compiled in one go by zig or clang.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::about::About;
use crate::made::Maker;
use crate::plugin_toml::{self, FILE};
use crate::project::{Language, no_component};
use crate::tool::Tool;
use crate::{Fault, Running, component};

pub(crate) const LANGUAGE: Language =
    Language { name: "C", manifest: FILE, described_in: FILE, about: plugin_toml::about, build };

/// A variable with the words of a compiler's command, for who has it elsewhere.
const VARIABLE: &str = "CC_WASM";
/// Compilers that bring what a plugin needs, in the order in which they are looked for, with what is said to that one alone. The
/// stack of clang's linker lies above the data, where an overflow would not be noticed; zig's lies below.
const COMPILERS: [(&[&str], &[&str]); 3] = [
    (&["zig", "cc"], &["-target", "wasm32-wasi"]),
    (&["python3", "-m", "ziglang", "cc"], &["-target", "wasm32-wasi"]),
    (&["clang"], &["--target=wasm32-wasi", "-Wl,--stack-first"]),
];
/// What every compilation is told: no `main`, quick code, the functions' names kept for what a trap shows.
const FLAGS: [&str; 11] = [
    "-mexec-model=reactor",
    "-std=gnu11",
    "-O2",
    "-flto",
    "-g0",
    "-Wall",
    "-Wextra",
    // Clang before 16 only warns, and makes an import of it that nothing offers.
    "-Werror=implicit-function-declaration",
    "-Wl,--no-entry",
    "-Wl,--gc-sections",
    "-Wl,-z,stack-size=131072",
];
/// How a compiler is installed.
const INSTALL: &str = "python3 -m pip install ziglang; or on Debian and Ubuntu: apt-get install clang lld wasi-libc \
                       libclang-rt-dev-wasm32; or say which one with CC_WASM";
/// What a module imports that nothing offers.
const FOREIGN: &str =
    "a plugin has no operating system around it: leave out what needs one (files, clocks, printf to standard output)";

fn build(folder: &Path, manifest: &str, about: &About, running: &Running) -> Result<Vec<u8>, Fault> {
    let c =
        plugin_toml::read(manifest).map_err(|what| Fault::call(format!("{FILE} cannot be read: {what}"), "mend it"))?.c;
    let sources = sources(folder, &c.sources, &c.sdk)?;
    let (compiler, own) = compiler(folder, running)?;
    let what = format!("the compilation by {}", compiler.shown());
    let module = Maker { what: &what, help: INSTALL, running }.make(folder, |out| {
        let mut arguments: Vec<OsString> = own.iter().chain(&FLAGS).map(OsString::from).collect();
        let version = about.version.as_deref().unwrap_or_default();
        arguments.push(format!("-DPLUGIN_VERSION=\"{}\"", version.replace(['"', '\\'], "")).into());
        arguments.push(format!("-ffile-prefix-map={}=.", folder.display()).into());
        if !c.sdk.is_empty() {
            arguments.push(format!("-I{}", c.sdk).into());
        }
        arguments.extend(c.flags.iter().map(OsString::from));
        // A name that begins with a dash is no option.
        arguments.extend(sources.iter().map(|source| Path::new(".").join(source).into_os_string()));
        arguments.extend(["-o".into(), out.into()]);
        let mut command = compiler.command(folder);
        command.args(arguments);
        command
    })?;
    component::without_debug_sections(&module)
        .and_then(|module| component::wrap(module, None))
        .map_err(|error| no_component(&about.file_name(), &error, FOREIGN))
}

/// What is compiled (all C files of the SDK's folder too, unless that is empty), by paths that count from the plugin's folder, so that none of this machine gets into it.
fn sources(folder: &Path, patterns: &[String], sdk: &str) -> Result<Vec<PathBuf>, Fault> {
    let of_sdk = (!sdk.is_empty()).then(|| format!("{sdk}/*.c"));
    let mut all = Vec::new();
    for pattern in patterns.iter().chain(&of_sdk) {
        let whole = folder.join(pattern);
        // The folder's own name is no pattern.
        let inside = Path::new(&glob::Pattern::escape(&folder.to_string_lossy())).join(pattern);
        let found = glob::glob(&inside.to_string_lossy()).map_err(|error| {
            Fault::call(format!("{FILE}: {pattern:?} is no pattern of paths: {error}"), "write for example \"src/*.c\"")
        })?;
        let mut files: Vec<PathBuf> = found.flatten().filter(|file| file.is_file()).collect();
        if files.is_empty() {
            return Err(Fault::call(
                format!("there is no file {}", whole.display()),
                format!("say in {FILE} where they are: [c] sources = [\"src/*.c\"], sdk = \"sdk\""),
            ));
        }
        files.sort();
        let shown = files.iter().map(|file| file.strip_prefix(folder).unwrap_or(file).to_owned());
        for file in shown {
            if !all.contains(&file) {
                all.push(file);
            }
        }
    }
    Ok(all)
}

/// The compiler to use, and what is said to it alone.
fn compiler(folder: &Path, running: &Running) -> Result<(Tool, &'static [&'static str]), Fault> {
    if let Some(words) = std::env::var(VARIABLE).ok().filter(|words| !words.trim().is_empty()) {
        return Ok((Tool::new(&words.split_whitespace().collect::<Vec<_>>()), &[]));
    }
    let mut there = COMPILERS.iter().map(|(words, own)| (Tool::new(words), *own));
    there.find(|(tool, _)| tool.answers(folder, &["--version"], running)).ok_or_else(|| {
        Fault::call("there is no C compiler for WebAssembly: neither zig nor clang is installed, or in PATH", INSTALL)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_the_plugins_then_the_sdks_each_sorted() {
        let around = tempfile::tempdir().expect("a folder");
        let place = around.path().join("c[1] *");
        for folder in ["src", "sdk"] {
            std::fs::create_dir_all(place.join(folder)).expect("made");
        }
        for file in ["src/b.c", "src/a.c", "src/a.h", "sdk/plugin.c"] {
            std::fs::write(place.join(file), "").expect("written");
        }
        let found = sources(&place, &["src/*.c".to_owned()], "sdk").expect("files");
        assert_eq!(found, ["src/a.c", "src/b.c", "sdk/plugin.c"].map(PathBuf::from));
        let twice = ["src/*.c".to_owned(), "src/a.c".to_owned()];
        assert_eq!(sources(&place, &twice, "").expect("files"), ["src/a.c", "src/b.c"].map(PathBuf::from));
        let none = sources(&place, &["source/*.c".to_owned()], "sdk").expect_err("no files").to_string();
        assert!(
            none.starts_with("there is no file ") && none.contains("source/*.c\n  help: say in plugin.toml"),
            "{none}"
        );
    }
}
