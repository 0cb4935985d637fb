//! Running an agent.

use hyper::StatusCode;
use hyper::header::HeaderMap;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::draw::id;
use crate::web::Reply;

use super::handler::Platform;
use super::{access, refusal};

/// Keeps the ids of runs made here apart from all others.
const RUNS: u64 = 6_000;

/// Which agents there are, and which of them can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    Published,
    Draft,
}

/// The agent of this id: 404 for an unknown one, 409 for one that is not published.
pub(super) fn published(platform: &Platform, organisation: usize, agent: &str) -> Result<(), Reply> {
    match platform.agents.get(organisation).and_then(|agents| agents.get(agent)) {
        Some(Agent::Published) => Ok(()),
        Some(Agent::Draft) => Err(refusal::detail(StatusCode::CONFLICT, "Agent is not published")),
        None => Err(refusal::not_found("Agent not found")),
    }
}

/// `POST /api/v1/agents/{id}/run`. Keeps a connection while the model answers, and needs a second one for its row.
pub(super) async fn run(platform: &Platform, fields: &HeaderMap, agent: &str, body: &[u8]) -> Result<Reply, Reply> {
    let organisation = access::organisation(&platform.directory, fields)?;
    let object = refusal::object(body)?;
    let input = input(&object)?;
    published(platform, organisation, agent)?;
    let start = Instant::now();
    let kept = platform.pool.connection().await?;
    let output = platform.model.complete(input).await?;
    platform.pool.briefly(platform.holds.write).await?;
    drop(kept);
    let run = json!({
        "id": id(platform.seed, RUNS, platform.next_number()),
        "agent_id": agent,
        "status": "completed",
        "output": output,
        "duration_ms": u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
    });
    Ok(Reply::json(StatusCode::OK, run.to_string()))
}

/// What the agent is told: `input`, or `message`.
fn input(object: &Map<String, Value>) -> Result<&str, Reply> {
    match refusal::text(object, "input")? {
        Some(input) => Ok(input),
        None => refusal::text(object, "message")?.ok_or_else(|| refusal::missing(&["body", "input"])),
    }
}
