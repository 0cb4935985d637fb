//! What the scenario promises.

mod command_line;
mod documents;
mod faults;
mod mutation;
mod plans;
mod profiles;
mod refused_options;
mod secrets;

use std::path::Path;

use super::{Faults, Overrides, Plan, Surroundings, parse};

/// The smallest scenario there is.
const BASE: &str = r#"[target]
url = "http://127.0.0.1:8080"

[[workload]]
name = "small"
share = 1

[[phase]]
name = "load"
duration = "10s"
rate = 20
"#;

/// One that has something of everything.
const WHOLE: &str = include_str!("whole.toml");

/// Four cores, and three variables.
fn surroundings() -> Surroundings {
    let variable = |name: &str| match name {
        "TOKEN" => Some("s3cret".to_owned()),
        "HOST" => Some("api.test".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    Surroundings { variable: Box::new(variable), cores: 4 }
}

fn resolve_with(text: &str, overrides: &Overrides) -> Result<Plan, Faults> {
    parse(Path::new("mix.toml"), text, overrides, &surroundings())
}

fn plan(text: &str) -> Plan {
    plan_with(text, &Overrides::default())
}

fn plan_with(text: &str, overrides: &Overrides) -> Plan {
    resolve_with(text, overrides).unwrap_or_else(|faults| panic!("refused:\n{faults}"))
}

fn sets(sets: &[&str]) -> Overrides {
    Overrides { set: sets.iter().map(|&set| set.to_owned()).collect(), ..Overrides::default() }
}

/// The text of a refusal.
fn refusal(result: Result<Plan, Faults>) -> String {
    match result {
        Ok(plan) => panic!("not refused: {plan:?}"),
        Err(faults) => faults.to_string(),
    }
}

/// Compares texts so that a difference can be read.
#[track_caller]
fn assert_text(seen: &str, expected: &str) {
    assert!(seen == expected.trim_start_matches('\n'), "the text is now:\n<<<\n{seen}\n>>>");
}
