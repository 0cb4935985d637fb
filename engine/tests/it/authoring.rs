//! `engine plugin new` and `engine plugin build`, as far as no compiler for WebAssembly is needed: `.ci/run` does the rest.

use std::fs;
use std::process::Command;

use super::kit::{Place, Ran, program};

const LIBRARY: &str = "[package]\nname = \"tea\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const PLUGIN: &str = "[lib]\ncrate-type = [\"cdylib\"]\n";

/// A place with a package.
fn with(manifest: &str) -> Place {
    let place = Place::new();
    place.write("Cargo.toml", manifest.as_bytes());
    fs::create_dir(place.path().join("src")).unwrap();
    place.write("src/lib.rs", b"");
    place
}

/// A command whose cargo and rustc are those of the tests, whatever surrounds them.
fn command(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    for variable in ["RUSTC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS"] {
        command.env_remove(variable);
    }
    // Settings of whoever runs the tests say nothing here.
    command
        .env("CARGO_HOME", place.path().join("none"))
        .env_remove("CARGO_TARGET_DIR")
        .env("CARGO_NET_OFFLINE", "true");
    command
}

/// A refusal: its text, and nothing written or printed.
fn refused(place: &Place, mut command: Command, status: i32) -> String {
    let ran = Ran::from(command.output().unwrap());
    assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{}", ran.stderr);
    let wasm = fs::read_dir(place.path()).unwrap().flatten().filter(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.contains(".wasm") || name.starts_with(".engine")
    });
    assert_eq!(wasm.count(), 0, "something is left");
    ran.stderr.replace(&place.path().display().to_string(), "HERE")
}

#[test]
fn a_new_plugin_is_a_whole_folder_and_says_what_to_do_next() {
    let place = Place::new();
    let ran = place.run(&["plugin", "new", "tea_shop"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            0,
            "made tea_shop: a workload with its tests, a scenario, and the SDK it is built with. What to do next:\n  \
             cd tea_shop\n  cargo test\n  engine plugin build\n  engine try scenario.toml\n  engine run --scenario scenario.toml\n",
            ""
        )
    );
    let folder = place.path().join("tea_shop");
    let files = ["Cargo.toml", "Cargo.lock", "src/lib.rs", "cases.toml", "scenario.toml", "README.md", ".gitignore"];
    for file in files.into_iter().chain(["sdk/Cargo.toml", "sdk/src/lib.rs", "sdk/wit/workload.wit", "sdk/LICENSE-MIT"])
    {
        assert!(folder.join(file).is_file(), "{file}");
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "a draft is left");

    fs::write(folder.join("src/lib.rs"), "mine").unwrap();
    assert_eq!(
        refused(&place, place.command(&["plugin", "new", "tea_shop"]), 2),
        "error: ./tea_shop is there already\n  help: choose another name, or another folder with --dir\n"
    );
    assert_eq!(fs::read_to_string(folder.join("src/lib.rs")).unwrap(), "mine");
}

#[test]
fn a_name_or_a_place_that_does_not_do_is_refused() {
    let place = Place::new();
    let text = |arguments: &[&str], status| refused(&place, place.command(arguments), status);
    assert_eq!(
        text(&["plugin", "new", "Tea-Shop"], 2),
        "error: the name \"Tea-Shop\" cannot be used: a plugin's name has 1 to 64 lower-case letters, digits and `_`\n  help: \
         choose another, such as tea_shop\n"
    );
    assert_eq!(
        text(&["plugin", "new", "tea", "--dir", "gone"], 2),
        "error: there is no folder gone\n  help: make it first, or leave out --dir\n"
    );
    // A folder in which nobody can make anything.
    let unwritable = text(&["plugin", "new", "tea", "--dir", "/proc/self"], 6);
    assert!(unwritable.starts_with("error: /proc/self/tea cannot be made: "), "{unwritable}");
    assert!(
        unwritable.ends_with("\n  help: make the folder around it writable, or choose another with --dir\n"),
        "{unwritable}"
    );
}

