//! The JSON Schema of the scenario, for editors: made from the list of keys, so that it cannot fall behind.

use serde_json::{Map, Value, json};

use super::keys::{Key, Kind, ROOT, Spec};

/// A variable of the environment, with which any string may begin.
const VARIABLE: &str = r"\$\{";

/// The JSON Schema (draft 07) of a scenario.
pub fn schema() -> Value {
    let mut root = table(&ROOT);
    if let Value::Object(root) = &mut root {
        root.insert("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into());
        root.insert("title".to_owned(), "Scenario".into());
    }
    root
}

fn table(spec: &Spec) -> Value {
    let properties: Map<_, _> = spec.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let required: Vec<_> = spec.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({
        "type": "object",
        "description": spec.about,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key) -> Value {
    let mut value = match &key.kind {
        Kind::Table(spec) => return table(spec),
        Kind::Tables(spec) => json!({ "type": "array", "items": table(spec), "maxItems": 1000 }),
        Kind::Free => json!({ "type": "object" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Name { upper } => {
            let letters = if *upper { "A-Za-z" } else { "a-z" };
            json!({ "type": "string", "pattern": format!("^[{letters}0-9_-]{{1,64}}$|{VARIABLE}") })
        }
        Kind::Choice(choices) => json!({ "enum": choices }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Duration { .. } => {
            json!({ "type": "string", "pattern": format!(r"^\s*([0-9]+(\.[0-9]+)?\s*[a-zA-Zµ]+\s*)+$|{VARIABLE}") })
        }
        Kind::Bytes { .. } => {
            json!({ "type": "string", "pattern": format!(r"^[0-9]+(\.[0-9]+)?\s*[A-Za-z]*$|{VARIABLE}") })
        }
        Kind::Any => json!({}),
        Kind::Limit => json!({ "type": ["string", "number"] }),
    };
    if let Value::Object(value) = &mut value {
        let default = if key.default.is_empty() { String::new() } else { format!(" Default: {}.", key.default) };
        value.insert("description".to_owned(), format!("{}{default}", key.about).into());
    }
    value
}
