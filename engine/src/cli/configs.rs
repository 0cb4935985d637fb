//! Configurations held against the schemas of their plugins, before anything runs: a fault has its line in the scenario.

use std::sync::Arc;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::{Location, LocationSegment};

use crate::plugin::Plugin;
use crate::scenario::{Config, Fault, Plan, Span, Step, code, did_you_mean};

use super::exit::{Exit, Failure};
use super::prepare::{self, Plugins};

/// Faults of one configuration that are shown.
const SHOWN: usize = 20;

/// Checks every configuration of a plan whose plugin gives a schema.
///
/// # Errors
/// All that does not fit, each with its place.
pub(super) fn check(plan: &Plan, plugins: &Plugins) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for (workload, &position) in plan.workloads.iter().zip(&plugins.of_workload) {
        faults.extend(of(&workload.config, &plugins.all[position], &format!("workload `{}`", workload.name)));
    }
    for (setup, &position) in plan.setup.iter().zip(&plugins.of_setup) {
        let plugin = &plugins.all[position];
        faults.extend(of(&setup.config, plugin, &format!("setup `{}`", plugin.description.name)));
    }
    if faults.is_empty() { Ok(()) } else { Err(prepare::refused(&plan.faults(faults), Exit::PluginRefused)) }
}

fn of(config: &Config, plugin: &Arc<Plugin>, whose: &str) -> Vec<Fault> {
    let validator = match plugin.config_validator() {
        Ok(Some(validator)) => validator,
        Ok(None) => return Vec::new(),
        Err(what) => {
            let message =
                format!("{whose}: the schema of its plugin `{}` cannot be used: {what}", plugin.description.name);
            let fault = Fault::new(code::PLUGIN_CONFIG, message).at(config.span(), "what it is for");
            return vec![fault.hint("the plugin is at fault, not the scenario: ask for one that is mended")];
        }
    };
    validator.iter_errors(config.value()).take(SHOWN).flat_map(|error| told(&error, config, plugin, whose)).collect()
}

/// One fault of the validator, with places and hints.
fn told(error: &ValidationError<'_>, config: &Config, plugin: &Plugin, whose: &str) -> Vec<Fault> {
    let path = || steps(error.instance_path());
    let here = shown(error.instance_path());
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let known: Vec<String> = if path().is_empty() { keys(plugin) } else { Vec::new() };
            let one = |key: &String| {
                let label = did_you_mean(key, known.iter().map(String::as_str), "unknown");
                let fault = Fault::new(code::PLUGIN_CONFIG, format!("{whose}: unknown key `{here}.{key}`"))
                    .at(config.key_span(path(), key), label);
                if known.is_empty() { fault } else { fault.hint(format!("known keys: {}", known.join(", "))) }
            };
            unexpected.iter().map(one).collect()
        }
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let about =
                plugin.description.config_keys().unwrap_or_default().into_iter().find(|known| known.name == key);
            let fault = Fault::new(code::PLUGIN_CONFIG, format!("{whose}: `{here}.{key}` is missing"))
                .at(config.value_span(path()), "required here");
            match about.filter(|known| path().is_empty() && !known.about.is_empty()) {
                Some(known) => vec![fault.hint(format!("{key}: {}", known.about))],
                None => vec![fault],
            }
        }
        _ => {
            // Without the value itself, which may be a secret.
            let what = error.masked_with("the value").to_string();
            let fault = Fault::new(code::PLUGIN_CONFIG, format!("{whose}: `{here}`: {what}"));
            vec![fault.at(config.value_span(path()), "does not fit")]
        }
    }
}

/// Where that stands of which a plugin's refusal speaks: one that begins like `config.steps[2].path: ` names its place, any
/// other means all of it.
pub(super) fn place(config: &Config, refusal: &str) -> Span {
    let named = refusal.split_once(": ").map_or("", |(named, _)| named);
    let Some(path) = named.strip_prefix("config") else { return config.span() };
    let parts = path.split(['.', '[']).filter(|part| !part.is_empty());
    config.value_span(parts.map(|part| match part.strip_suffix(']').and_then(|at| at.parse().ok()) {
        Some(at) => Step::Index(at),
        None => Step::Key(part.into()),
    }))
}

/// The plugin's keys.
fn keys(plugin: &Plugin) -> Vec<String> {
    plugin.description.config_keys().unwrap_or_default().into_iter().map(|key| key.name).collect()
}

