//! Where a plugin's file comes from, as far as the file says so: nothing of it is checked by anybody.

use serde::Serialize;
use wasm_metadata::{Metadata, Payload, Producers};

/// What the custom sections of a component say, each a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origin {
    /// The name of the package it was built from.
    pub package: Option<String>,
    /// The package's version.
    pub package_version: Option<String>,
    /// What the package is.
    pub about: Option<String>,
    /// Who wrote it.
    pub authors: Option<String>,
    /// Under which licence it may be used, as an SPDX expression.
    pub licence: Option<String>,
    /// Where its source is kept.
    pub source: Option<String>,
    /// The revision of the source.
    pub revision: Option<String>,
    /// Where more is to be read.
    pub homepage: Option<String>,
    /// What it was made with.
    pub tools: Vec<Tool>,
}

/// A language, a compiler or another tool that a component was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// `language`, `processed-by` or `sdk`.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Its version; empty where it is not said.
    pub version: String,
}

impl Origin {
    /// Reads it. Sections that cannot be read, which is nothing that keeps a plugin from working, leave it empty.
    pub(super) fn of(component: &[u8]) -> Self {
        let Ok(payload) = Payload::from_binary(component) else { return Self::default() };
        let line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let Metadata { name, version, description, authors, licenses, source, revision, homepage, .. } =
            payload.metadata();
        let mut tools = Vec::new();
        tools_of(&payload, &mut tools);
        Self {
            package: name.clone().map(line),
            package_version: version.as_ref().map(|value| line(value.to_string())),
            about: description.as_ref().map(|value| line(value.to_string())),
            authors: authors.as_ref().map(|value| line(value.to_string())),
            licence: licenses.as_ref().map(|value| line(value.to_string())),
            source: source.as_ref().map(|value| line(value.to_string())),
            revision: revision.as_ref().map(|value| line(value.to_string())),
            homepage: homepage.as_ref().map(|value| line(value.to_string())),
            tools,
        }
    }
}

/// The tools of a component and of the modules in it, each once, the component's own first.
fn tools_of(payload: &Payload, tools: &mut Vec<Tool>) {
    for (role, entries) in payload.metadata().producers.iter().flat_map(Producers::iter) {
        for (name, version) in entries.iter() {
            let tool = Tool { role: role.clone(), name: name.clone(), version: version.clone() };
            if !tools.contains(&tool) {
                tools.push(tool);
            }
        }
    }
    if let Payload::Component { children, .. } = payload {
        for child in children {
            tools_of(child, tools);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_committed_component_says_what_it_was_made_with() {
        let origin = Origin::of(include_bytes!("../../../plugins/components/http.wasm"));
        let names: Vec<&str> = origin.tools.iter().map(|tool| tool.name.as_str()).collect();
        // The component's own tools first, then those of the module in it.
        assert_eq!(names.first(), Some(&"wit-component"), "{:?}", origin.tools);
        assert!(names.contains(&"rustc") && names.contains(&"wit-bindgen-rust"), "{:?}", origin.tools);
    }

    #[test]
    fn what_is_not_said_is_absent_and_what_cannot_be_read_is_empty() {
        assert_eq!(Origin::of(b"\0asm\x0d\0\x01\0"), Origin::default());
        // A custom section `licenses` of one byte, which is no SPDX expression.
        assert_eq!(Origin::of(b"\0asm\x0d\0\x01\0\x00\x0a\x08licenses!"), Origin::default());
    }
}
