//! A compilation by cargo: what it says on the way, and the module that comes of it.

use std::io::{self, BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::folder::{no_cargo, no_target};
use crate::{Fault, Running};

use super::{Flags, Folder, Package, Remap, TARGET};

/// How to compile.
pub struct Compile<'a> {
    /// What stands in for this machine's folders.
    pub remap: &'a Remap,
    /// Whether the compiler's words go to a terminal that shows colours.
    pub colours: bool,
    /// Takes the compiler's words, with their line ends.
    pub say: &'a mut dyn FnMut(&str),
}

/// What was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The core module.
    pub module: PathBuf,
}

/// A line of cargo's messages: those kinds of it that matter here.
#[derive(Deserialize)]
#[serde(tag = "reason")]
enum Message {
    #[serde(rename = "compiler-message")]
    Said { message: Diagnostic },
    #[serde(rename = "compiler-artifact")]
    Made { package_id: String, target: super::package::Target, filenames: Vec<PathBuf> },
    #[serde(other)]
    Other,
}

/// What the compiler says of the source.
#[derive(Deserialize)]
struct Diagnostic {
    rendered: Option<String>,
    children: Vec<Child>,
}

/// A note under it.
#[derive(Deserialize)]
struct Child {
    message: String,
}

impl Diagnostic {
    /// The compiler has no standard library for the target.
    fn lacks_target(&self) -> bool {
        let note = format!("the `{TARGET}` target may not be installed");
        self.children.iter().any(|child| child.message == note)
    }
}

/// What cargo's messages come to.
#[derive(Default)]
struct Seen {
    module: Option<PathBuf>,
    lacks_target: bool,
}

impl Seen {
    /// Takes one line of cargo's stdout; what is no message of cargo's is passed over.
    fn take(&mut self, line: &str, package: &str, say: &mut dyn FnMut(&str)) {
        match serde_json::from_str(line) {
            Ok(Message::Said { message }) => {
                if message.lacks_target() {
                    // Said once at the end, and not by each crate.
                    self.lacks_target = true;
                } else if let Some(text) = message.rendered.filter(|_| !self.lacks_target) {
                    say(&text);
                }
            }
            Ok(Message::Made { package_id, target, filenames })
                if package_id == package && target.kind.iter().any(|kind| kind == "cdylib") =>
            {
                let wasm = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "wasm");
                self.module = filenames.into_iter().find(wasm);
            }
            _ => {}
        }
    }
}

impl Folder {
    /// Compiles a package of this folder to a core module, optimised. Cargo's own words go to stderr.
    ///
    /// # Errors
    /// Where cargo or the target is not installed, or the package does not compile.
    pub fn compile(&self, package: &Package, how: Compile<'_>) -> Result<Built, Fault> {
        let Compile { remap, colours, say } = how;
        let mut cargo = self.cargo("build");
        cargo.args(["--release", "--lib", "--target", TARGET, "-p", &package.name]);
        cargo.arg(if colours { "--message-format=json-diagnostic-rendered-ansi" } else { "--message-format=json" });
        match remap.flags(|name| std::env::var_os(name)) {
            Flags::Encoded(flags) => cargo.env("CARGO_ENCODED_RUSTFLAGS", flags),
            Flags::Config(setting) => cargo.args(["--config", &setting]),
        };
        let (seen, success) = watch(&mut cargo, &package.id, &self.running, say).map_err(|error| no_cargo(&error))?;
        match seen.module {
            Some(module) if success => Ok(Built { module }),
            _ if seen.lacks_target => Err(no_target()),
            _ if success => Err(Fault::call(
                format!("cargo built `{}`, but no WebAssembly module of it", package.name),
                "look for a `build.target` or another setting in .cargo/config.toml that sends it elsewhere",
            )),
            _ => Err(Fault::plugin(
                format!("`{}` does not compile for {TARGET}", package.name),
                "mend what cargo says above; code for tests alone belongs under #[cfg(test)], and a crate that needs an operating \
                 system does not belong in a plugin",
            )),
        }
    }
}

/// Runs cargo and takes its messages as they come.
fn watch(cargo: &mut Command, package: &str, running: &Running, say: &mut dyn FnMut(&str)) -> io::Result<(Seen, bool)> {
    let (status, seen) = running.with(cargo.stdout(Stdio::piped()), |child| {
        let mut seen = Seen::default();
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).split(b'\n') {
                seen.take(&String::from_utf8_lossy(&line?), package, say);
            }
        }
        Ok(seen)
    })?;
    Ok((seen, status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lines: &[&str]) -> (Seen, String) {
        let (mut seen, mut said) = (Seen::default(), String::new());
        for line in lines {
            seen.take(line, "path+file:///p#zz@0.1.0", &mut |text| said.push_str(text));
        }
        (seen, said)
    }

    #[test]
    fn the_module_is_the_packages_own_library() {
        let (seen, said) = seen(&[
            r#"{"reason":"compiler-artifact","package_id":"registry+x#serde@1.0.0","target":{"kind":["lib"],"name":"serde"},"filenames":["/t/libserde.rlib"],"fresh":true}"#,
            r#"{"reason":"compiler-artifact","package_id":"path+file:///p#zz@0.1.0","target":{"kind":["custom-build"],"name":"b"},"filenames":["/t/b.wasm"]}"#,
            r#"{"reason":"compiler-artifact","package_id":"path+file:///p#zz@0.1.0","target":{"kind":["cdylib","rlib"],"name":"zz"},"filenames":["/t/libzz.rlib","/t/zz.wasm"]}"#,
            r#"{"reason":"build-script-executed","package_id":"x"}"#,
            r#"{"reason":"build-finished","success":true}"#,
            "a line of something else",
        ]);
        assert_eq!((seen.module, seen.lacks_target, said.as_str()), (Some("/t/zz.wasm".into()), false, ""));
    }

    #[test]
    fn what_the_compiler_says_is_passed_on_unless_the_target_is_missing() {
        let warning = r#"{"reason":"compiler-message","message":{"rendered":"warning: unused\n","children":[]}}"#;
        let missing = r#"{"reason":"compiler-message","message":{"rendered":"error[E0463]: can't find crate for `std`\n","children":[{"message":"the `wasm32-unknown-unknown` target may not be installed"}]}}"#;
        let more = r#"{"reason":"compiler-message","message":{"rendered":"For more information about this error …\n","children":[]}}"#;
        let (seen, said) = seen(&[warning, missing, more]);
        assert_eq!((seen.lacks_target, said.as_str()), (true, "warning: unused\n"));
    }
}
