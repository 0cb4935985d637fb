//! The page about cases says what there is, and its examples are cases.

use crate::plugin::{Metric, MetricKind};
use crate::scenario::keys::{Kind, Spec};

use super::{read, spec};

const PAGE: &str = include_str!("../../../../docs/cases.md");
/// What a new plugin begins with.
const TEMPLATE: &str = include_str!("../../cli/plugin/new/common/cases.toml.txt");

fn metrics() -> Vec<Metric> {
    let name = "page_read".to_owned();
    vec![Metric { name, kind: MetricKind::Mark, unit: String::new(), summary: String::new() }]
}

#[test]
fn every_example_of_the_page_is_a_file_of_cases() {
    let blocks: Vec<&str> = PAGE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!((blocks.len(), blocks[0]), (2, TEMPLATE));
    for block in blocks {
        let cases = read("docs/cases.md", block, &metrics()).unwrap_or_else(|faults| panic!("{faults}"));
        assert!(cases.len() > 1 && cases.iter().all(|case| !case.steps.is_empty()));
    }
}

#[test]
fn every_key_stands_on_the_page_and_its_example_is_of_its_kind() {
    fn walk(spec: &Spec) {
        for key in spec.keys {
            // In a sentence, a table or a snippet.
            let named = [format!("`{}`", key.name), format!("{} = ", key.name), format!("[[{}]]", key.name)];
            let listed = key.name == "case" || named.iter().any(|name| PAGE.contains(name.as_str()));
            assert!(listed, "`{}` of {} is not on docs/cases.md", key.name, spec.title);
            match &key.kind {
                Kind::Table(inner) | Kind::Tables(inner) => walk(inner),
                _ => {
                    let text = format!("{} = {}", key.name, key.example);
                    assert!(toml::from_str::<toml::Table>(&text).is_ok(), "{text}");
                }
            }
        }
    }
    walk(&spec::ROOT);
}