#[test]
fn a_toolchain_that_is_missing_is_named_with_how_to_install_it() {
    for (files, text) in [
        (
            &[("package.json", "{\"name\": \"tea\"}")][..],
            "error: Node.js is not installed, or `node` is not in PATH\n  help: install Node.js 20.10 or newer, then in the \
             plugin's folder: npm ci\n",
        ),
        (
            &[("pyproject.toml", "[project]\nname = \"tea\"\n")],
            "error: Python is not installed, or `python3` is not in PATH\n  help: install Python 3.11 or newer\n",
        ),
        (
            &[("plugin.toml", "[plugin]\nname = \"tea\"\n"), ("src/a.c", ""), ("sdk/b.c", "")],
            "error: there is no C compiler for WebAssembly: neither zig nor clang is installed, or in PATH\n  help: python3 -m \
             pip install ziglang; or on Debian and Ubuntu: apt-get install clang lld wasi-libc libclang-rt-dev-wasm32; or say \
             which one with CC_WASM\n",
        ),
        (
            &[("plugin.toml", "[plugin]\nname = \"tea\"\n"), ("go.mod", "module tea\n")],
            "error: Go is not installed, or `go` is not in PATH\n  help: install Go 1.24 or newer, from your distribution or \
             from https://go.dev/dl\n",
        ),
    ] {
        let place = Place::new();
        for (file, text) in files {
            let path = place.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut build = command(&place, &["plugin", "build"]);
        build.env("PATH", "").env_remove("CC_WASM");
        assert_eq!(refused(&place, build, 2), text);
    }
}

#[test]
fn what_is_not_there_yet_or_is_wrong_in_a_manifest_is_named() {
    let place = Place::new();
    place.write("package.json", b"{\"name\": \"tea\"}");
    // Any program that can be asked for its version will do for this.
    let node = program(place.path(), "node", "exit 0");
    let mut build = command(&place, &["plugin", "build"]);
    build.env("PATH", node.parent().unwrap());
    assert_eq!(
        refused(&place, build, 2),
        "error: what the plugin is built with is not installed: there is no node_modules/engine-sdk/build.mjs\n  help: in the \
         plugin's folder: npm ci\n"
    );
    let place = Place::new();
    place.write("plugin.toml", b"[plugin]\nname = \"tea\"\nlicense = \"MIT\"\n");
    let text = refused(&place, command(&place, &["plugin", "build"]), 2);
    assert!(text.starts_with("error: ./plugin.toml cannot be read: TOML parse error at line 3, column 1"), "{text}");
    assert!(text.contains("unknown field `license`, expected one of `name`"), "{text}");
}

#[test]
fn a_folder_without_a_plugin_is_not_built() {
    let place = Place::new();
    assert_eq!(
        refused(&place, command(&place, &["plugin", "build"]), 2),
        "error: the folder . has no plugin: no Cargo.toml, pyproject.toml, go.mod, plugin.toml, package.json\n  help: \
         give the folder of a plugin, or make one: engine plugin new NAME\n"
    );
    let place = with(LIBRARY);
    assert_eq!(
        refused(&place, command(&place, &["plugin", "build"]), 2),
        "error: package `tea` of ./Cargo.toml is no plugin: it is no `cdylib`\n  help: write in its Cargo.toml:\n    [lib]\n    \
         crate-type = [\"cdylib\"]\n"
    );
    let place = with("[package]\nname = 5\n");
    let text = refused(&place, command(&place, &["plugin", "build"]), 2);
    assert!(text.starts_with("error: cargo cannot read ./Cargo.toml: invalid type: integer"), "{text}");
    assert!(text.ends_with("\n  help: mend what cargo says there\n"), "{text}");
}

#[test]
fn of_several_plugins_one_must_be_named() {
    let place = Place::new();
    place.write("Cargo.toml", b"[workspace]\nresolver = \"3\"\nmembers = [\"tea\", \"rum\"]\n");
    for name in ["tea", "rum"] {
        fs::create_dir_all(place.path().join(name).join("src")).unwrap();
        let manifest = format!("{}{PLUGIN}", LIBRARY.replace("tea", name));
        place.write(&format!("{name}/Cargo.toml"), manifest.as_bytes());
        place.write(&format!("{name}/src/lib.rs"), b"");
    }
    let text = refused(&place, command(&place, &["plugin", "build"]), 2);
    assert!(text.starts_with("error: the workspace ./Cargo.toml has several plugins: "), "{text}");
    assert_eq!(
        refused(&place, command(&place, &["plugin", "build", "-p", "gin", "."]), 2).lines().next(),
        Some("error: ./Cargo.toml has no package `gin`")
    );
}

#[test]
fn what_is_not_installed_is_said_with_how_to_install_it() {
    let place = with(&format!("{LIBRARY}{PLUGIN}"));
    let mut without = command(&place, &["plugin", "build"]);
    without.env_remove("CARGO").env("PATH", place.path());
    assert_eq!(
        refused(&place, without, 2),
        "error: cargo is not installed, or not in PATH\n  help: install Rust from https://rustup.rs, then: rustup target add \
         wasm32-unknown-unknown\n"
    );
    let rustc = program(place.path(), "rustc", "echo /nowhere");
    let mut without = command(&place, &["plugin", "build"]);
    without.env("RUSTC", rustc);
    assert_eq!(
        refused(&place, without, 2),
        "error: Rust's target wasm32-unknown-unknown is not installed\n  help: rustup target add wasm32-unknown-unknown\n"
    );
}

#[test]
fn a_file_that_cannot_be_written_is_noticed_before_the_compilation() {
    let place = with(&format!("{LIBRARY}{PLUGIN}"));
    assert_eq!(
        refused(&place, command(&place, &["plugin", "build", "--out", "gone/tea.wasm"]), 6),
        "error: gone/tea.wasm cannot be written: entity not found\n  help: choose a file in a folder that is there and writable \
         with --out\n"
    );
}

/// The text where cargo's compilation comes to this: a script that stands in for it.
fn compiled(place: &Place, script: &str) -> String {
    let real = std::env::var("CARGO").unwrap();
    let cargo = program(place.path(), "cargo", &format!("[ \"$1\" = metadata ] && exec '{real}' \"$@\"\n{script}"));
    let mut build = command(place, &["plugin", "build"]);
    // Flags of the user's keep the engine from looking for the target itself.
    build.env("CARGO", cargo).env("RUSTFLAGS", "-Cdebuginfo=0");
    refused(place, build, 4)
}

/// The text where cargo makes this module.
fn made(module: &str) -> String {
    let place = with(&format!("{LIBRARY}{PLUGIN}"));
    let folder = place.path().display().to_string();
    fs::create_dir(place.path().join("built")).unwrap();
    place.write("built/tea.wasm", &wat::parse_str(module.replace("HERE", &folder)).unwrap());
    let artifact = format!(
        r#"{{"reason":"compiler-artifact","package_id":"path+file://{folder}#tea@0.1.0","target":{{"kind":["cdylib"],"name":"tea"}},"filenames":["{folder}/built/tea.wasm"]}}"#
    );
    compiled(&place, &format!("printf '%s\\n' '{artifact}'"))
}

#[test]
fn a_plugin_that_does_not_compile_shows_what_cargo_says() {
    let place = with(&format!("{LIBRARY}{PLUGIN}"));
    let message = r#"{"reason":"compiler-message","message":{"rendered":"error: expected item\n --> src/lib.rs:1:1\n\n","children":[]}}"#;
    assert_eq!(
        compiled(&place, &format!("printf '%s\\n' '{message}'\nexit 101")).replace("\n\n", "\n"),
        "error: expected item\n --> src/lib.rs:1:1\nerror: `tea` does not compile for wasm32-unknown-unknown\n  help: mend what \
         cargo says above; code for tests alone belongs under #[cfg(test)], and a crate that needs an operating system does not \
         belong in a plugin\n"
    );
}

#[test]
fn a_module_that_is_no_plugin_is_not_written() {
    assert_eq!(
        made("(module)"),
        "error: plugin tea: is a component, but not a workload plugin: it exports nothing, not \
         `engine:workload/workload@0.1.0`\n  help: build it for the world `engine:workload/plugin`; in Rust, \
         `engine_sdk::plugin!` in lib.rs does (docs/plugins.md)\n"
    );
    let text = made(r#"(module (import "__wbindgen_placeholder__" "now" (func)))"#);
    assert!(text.starts_with("error: plugin tea: no component can be made of it: "), "{text}");
    assert!(
        text.contains("__wbindgen_placeholder__") && text.contains("\n  help: a plugin has no JavaScript"),
        "{text}"
    );
    assert_eq!(
        made(r#"(module (memory 1) (data (i32.const 0) "HERE/src/lib.rs"))"#).lines().next(),
        Some("error: plugin tea: it would hold a path of this machine: HERE/src/lib.rs")
    );
}
