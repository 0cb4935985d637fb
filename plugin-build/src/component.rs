//! From a core module to a component that says what it is.

use wasm_metadata::{
    AddMetadata, AddMetadataField, Authors, Description, Homepage, Licenses, Revision, Source, Version,
};
use wit_component::ComponentEncoder;

use crate::Package;

/// Makes a component of a core module that `wit-bindgen` has described.
///
/// # Errors
/// Where it is no such module, or imports what is no part of its description.
pub fn encode(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    ComponentEncoder::default().validate(true).module(module)?.encode()
}

/// Writes what the package's manifest says into a component: name, version, description, authors, licence, source, homepage;
/// the source's revision where it is known; and the SDK's version where it has one. Gives the component, and a line for each
/// value that is written in the manifest and cannot be told.
///
/// # Errors
/// Where it is no component.
pub fn describe(
    component: &[u8],
    package: &Package,
    revision: Option<&str>,
    sdk: Option<&Package>,
) -> anyhow::Result<(Vec<u8>, Vec<String>)> {
    let mut add = AddMetadata::default();
    let mut untold = Vec::new();
    add.name = AddMetadataField::Set(package.name.clone());
    add.version = AddMetadataField::Set(Version::new(package.version.clone()));
    add.description = package.description.as_deref().map_or(AddMetadataField::Keep, |text| {
        AddMetadataField::Set(Description::new(text.split_whitespace().collect::<Vec<_>>().join(" ")))
    });
    if !package.authors.is_empty() {
        add.authors = AddMetadataField::Set(Authors::new(package.authors.join(", ")));
    }
    add.licenses = told("license", package.license.as_deref(), &mut untold, |text| {
        // Cargo's older way of writing a choice.
        Licenses::new(&text.replace('/', " OR "))
    });
    add.source = told("repository", package.repository.as_deref(), &mut untold, Source::new);
    add.homepage = told("homepage", package.homepage.as_deref(), &mut untold, Homepage::new);
    if let Some(revision) = revision {
        add.revision = AddMetadataField::Set(Revision::new(revision.to_owned()));
    }
    add.sdk = sdk.map(|sdk| (sdk.name.clone(), sdk.version.clone())).into_iter().collect();
    Ok((add.to_wasm(component)?, untold))
}

fn told<T: std::fmt::Debug + Clone>(
    key: &str,
    value: Option<&str>,
    untold: &mut Vec<String>,
    read: impl FnOnce(&str) -> anyhow::Result<T>,
) -> AddMetadataField<T> {
    let Some(text) = value else { return AddMetadataField::Keep };
    match read(text) {
        Ok(value) => AddMetadataField::Set(value),
        Err(error) => {
            let why = error.to_string();
            let why = why.lines().next().unwrap_or_default();
            untold.push(format!("package.{key} {text:?} is left out of the component: {why}"));
            AddMetadataField::Keep
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A component with nothing in it.
    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn package() -> Package {
        let text = |text: &str| Some(text.to_owned());
        Package {
            name: "checkout".to_owned(),
            version: "1.2.3".to_owned(),
            authors: vec!["Ann".to_owned(), "Bob <b@example.org>".to_owned()],
            description: text("Buys\n  tea"),
            license: text("MIT/Apache-2.0"),
            repository: text("https://example.org/checkout"),
            homepage: text("https://example.org/"),
            ..Package::default()
        }
    }

    #[test]
    fn what_the_manifest_says_can_be_read_from_the_component() {
        let sdk = Package { name: "engine-sdk".to_owned(), version: "0.1.0".to_owned(), ..Package::default() };
        let (component, untold) = describe(EMPTY, &package(), Some("abc"), Some(&sdk)).expect("a component");
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
    fn what_cannot_be_told_is_left_out_and_said() {
        let other = Package { license: Some("mine".into()), repository: Some("git@x".into()), ..package() };
        let (component, untold) = describe(EMPTY, &other, None, None).expect("a component");
        assert_eq!(untold.len(), 2, "{untold:?}");
        assert!(untold[0].starts_with("package.license \"mine\" is left out of the component: "), "{untold:?}");
        assert!(untold[1].starts_with("package.repository \"git@x\" is left out of the component: "), "{untold:?}");
        let read = wasm_metadata::Payload::from_binary(&component).expect("readable");
        let metadata = read.metadata();
        assert!(metadata.licenses.is_none() && metadata.source.is_none() && metadata.revision.is_none());
    }
}
