//! From a core module to a component that says what it is.

use anyhow::Context as _;
use wasm_encoder::RawSection;
use wasm_metadata::{
    AddMetadata, AddMetadataField, Authors, Description, Homepage, Licenses, Revision, Source, Version,
};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::about::{About, Said};

/// The interface that components are made for.
const WIT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit/workload.wit"));
/// What a plugin is in it.
const WORLD: &str = "plugin";
/// What an adapter is in it.
const ADAPTER_WIT: &str = "package engine:adapter; world adapter { import engine:workload/actions@0.1.0; }";

/// Makes a component of a core module that `wit-bindgen` has described.
///
/// # Errors
/// Where it is no such module, or imports what is no part of its description.
pub fn encode(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    ComponentEncoder::default().validate(true).module(module)?.encode()
}

/// Makes a component of a core module that nothing has described: it imports and exports by the names of the interface. An
/// adapter is a module that offers what the first one imports beside them, with the name it is imported by; it may use the
/// interface's actions itself.
///
/// # Errors
/// Where it imports what neither the interface nor the adapter offers, or lacks an export.
pub fn wrap(mut module: Vec<u8>, adapter: Option<(&str, Vec<u8>)>) -> anyhow::Result<Vec<u8>> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("workload.wit", WIT)?;
    let world = resolve.select_world(&[package], Some(WORLD))?;
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)?;
    let mut encoder = ComponentEncoder::default().validate(true).module(&module)?;
    if let Some((name, mut adapter)) = adapter {
        let package = resolve.push_str("adapter.wit", ADAPTER_WIT)?;
        let world = resolve.select_world(&[package], None)?;
        embed_component_metadata(&mut adapter, &resolve, world, StringEncoding::UTF8)?;
        encoder = encoder.adapter(name, &adapter)?;
    }
    encoder.encode()
}

/// A core module without what only a debugger reads: it is large, and full of paths. The functions' names stay.
///
/// # Errors
/// Where it is no module.
pub fn without_debug_sections(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut kept = wasm_encoder::Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        let debug = matches!(&payload, Payload::CustomSection(section) if section.name().starts_with(".debug"));
        if let Some((id, range)) = payload.as_section()
            && !debug
        {
            let data = module.get(range).context("a section beyond the module's end")?;
            kept.section(&RawSection { id, data });
        }
    }
    Ok(kept.finish())
}

/// Writes what a manifest says into a component. Gives the component, and a line for each value that is written in the manifest
/// and cannot be told.
///
/// # Errors
/// Where it is no component.
pub fn describe(component: &[u8], about: &About) -> anyhow::Result<(Vec<u8>, Vec<String>)> {
    let mut add = AddMetadata::default();
    let mut untold = Vec::new();
    add.name = AddMetadataField::Set(about.name.clone());
    add.version = set(about.version.clone().map(Version::new));
    let one_line = |text: &String| Description::new(text.split_whitespace().collect::<Vec<_>>().join(" "));
    add.description = set(about.description.as_ref().map(one_line));
    if !about.authors.is_empty() {
        add.authors = AddMetadataField::Set(Authors::new(about.authors.join(", ")));
    }
    // Cargo's older way of writing a choice.
    add.licenses = told(about.licence.as_ref(), &mut untold, |text| Licenses::new(&text.replace('/', " OR ")));
    add.source = told(about.repository.as_ref(), &mut untold, Source::new);
    add.homepage = told(about.homepage.as_ref(), &mut untold, Homepage::new);
    add.revision = set(about.revision.clone().map(Revision::new));
    add.sdk = about.sdk.iter().cloned().collect();
    Ok((add.to_wasm(component)?, untold))
}

fn set<T: std::fmt::Debug + Clone>(value: Option<T>) -> AddMetadataField<T> {
    value.map_or(AddMetadataField::Keep, AddMetadataField::Set)
}

fn told<T: std::fmt::Debug + Clone>(
    said: Option<&Said>,
    untold: &mut Vec<String>,
    read: impl FnOnce(&str) -> anyhow::Result<T>,
) -> AddMetadataField<T> {
    let Some(Said { key, text }) = said else { return AddMetadataField::Keep };
    match read(text) {
        Ok(value) => AddMetadataField::Set(value),
        Err(error) => {
            let why = error.to_string();
            let why = why.lines().next().unwrap_or_default();
            untold.push(format!("{key} {text:?} is left out of the component: {why}"));
            AddMetadataField::Keep
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A component with nothing in it.
    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn about() -> About {
        let text = |text: &str| Some(text.to_owned());
        About {
            name: "checkout".to_owned(),
            version: text("1.2.3"),
            authors: vec!["Ann".to_owned(), "Bob <b@example.org>".to_owned()],
            description: text(
                "Buys
  tea",
            ),
            licence: Said::at("package.license", Some("MIT/Apache-2.0")),
            repository: Said::at("package.repository", Some("https://example.org/checkout")),
            homepage: Said::at("package.homepage", Some("https://example.org/")),
            revision: text("abc"),
            sdk: Some(("engine-sdk".to_owned(), "0.1.0".to_owned())),
        }
    }

    #[test]
    fn what_the_manifest_says_can_be_read_from_the_component() {
        let (component, untold) = describe(EMPTY, &about()).expect("a component");
        assert_eq!(untold, [""; 0]);
        let read = wasm_metadata::Payload::from_binary(&component).expect("readable");
        let read = serde_json::to_value(read.metadata()).expect("JSON");
        assert_eq!(read["name"], "checkout");
        assert_eq!(read["version"], "1.2.3");
        assert_eq!(read["authors"], "Ann, Bob <b@example.org>");
        assert_eq!(read["description"], "Buys tea");
        assert_eq!(read["licenses"], "MIT OR Apache-2.0");
        assert_eq!(read["source"], "https://example.org/checkout");
        assert_eq!(read["homepage"], "https://example.org/");
        assert_eq!(read["revision"], "abc");
        assert_eq!(read["producers"], serde_json::json!([["sdk", { "engine-sdk": "0.1.0" }]]));
    }

    #[test]
    fn what_only_a_debugger_reads_goes_and_names_stay() {
        let text =
            r#"(module (func $deep (export "deep")) (@custom ".debug_info" "/home/ann/x.c") (@custom "mine" "y"))"#;
        let module = wat::parse_str(text).expect("a module");
        let kept = without_debug_sections(&module).expect("a module");
        let has = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(has(&module, "/home/ann") && !has(&kept, "/home/ann") && !has(&kept, ".debug"));
        assert!(has(&kept, "deep") && has(&kept, "mine"));
        assert!(wasmparser::validate(&kept).is_ok());
        assert!(without_debug_sections(b"none").is_err());
    }

    #[test]
    fn what_cannot_be_told_is_left_out_and_said() {
        let other = About {
            licence: Said::at("package.license", Some("mine")),
            repository: Said::at("plugin.repository", Some("git@x")),
            revision: None,
            ..about()
        };
        let (component, untold) = describe(EMPTY, &other).expect("a component");
        assert_eq!(untold.len(), 2, "{untold:?}");
        assert!(untold[0].starts_with("package.license \"mine\" is left out of the component: "), "{untold:?}");
        assert!(untold[1].starts_with("plugin.repository \"git@x\" is left out of the component: "), "{untold:?}");
        let read = wasm_metadata::Payload::from_binary(&component).expect("readable");
        let metadata = read.metadata();
        assert!(metadata.licenses.is_none() && metadata.source.is_none() && metadata.revision.is_none());
    }
}
