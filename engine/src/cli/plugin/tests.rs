//! The guide to plugins says what is so: its scenarios are scenarios, its commands are commands, its listing is the template.
//! (Its Rust is compiled by the crate `guide` of the plugins' workspace.)

use std::path::Path;

use clap::Parser;

use super::new::{self, TEMPLATE_SOURCE};
use crate::cli::args::Arguments;
use crate::scenario::{Overrides, Surroundings, parse};

const GUIDE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/plugins.md"));

/// All pages on plugins, `plugins*.md`: the guide, and one a language.
fn pages() -> Vec<String> {
    let docs = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")).expect("docs");
    let pages = docs.flatten().map(|file| file.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("plugins") && path.extension().is_some_and(|extension| extension == "md")
    });
    let pages: Vec<String> = pages.map(|path| std::fs::read_to_string(path).expect("a page")).collect();
    assert!(pages.len() > 1, "{}", pages.len());
    pages
}

/// What a part of a scenario is put behind, so that it is a whole one.
const BASE: &str = "[target]\nstub = \"small\"\n[[phase]]\nname = \"load\"\nduration = \"1s\"\nrate = 5\n";

/// The blocks of a page in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    let found: Vec<&str> = page.split(&open).skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!found.is_empty(), "no block of {language}");
    found
}

#[test]
fn every_scenario_of_the_guide_is_one() {
    let surroundings = Surroundings { variable: Box::new(|_| Some("set".to_owned())), cores: 1 };
    for block in blocks(GUIDE, "toml") {
        let text = if block.contains("[target]") { block.to_owned() } else { format!("{BASE}{block}") };
        let plan = parse(Path::new("guide.toml"), &text, &Overrides::default(), &surroundings);
        assert!(plan.is_ok(), "{text}\n{}", plan.err().map(|faults| faults.to_string()).unwrap_or_default());
    }
}

#[test]
fn every_command_of_the_guide_and_of_the_template_is_one() {
    let (pages, readmes) = (pages(), new::readmes());
    let quoted = readmes.iter().flat_map(|readme| readme.split('`').skip(1).step_by(2));
    let of_pages = pages.iter().flat_map(|page| blocks(page, "sh")).flat_map(str::lines);
    let lines: Vec<&str> = of_pages.chain(quoted).collect();
    let commands: Vec<&str> = lines.iter().filter_map(|line| line.find("engine ").map(|at| &line[at..])).collect();
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands {
        let words = shlex::split(command).expect("words of a shell");
        let read = Arguments::try_parse_from(words);
        assert!(read.is_ok(), "{command}: {}", read.err().map(|error| error.to_string()).unwrap_or_default());
    }
}

#[test]
fn the_listing_of_the_guide_is_the_template() {
    let (_, source) = TEMPLATE_SOURCE.split_once("\n\n").expect("a first line that says what it is");
    let (source, _) = source.split_once("\n#[cfg(test)]").expect("tests at the end");
    let listing = blocks(GUIDE, "rust")[0];
    assert_eq!(listing.trim_end(), source.trim_end().replace("my_plugin", "checkout"));
}

#[test]
fn every_link_of_the_guide_leads_somewhere() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let pages = pages();
    let links = pages.iter().flat_map(|page| page.split("](").skip(1));
    let targets: Vec<&str> = links.filter_map(|rest| rest.split(')').next()).collect();
    assert!(targets.len() > 5);
    for target in targets.iter().filter(|target| !target.contains("://")) {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let page = std::fs::read_to_string(docs.join(file)).unwrap_or_default();
        assert!(!page.is_empty(), "{target}");
        let headings = page.lines().filter(|line| line.starts_with('#'));
        let mut anchors = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-"));
        assert!(anchor.is_empty() || anchors.any(|heading| heading == anchor), "{target}");
    }
}