fn steps(location: &Location) -> Vec<Step<'_>> {
    let step = |segment: LocationSegment<'_>| match segment {
        LocationSegment::Property(key) => Step::Key(key.into_owned().into()),
        LocationSegment::Index(at) => Step::Index(at),
    };
    location.iter().map(step).collect()
}

/// A place as people write it: `config.steps[2].path`.
fn shown(location: &Location) -> String {
    steps(location).iter().fold("config".to_owned(), |text, step| match step {
        Step::Key(key) => format!("{text}.{key}"),
        Step::Index(at) => format!("{text}[{at}]"),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::plugin::tests::guest::Guest;
    use crate::plugin::{Host, Limits};
    use crate::scenario::{self, Overrides, Surroundings};

    /// A plugin with this schema.
    fn plugin(schema: &str) -> Arc<Plugin> {
        let mut guest = Guest::new();
        let mut words = [guest.image.text(b"raw"), guest.image.text(b"1"), [0, 0], [0, 0]].concat();
        words.extend(guest.image.text(schema.as_bytes()));
        let at = guest.image.words(&words);
        let guest = guest.body("describe", &format!("(i32.const {at})"));
        let host = Host::new(Limits::default(), None).expect("a host");
        Arc::new(host.load_bytes(Path::new("raw.wasm"), &guest.component()).expect("a plugin"))
    }

    /// What is said of this configuration under that schema.
    fn said(schema: &str, config: &serde_json::Value) -> String {
        let plan = scenario::of_plugin(
            "raw",
            "http://127.0.0.1:1",
            config,
            &Overrides::default(),
            &Surroundings::of_process(),
        )
        .expect("a plan");
        plan.faults(of(&plan.workloads[0].config, &plugin(schema), "workload `raw`")).to_string()
    }

    #[test]
    fn what_does_not_fit_is_told_by_its_path_and_never_by_its_value() {
        let schema = r#"{"type":"object","additionalProperties":false,"required":["key"],"properties":{
            "key":{"type":"integer","description":"Opens\n the door."},
            "steps":{"type":"array","items":{"type":"object","properties":{"n":{"maximum":5}}}}}}"#;
        let told = |config| said(schema, &config);
        assert_eq!(told(serde_json::json!({ "key": 5 })), "");
        let missing = told(serde_json::json!({}));
        assert!(missing.starts_with("error[plugin.config]: workload `raw`: `config.key` is missing"), "{missing}");
        assert!(missing.contains("help: key: Opens the door."), "{missing}");
        let unknown = told(serde_json::json!({ "key": 5, "stesp": [] }));
        assert!(
            unknown.contains("unknown key `config.stesp`") && unknown.contains("did you mean `steps`?"),
            "{unknown}"
        );
        assert!(unknown.contains("known keys: key, steps"), "{unknown}");
        let wrong = told(serde_json::json!({ "key": "sk-1234" }));
        assert!(wrong.contains("`config.key`: the value is not of type \"integer\""), "{wrong}");
        let deep = told(serde_json::json!({ "key": 5, "steps": [{ "n": 1 }, { "n": 9 }] }));
        assert!(deep.contains("`config.steps[1].n`: the value is greater than the maximum of 5"), "{deep}");
    }

    #[test]
    fn a_schema_that_is_none_blames_the_plugin_and_nothing_is_fetched_for_it() {
        for schema in [
            "5",
            r#"{"type":"nothing"}"#,
            r#"{"$ref":"http://127.0.0.1:1/schema.json"}"#,
            r#"{"$ref":"file:///etc/passwd"}"#,
            r##"{"$ref":"#/definitions/none"}"##,
            r#"{"properties":{"a":{"pattern":"("}}}"#,
        ] {
            let told = said(schema, &serde_json::json!({ "a": "b" }));
            assert!(told.contains("the schema of its plugin `raw` cannot be used"), "{schema}: {told}");
        }
    }

    #[test]
    fn a_schema_that_goes_round_in_circles_or_tries_every_way_ends() {
        for schema in [
            r##"{"$ref":"#"}"##,
            r##"{"allOf":[{"$ref":"#"}]}"##,
            r##"{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}}"##,
            r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
            r##"{"not":{"$ref":"#"}}"##,
            r#"{"properties":{"a":{"pattern":"^(a+)+$"}}}"#,
        ] {
            said(schema, &serde_json::json!({ "a": format!("{}!", "a".repeat(5_000)) }));
        }
    }
}
