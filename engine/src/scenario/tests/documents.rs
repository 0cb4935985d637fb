//! The schema and the reference page say what the reader does.

use std::path::PathBuf;

use super::{BASE, WHOLE};
use crate::scenario::keys::{ALL, Key, Kind, ROOT, Spec};
use crate::scenario::reader::{Log, kind_name};
use crate::scenario::tree::{Node, Value};
use crate::scenario::{Config, Sources, code, schema, syntax};

/// A committed document of the project.
fn document(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(document(name)).expect("a committed document")
}

/// Compares with what is committed; with `UPDATE_SCHEMA` set, commits it.
#[track_caller]
fn assert_committed(name: &str, text: &str) {
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(document(name), text).expect("written");
    }
    assert!(read(name) == text, "docs/{name} is behind the code: run the tests once with UPDATE_SCHEMA=1");
}

#[test]
fn the_committed_schema_is_that_of_the_code() {
    let text = serde_json::to_string_pretty(&schema()).expect("JSON");
    assert_committed("schema/scenario.schema.json", &format!("{text}\n"));
}

#[test]
fn good_scenarios_fit_the_schema_and_bad_ones_do_not() {
    let validator = jsonschema::draft7::new(&schema()).expect("a schema");
    let json = |text: &str| {
        let whole = Sources::default().add("x", text);
        let root = syntax::document(text, whole).expect("TOML");
        let node = Node { span: whole, value: Value::Table(root) };
        Config::of(Some(&node), whole, &Log::default()).value().clone()
    };
    for good in [BASE, WHOLE] {
        let faults: Vec<_> = validator.iter_errors(&json(good)).map(|fault| fault.to_string()).collect();
        assert_eq!(faults, [""; 0]);
    }
    for (right, wrong) in [
        ("share = 1", "shar = 1"),
        ("rate = 20", "rate = 0"),
        ("\"10s\"", "10"),
        ("\"10s\"", "\"10\""),
        ("\"small\"", "\"Small talk\""),
        ("share = 1", "share = 1\nisolation = \"none\""),
        ("[[phase]]", "[[phases]]"),
    ] {
        assert!(!validator.is_valid(&json(&BASE.replace(right, wrong))), "{wrong}");
    }
}

/// The reader is built on the list of keys and holds itself to it while it reads; so does the schema.
#[test]
fn every_key_is_in_the_schema_and_every_property_is_a_key() {
    fn compare(spec: &Spec, schema: &serde_json::Value) {
        let properties = schema["properties"].as_object().expect("properties");
        let mut names: Vec<_> = spec.keys.iter().map(|key| key.name).collect();
        names.sort_unstable();
        assert_eq!(properties.keys().map(String::as_str).collect::<Vec<_>>(), names, "{}", spec.title);
        for key in spec.keys {
            match key.kind {
                Kind::Table(inner) => compare(inner, &properties[key.name]),
                Kind::Tables(inner) => compare(inner, &properties[key.name]["items"]),
                _ => {}
            }
        }
    }
    compare(&ROOT, &schema());
}

#[test]
fn every_example_is_taken() {
    for spec in ALL.iter().filter(|spec| !is_profile(spec)) {
        for key in spec.keys.iter().filter(|key| !key.example.is_empty()) {
            let (place, value) = (spec.title.trim_matches(['[', ']']), key.example);
            let example = match place {
                "run" | "target" | "limits" | "limits.plugin" => format!("{place}.{}={value}", key.name),
                list => format!("{list}.0.{}={value}", key.name),
            };
            let Err(faults) = super::resolve_with(WHOLE, &super::sets(&[&example])) else { continue };
            // What it names, or goes with, need not be there; but it is understood.
            let understood = [
                code::FILE_MISSING,
                code::LIMITS_IN_FLIGHT,
                code::PHASE_DUPLICATE,
                code::PHASE_JUDGED,
                code::PHASE_RECOVERY,
                code::TARGET_CERTIFICATE,
                code::THRESHOLD_PHASE,
            ];
            assert!(faults.iter().all(|fault| fault.is_warning() || understood.contains(&fault.code())), "{faults}");
        }
    }
}

