//! Checks on what a plugin says of itself, and on the configuration it takes.

use jsonschema::ValidationError;
use serde_json::{Map, Value};

use crate::author::piece::cut;
use crate::author::rehearsal::Rehearsal;
use crate::plugin::{Plugin, Refused};

use super::{Check, Subject};

/// Keys whose values are tried in every type.
const KEYS: usize = 30;

/// Name, version, summary, metrics, schema.
pub(super) fn describes(plugin: &Plugin) -> Check {
    const NAME: &str = "describes itself";
    let description = &plugin.description;
    let mut wrong = Vec::new();
    if description.version.trim().is_empty() {
        wrong.push("its version is empty".to_owned());
    }
    if description.summary.is_empty() {
        wrong.push("its summary is empty".to_owned());
    }
    for metric in description.metrics.iter().filter(|metric| metric.summary.is_empty()) {
        wrong.push(format!("the summary of metric `{}` is empty", metric.name));
    }
    if let Err(error) = plugin.config_validator() {
        wrong.push(format!("its configuration's schema is no JSON Schema: {error}"));
    }
    if wrong.is_empty() {
        let metrics = description.metrics.len();
        let schema = if description.config_schema.is_empty() { "no schema" } else { "a schema" };
        return Check::ok(
            NAME,
            format!("{} {}, {metrics} metrics, {schema} of its configuration", description.name, description.version),
        );
    }
    Check::failed(NAME, wrong.join("; "), "correct what `describe` returns", Vec::new())
}

/// The configuration fits the schema, and others are refused in words, not by a trap. That the plugin took it is known.
pub(super) fn configures(subject: &Subject<'_>) -> Check {
    const NAME: &str = "takes its configuration";
    let config: Value = serde_json::from_str(subject.config).unwrap_or_default();
    let schema: Option<Value> = serde_json::from_str(&subject.plugin.description.config_schema).ok();
    let validator = subject.plugin.config_validator().ok().flatten();
    if let Some(validator) = &validator {
        let misfits: Vec<String> = validator.iter_errors(&config).map(|error| misfit(&error)).collect();
        if !misfits.is_empty() {
            return Check::failed(
                NAME,
                format!("it takes a configuration that does not fit its own schema: {}", misfits.join("; ")),
                "make the schema say what `configure` takes",
                Vec::new(),
            );
        }
    }
    let keys = schema.as_ref().and_then(|schema| schema["properties"].as_object()).cloned().unwrap_or_default();
    let mut refused = 0;
    let bad = bad_configs(&config, &keys);
    for bad in &bad {
        let text = bad.to_string();
        match Rehearsal::new(subject.plugin, &text, subject.shared) {
            Err(Refused::Fault(fault)) => {
                return Check::failed(
                    NAME,
                    format!("{} as its configuration: {fault}", cut(&text)),
                    "`configure` returns an error that says what to change, and never traps",
                    Vec::new(),
                );
            }
            Err(Refused::Config(_)) => refused += 1,
            Ok(_) => {}
        }
    }
    Check::ok(
        NAME,
        format!("it fits the schema; of {} other configurations {refused} are refused, none by a trap", bad.len()),
    )
}

/// An error of a schema with its place, and without the value, which may be a secret.
fn misfit(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let what = error.masked();
    if place.is_empty() { what.to_string() } else { format!("{place}: {what}") }
}

/// The configuration with a key it does not know, and with each key in each type of JSON.
fn bad_configs(config: &Value, keys: &Map<String, Value>) -> Vec<Value> {
    let base = config.as_object().cloned().unwrap_or_default();
    let with = |key: &str, value: Value| {
        let mut changed = base.clone();
        changed.insert(key.to_owned(), value);
        Value::Object(changed)
    };
    let values = ["", "\u{0}\u{ffff}\r\n"].map(Value::from).into_iter().chain([
        Value::from(0),
        Value::from(-1),
        Value::from(u64::MAX),
        Value::from(1.5e300),
        Value::from(true),
        Value::Null,
        Value::Array(vec![Value::Null]),
        Value::Object(Map::from_iter([("a".to_owned(), Value::Null)])),
    ]);
    let values: Vec<Value> = values.collect();
    let mut bad = vec![Value::Object(Map::new()), with("no_such_key", Value::from(1))];
    for key in keys.keys().take(KEYS) {
        bad.extend(values.iter().map(|value| with(key, value.clone())));
    }
    bad
}
