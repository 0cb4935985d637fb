//! A project in which something has changed since its components were built: each change is found and named.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::guests::{COMPONENTS, Component, Manifest, Source, check};

/// A project with one plugin whose component is up to date.
fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    write(root, "plugins/Cargo.toml", "[workspace]\nmembers = [\"sdk/rust\", \"one\"]\n");
    write(root, "plugins/Cargo.lock", "");
    write(root, "plugins/one/src/lib.rs", "one");
    write(root, "plugins/one/src/tests.rs", "tests");
    write(root, "plugins/sdk/rust/src/lib.rs", "sdk");
    write(root, "plugins/sdk/rust/src/testing/mod.rs", "testing");
    write(root, "wit/workload.wit", "wit");
    write(root, &format!("{COMPONENTS}/one.wasm"), "component");
    let component = Component {
        name: "one".to_owned(),
        file: "one.wasm".to_owned(),
        interface: "engine:workload@0.1.0".to_owned(),
        size: 9,
        // printf component | sha256sum
        sha256: "6985ca1f4daa5a584a28eae043a239cb96689af1337ea13afb63e00c2bf512fa".to_owned(),
        source: Source::of(root, "one").expect("a source"),
    };
    Manifest { components: vec![component] }.write(root).expect("a manifest");
    folder
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

/// What the check finds after a change.
fn after(change: impl FnOnce(&Path)) -> Vec<String> {
    let folder = project();
    change(folder.path());
    check(folder.path()).expect("a readable project")
}

#[test]
fn an_unchanged_project_has_no_fault() {
    assert_eq!(after(|_| {}), [""; 0]);
}

#[test]
fn what_no_component_depends_on_may_change() {
    let faults = after(|root| {
        write(root, "plugins/one/src/tests.rs", "other tests");
        write(root, "plugins/one/README.md", "text");
        write(root, "plugins/one/target/x", "built");
        write(root, "plugins/one/.cache", "hidden");
        write(root, "plugins/sdk/rust/src/testing/mod.rs", "more testing");
        write(root, "wit/items.txt", "list");
        // In the project a link to wit/, whose digest is its own.
        write(root, "plugins/sdk/rust/wit/workload.wit", "link");
    });
    assert_eq!(faults, [""; 0]);
}

#[test]
fn a_component_older_than_its_source_is_named_with_what_changed() {
    let older = |what: &str| {
        vec![format!(
            "one: plugins/components/one.wasm is older than its source; changed: {what}; \
             run `cargo xtask guests` and commit plugins/components"
        )]
    };
    assert_eq!(after(|root| write(root, "plugins/one/src/lib.rs", "two")), older("plugins/one"));
    assert_eq!(after(|root| write(root, "plugins/one/src/new.rs", "")), older("plugins/one"));
    assert_eq!(after(|root| write(root, "wit/workload.wit", "wat")), older("wit"));
    assert_eq!(after(|root| write(root, "plugins/Cargo.lock", "x")), older("plugins/Cargo.toml or plugins/Cargo.lock"));
    let both = after(|root| {
        write(root, "plugins/sdk/rust/src/lib.rs", "");
        fs::remove_file(root.join("plugins/one/src/lib.rs")).expect("removed");
    });
    assert_eq!(both, older("plugins/one, plugins/sdk/rust"));
}

#[test]
fn moving_bytes_between_files_is_a_change() {
    let folder = project();
    let root = folder.path();
    write(root, "plugins/one/src/a.rs", "12");
    write(root, "plugins/one/src/b.rs", "3");
    let before = Source::of(root, "one").expect("a source");
    write(root, "plugins/one/src/a.rs", "1");
    write(root, "plugins/one/src/b.rs", "23");
    assert_ne!(before.plugin, Source::of(root, "one").expect("a source").plugin);
}

#[test]
fn a_missing_or_altered_component_is_named() {
    let mend = "run `cargo xtask guests` and commit plugins/components";
    let file = format!("{COMPONENTS}/one.wasm");
    assert_eq!(
        after(|root| fs::remove_file(root.join(&file)).expect("removed")),
        [format!("one: plugins/components/one.wasm is missing; {mend}")]
    );
    assert_eq!(
        after(|root| write(root, &file, "another")),
        [format!("one: plugins/components/one.wasm is not the file that manifest.toml describes; {mend}")]
    );
}

#[test]
fn a_plugin_without_component_and_a_component_without_plugin_are_named() {
    let mend = "run `cargo xtask guests` and commit plugins/components";
    let faults = after(|root| write(root, "plugins/Cargo.toml", "[workspace]\nmembers = [\"two\"]\n"));
    assert_eq!(faults[0], format!("two: plugins/components/manifest.toml has no component of it; {mend}"));
    assert_eq!(
        faults[1],
        format!(
            "one: plugins/components/manifest.toml has a component of it, but plugins/Cargo.toml has no such plugin; \
             delete plugins/components/one.wasm and {mend}"
        )
    );
    let faults = after(|root| fs::remove_file(root.join(COMPONENTS).join("manifest.toml")).expect("removed"));
    assert_eq!(faults, [format!("one: plugins/components/manifest.toml has no component of it; {mend}")]);
}