/// Tables of a phase go together: their keys are tried all at once.
fn is_profile(spec: &Spec) -> bool {
    spec.title.trim_start_matches('[').starts_with("phase.")
}

#[test]
fn the_examples_of_a_profile_make_one() {
    let profiles: Vec<_> = ALL.iter().filter(|spec| is_profile(spec)).collect();
    assert_eq!(profiles.len(), 4);
    for spec in profiles {
        let name = spec.title.trim_matches(['[', ']']).trim_start_matches("phase.");
        let keys: Vec<_> = spec.keys.iter().map(|key| format!("{} = {}", key.name, key.example)).collect();
        let table = format!("{{ {} }}", keys.join(", "));
        let value = if spec.title.starts_with("[[") { format!("[{table}]") } else { table };
        let plan = super::plan(&BASE.replace("rate = 20", &format!("{name} = {value}")));
        assert!(plan.planned.total() > 0, "{name}");
    }
}

#[test]
fn the_reference_page_has_every_table_as_the_code_has_it() {
    let page = read("scenario.md");
    let mut rebuilt = page.clone();
    // One that holds nothing but tables has none of its own.
    let has_keys = |spec: &&&Spec| spec.keys.iter().any(|key| !matches!(key.kind, Kind::Table(_) | Kind::Tables(_)));
    for spec in ALL.iter().skip(1).filter(has_keys) {
        let (begin, end) = (format!("<!-- keys of {} -->\n", spec.title), "<!-- end -->");
        let start = page.find(&begin).unwrap_or_else(|| panic!("a place for {}", spec.title)) + begin.len();
        let length = page[start..].find(end).expect("an end");
        rebuilt =
            rebuilt.replace(&format!("{begin}{}", &page[start..start + length]), &format!("{begin}{}", rows(spec)));
    }
    assert_committed("scenario.md", &rebuilt);
}

#[test]
fn the_reference_page_has_every_fault_code() {
    let page = read("scenario.md");
    for (code, about) in code::ALL {
        assert!(page.contains(&format!("| `{code}` | {about} |")), "| `{code}` | {about} |");
    }
    assert!(code::ALL.is_sorted_by_key(|(code, _)| *code));
}

fn rows(spec: &Spec) -> String {
    let row = |key: &Key| {
        let default = if key.required { "required" } else { key.default };
        format!("| `{}` | {} | {default} | {} | `{}` |\n", key.name, value_of(&key.kind), key.about, key.example)
    };
    let values = spec.keys.iter().filter(|key| !matches!(key.kind, Kind::Table(_) | Kind::Tables(_)));
    let head = "| key | value | default | meaning | example |\n| --- | --- | --- | --- | --- |\n";
    format!("\n{head}{}\n", values.map(row).collect::<String>())
}

fn value_of(kind: &Kind) -> String {
    use crate::scenario::units::{show_bytes, show_duration};
    let name = kind_name(kind).trim_start_matches("a ").trim_start_matches("an ");
    match kind {
        Kind::Choice(choices) => choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", "),
        Kind::Name { upper: true } => "name: 1 to 64 letters, digits, `-`, `_`".to_owned(),
        Kind::Name { upper: false } => "name: 1 to 64 lower-case letters, digits, `-`, `_`".to_owned(),
        Kind::Integer { min, max: u64::MAX } => format!("{name} from {min}"),
        Kind::Integer { min, max } => format!("{name}, {min} to {max}"),
        Kind::Number { min, max } => format!("{name}, {min} to {max}"),
        Kind::Duration { min, max } => format!("time, {} to {}", show_duration(*min), show_duration(*max)),
        Kind::Bytes { min, max } => format!("size, {} to {}", show_bytes(*min), show_bytes(*max)),
        _ => name.to_owned(),
    }
}

#[test]
fn the_example_of_the_reference_page_is_a_scenario() {
    let page = read("scenario.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    assert_eq!(super::plan(&example.replace("API_TOKEN", "TOKEN")).planned.total(), 1_850);
}
