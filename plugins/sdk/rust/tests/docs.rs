//! Every public item has an example that is compiled, and `README.md` shows the one of the front page.
//!
//! `missing_docs` holds that there is a comment; rustdoc's own count of examples is not stable. So this reads the source as
//! rustfmt leaves it: an item begins a line, its comment is the lines above.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Items of these files are in nobody's reach, or generated.
const INNER: [&str; 6] = ["backend.rs", "bindings.rs", "component.rs", "flow.rs", "inbox.rs", "play.rs"];

/// What an example would say nothing about: shown whole in that of its trait or module.
const SAID_ELSEWHERE: [&str; 8] = [
    "workload.rs: type Config: DeserializeOwned + JsonSchema;",
    "workload.rs: const NAME: &str;",
    "workload.rs: const VERSION: &str;",
    "workload.rs: const SUMMARY: &str;",
    "workload.rs: const METRICS: &[Metric] = &[];",
    "workload.rs: fn configure(config: Self::Config, shared: Shared) -> Result<Self, String>;",
    "workload.rs: fn iterate(&self, ctx: Context) -> impl Future<Output = Verdict>;",
    "reply.rs: fn accept(&self, status: u16) -> bool;",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a folder and those below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Whether a line begins an item that wants an example. `inside` is the trait or macro whose items are public without
/// saying so.
fn begins(line: &str, inside: Option<&str>) -> bool {
    let code = line.trim_start();
    let public = ["fn ", "const ", "async fn ", "struct ", "enum ", "trait ", "type ", "static ", "union "];
    if let Some(item) = code.strip_prefix("pub ") {
        // `$handle`: in the body of a macro whose calls are looked at.
        return (public.iter().any(|kind| item.starts_with(kind)) && !item.contains(" $"))
            || item.starts_with("use bindings::");
    }
    let indented = line.starts_with("    ") && !line.starts_with("     ");
    match inside {
        Some("trait") => indented && public.iter().any(|kind| code.starts_with(kind)),
        Some("handles") => indented && code.ends_with(';') && code.contains(": "),
        _ => code.starts_with("macro_rules! ") && inside == Some("exported"),
    }
}

/// Items of a file with what stands above each: comment and attributes.
fn items(text: &str) -> Vec<(String, Vec<String>)> {
    let (mut items, mut above, mut inside) = (Vec::new(), Vec::new(), None);
    for line in text.lines().take_while(|line| *line != "#[cfg(test)]") {
        let code = line.trim_start();
        if code.starts_with("///") || code.starts_with("#[") {
            if code == "#[macro_export]" {
                inside = Some("exported");
            }
            above.push(code.to_owned());
            continue;
        }
        if begins(line, inside) {
            items.push((code.trim_end_matches(" {").to_owned(), above.clone()));
        }
        above.clear();
        if line.starts_with("pub trait ") {
            inside = Some("trait");
        } else if line.starts_with("handles! {") {
            inside = Some("handles");
        } else if !line.is_empty() && !line.starts_with(' ') {
            inside = None;
        }
    }
    items
}

/// What is wrong with what stands above an item; none where nothing is.
fn fault(above: &[String]) -> Option<&'static str> {
    let fences: Vec<&str> = above.iter().filter_map(|line| line.strip_prefix("/// ```")).collect();
    if above.iter().any(|line| line == "#[doc(hidden)]") {
        None
    } else if fences.is_empty() {
        Some("no example")
    } else if fences.iter().any(|words| !matches!(*words, "" | "no_run" | "should_panic")) {
        Some("an example that is not compiled")
    } else {
        None
    }
}

#[test]
fn every_public_item_has_an_example() {
    let (mut count, mut faults) = (0, String::new());
    let mut excused = Vec::new();
    for path in sources(&root().join("src")) {
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if INNER.contains(&file) {
            continue;
        }
        for (item, above) in items(&fs::read_to_string(&path).expect("a text")) {
            count += 1;
            let place = format!("{file}: {item}");
            match fault(&above) {
                Some(_) if SAID_ELSEWHERE.contains(&place.as_str()) => excused.push(place),
                Some(fault) => writeln!(faults, "{place}: {fault}").expect("a text takes all"),
                None => {}
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert!(count > 150, "the source is not read as it is written: {count} items");
    assert_eq!(excused.len(), SAID_ELSEWHERE.len(), "of those excused there are only {excused:?}");
}

#[test]
fn an_item_without_an_example_is_found() {
    let text = "/// A.\n///\n/// ```\n/// ```\npub struct A;\n\n/// B.\n#[must_use]\npub fn b() {\n}\n\n/// C.\n///\n\
                /// ```ignore\n/// ```\npub trait C {\n    /// D.\n    fn d(&self);\n}\n";
    let found: Vec<_> = items(text).into_iter().map(|(item, above)| (item, fault(&above))).collect();
    let expected = [
        ("pub struct A;", None),
        ("pub fn b()", Some("no example")),
        ("pub trait C", Some("an example that is not compiled")),
        ("fn d(&self);", Some("no example")),
    ];
    assert_eq!(found, expected.map(|(item, fault)| (item.to_owned(), fault)));
}

#[test]
fn the_readme_shows_the_front_pages_workload() {
    let front = fs::read_to_string(root().join("src/lib.rs")).expect("a text");
    let lines = front.lines().skip_while(|line| *line != "//! ```").skip(1).take_while(|line| *line != "//! ```");
    let example =
        lines.fold(String::new(), |text, line| text + line.trim_start_matches("//!").trim_start_matches(' ') + "\n");
    let readme = fs::read_to_string(root().join("README.md")).expect("a text");
    let shown = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let shown = shown.lines().fold(String::new(), |text, line| text + line.trim_start_matches(' ') + "\n");
    assert_eq!(shown, example);
}
