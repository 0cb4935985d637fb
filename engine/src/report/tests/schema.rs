//! The data set against its committed schema.

use super::super::{RunResult, Spread};
use super::support::{assert_committed, result};

#[test]
fn the_schema_is_as_committed() {
    let schema = schemars::schema_for!(RunResult);
    let text = serde_json::to_string_pretty(&schema).expect("a schema") + "\n";
    assert_committed("../docs/schema/result.schema.json", &text);
}

#[test]
fn the_schema_of_a_spread_is_as_committed() {
    let text = serde_json::to_string_pretty(&schemars::schema_for!(Spread)).expect("a schema") + "\n";
    assert_committed("../docs/schema/spread.schema.json", &text);
}

#[test]
fn a_result_is_valid_by_the_schema_and_comes_back_unchanged() {
    let schema = schemars::schema_for!(RunResult).to_value();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let result = result();
    let mut json = serde_json::to_value(&result).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let back: RunResult = serde_json::from_value(json.clone()).expect("a result");
    assert_eq!(back, result);
    json["judgement"]["verdict"] = "fine".into();
    assert!(!validator.is_valid(&json));
}
