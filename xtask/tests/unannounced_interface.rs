//! An interface that has changed: each kind of change is found and named.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::wit::{accept, check};

const WIT: &str = "
package a:b@0.1.0;
/// Words.
interface types {
    /// A pair.
    record pair {
        /// First.
        one: u32,
        /// Second.
        two: option<list<string>>,
    }
    /// A thing.
    resource thing {
        /// Does it.
        act: func(pair: pair) -> result<u8, string>;
        /// Makes it.
        make: static func() -> thing;
    }
}
/// All of it.
world all {
    import types;
}
";

/// A project whose interface is listed and announced.
fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("wit")).expect("made");
    write(folder.path(), WIT);
    let line = accept(folder.path()).expect("listed");
    fs::write(folder.path().join("CHANGELOG.md"), format!("# Changes\n{line}\n")).expect("written");
    folder
}

fn write(root: &Path, wit: &str) {
    fs::write(root.join("wit/a.wit"), wit).expect("written");
}

#[test]
fn every_item_is_a_line_with_its_type() {
    let folder = project();
    let items = fs::read_to_string(folder.path().join("wit/items.txt")).expect("a list");
    let expected = "\
package a:b@0.1.0
interface types
types: record pair
types: record pair field one: u32
types: record pair field two: option<list<string>>
types: resource thing
types: method thing.act(pair: pair) -> result<u8, string>
types: static thing.make() -> thing
world all
world all: import interface a:b/types@0.1.0
";
    assert_eq!(items, expected);
    assert_eq!(check(folder.path()).expect("a readable project"), [""; 0]);
}

#[test]
fn another_comment_is_no_change() {
    let folder = project();
    write(folder.path(), &WIT.replace("/// First.", "/// The first one."));
    assert_eq!(check(folder.path()).expect("a readable project"), [""; 0]);
}

#[test]
fn a_changed_item_is_shown_and_must_be_announced() {
    let folder = project();
    write(folder.path(), &WIT.replace("one: u32", "one: u64"));
    let faults = check(folder.path()).expect("a readable project");
    assert_eq!(
        faults[0],
        "wit/items.txt is not the list of the interface's items:\n  \
         - types: record pair field one: u32\n  \
         + types: record pair field one: u64\n\
         run `cargo xtask wit --accept`, announce the change in CHANGELOG.md and commit both"
    );
    assert!(faults[1].starts_with("CHANGELOG.md does not announce the interface as it is: "), "{faults:?}");
    let line = accept(folder.path()).expect("listed");
    assert!(line.starts_with("interface a:b@0.1.0 digest "), "{line}");
    let faults = check(folder.path()).expect("a readable project");
    assert_eq!(faults.len(), 1, "listed, but not yet announced: {faults:?}");
    assert!(faults[0].ends_with(&line), "{faults:?}");
}

#[test]
fn fields_in_another_order_are_a_change() {
    let folder = project();
    let swapped = WIT.replace("one: u32", "x").replace("two: option<list<string>>", "one: u32");
    write(folder.path(), &swapped.replace("        x,", "        two: option<list<string>>,"));
    let faults = check(folder.path()).expect("a readable project");
    assert!(faults[0].contains("(the same lines in another order)"), "{faults:?}");
}

#[test]
fn an_item_without_a_comment_is_named() {
    let folder = project();
    write(folder.path(), &WIT.replace("/// Second.", "").replace("/// Does it.", ""));
    let faults = check(folder.path()).expect("a readable project");
    assert_eq!(
        faults,
        [
            "wit: types: record pair field two: option<list<string>> has no doc comment; say what it means",
            "wit: types: method thing.act(pair: pair) -> result<u8, string> has no doc comment; say what it means",
        ]
    );
}
