//! Runs an agent once and waits for its output.
//!
//! Each arrival posts `{"input": …}` to `/api/v1/agents/{agent}/run`. The answer is right when it is a 200 whose
//! `status` is `completed` and whose `output` is not empty. Another status of HTTP keeps the engine's reason
//! (`http_500`), another status of the run is `check: run <status>`.
//!
//! ```toml
//! [[setup]]
//! plugin = "login"
//! config = { email = "${EMAIL}", password = "${PASSWORD}" }
//!
//! [[workload]]
//! name = "agent_run"
//! share = 1
//! timeout = "90s"
//! ```

use engine_sdk::{Context, Metric, Shared, Stop, Verdict, Workload, percent_encode};
use platform::{Access, Given, Session, texts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which agent to run, and on what.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The bearer token; that of `login` where absent.
    token: Option<String>,
    /// The organization's id; that of `login` where absent.
    organization: Option<String>,
    /// The agent's id; that of `login` where absent.
    agent: Option<String>,
    /// Inputs to choose from, by the arrival's seed; questions of the plugin's own where empty.
    #[serde(default)]
    inputs: Vec<String>,
}

engine_sdk::metrics! {
    /// Bytes of a run's output.
    observation OUTPUT = "output" in "bytes";
}

/// A run, ready to be asked for.
struct AgentRun {
    path: String,
    access: Access,
    inputs: Vec<String>,
}

#[derive(Serialize)]
struct Request<'a> {
    input: &'a str,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    status: String,
    #[serde(default)]
    output: Value,
}

impl Workload for AgentRun {
    type Config = Config;
    const NAME: &str = "agent_run";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Runs an agent once and waits for its output";
    const METRICS: &[Metric] = METRICS;

    fn configure(config: Config, shared: Shared) -> Result<Self, String> {
        let session: Session = shared.read()?;
        let access = Access::new(config.token, config.organization, &session)?;
        let agent = Given::ByLogin.take("agent", config.agent, session.agent.as_deref())?;
        Ok(Self { path: format!("/api/v1/agents/{}/run", percent_encode(&agent)), access, inputs: config.inputs })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let input = texts::one_of(&self.inputs, &mut ctx.rng());
        let request = ctx.post(&self.path).name("run").fields(self.access.fields()).wanted_fields(&[]);
        let reply = request.json(&Request { input: &input })?.send().await?;
        let run: Run = reply.expect_status(200)?.json()?;
        match run.status.as_str() {
            "completed" => {}
            "" => return Err(Stop::failed("run without status")),
            status => return Err(Stop::failed(quoted_status(status))),
        }
        let output = length(&run.output);
        if output == 0 {
            return Err(Stop::failed("empty output"));
        }
        ctx.observe(OUTPUT, output as f64);
        Ok(())
    }
}

/// A run's status as a failure: a word of few, so that it needs no more than a limit.
fn quoted_status(status: &str) -> String {
    let known = status.len() <= 24 && status.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if known { format!("run {status}") } else { "run with an unexpected status".to_owned() }
}

/// The output's bytes: of a text as it is without the white space around it, of anything else as JSON.
fn length(output: &Value) -> usize {
    match output {
        Value::Null => 0,
        Value::String(text) => text.trim().len(),
        Value::Array(items) if items.is_empty() => 0,
        Value::Object(entries) if entries.is_empty() => 0,
        other => other.to_string().len(),
    }
}

engine_sdk::plugin!(AgentRun);

#[cfg(test)]
mod tests;
