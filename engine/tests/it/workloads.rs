//! `docs/workloads.md` says what the project's plugins say of themselves.

use std::fmt::Write as _;
use std::path::Path;

use engine::plugin::{Host, Limits, Plugin};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/workloads.md");
const COMPONENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components");
/// In the order of the mix, then the others.
const PLUGINS: [&str; 13] = [
    "login",
    "api_read",
    "chat_stream",
    "agent_run",
    "rag_query",
    "ingest",
    "trigger_fire",
    "openai_chat",
    "http",
    "misbehave",
    "cost_raw",
    "cost_sdk",
    "cost_stream",
];

#[test]
fn the_page_of_workloads_has_every_plugin_as_it_describes_itself() {
    let host = Host::new(Limits::default(), None).unwrap();
    let mut tables = String::new();
    for name in PLUGINS {
        let plugin = host.load(&Path::new(COMPONENTS).join(format!("{name}.wasm"))).unwrap();
        tables.push_str(&section(&plugin));
    }
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (begin, end) = ("<!-- plugins -->\n", "<!-- end -->");
    let start = page.find(begin).unwrap() + begin.len();
    let length = page[start..].find(end).unwrap();
    let rebuilt = format!("{}\n{tables}{}", &page[..start], &page[start + length..]);
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(PAGE, &rebuilt).unwrap();
    }
    assert!(
        std::fs::read_to_string(PAGE).unwrap() == rebuilt,
        "docs/workloads.md is behind the plugins: run the tests once with UPDATE_SCHEMA=1"
    );
    let built = std::fs::read_dir(COMPONENTS).unwrap().filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|extension| extension == "wasm"))
    });
    assert_eq!(built.count(), PLUGINS.len(), "a component is not on the page");
}

fn section(plugin: &Plugin) -> String {
    let description = &plugin.description;
    let mut text = format!("## `{}`\n\n{}.\n\n", description.name, description.summary);
    let keys = description.config_keys().unwrap_or_default();
    if keys.is_empty() {
        text.push_str("It has no configuration.\n");
    } else {
        text.push_str("| key | default | meaning |\n| --- | --- | --- |\n");
    }
    for key in keys {
        let default = match key.default {
            _ if key.required => "required".to_owned(),
            None => String::new(),
            Some(default) => format!("`{}`", cell(&default)),
        };
        let _ = writeln!(text, "| `{}` | {default} | {} |", key.name, cell(&key.about));
    }
    text.push('\n');
    if !description.metrics.is_empty() {
        text.push_str("| metric | kind | unit | meaning |\n| --- | --- | --- | --- |\n");
        for metric in &description.metrics {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} |",
                metric.name,
                metric.kind.as_str(),
                metric.unit,
                cell(&metric.summary)
            );
        }
        text.push('\n');
    }
    text
}

/// One line, for a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
