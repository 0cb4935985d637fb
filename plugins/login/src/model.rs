//! Whether the platform reaches its model: a run with a text of its own is looked for there.

use std::fmt::Write;

use engine_sdk::{Context, ExchangeFailed, Level, Reply, Stop, Verdict, percent_encode};
use platform::Access;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::Model;
use crate::refusal::{self, refuse};

#[derive(Serialize)]
struct Run<'a> {
    input: &'a str,
}

#[derive(Deserialize)]
struct Seen {
    seen: u64,
}

/// A word that nobody has said before. Setup has no clock and no seed of its own, so it is made of the log-in's answer:
/// a digest, from which the token cannot be told.
pub(crate) fn marker(token: &str, date: Option<&str>) -> String {
    let digest = Sha256::new().chain_update(token).chain_update([0]).chain_update(date.unwrap_or_default()).finalize();
    let mut marker = "probe-".to_owned();
    for byte in digest.iter().take(8) {
        // Writing to a string cannot fail.
        let _ = write!(marker, "{byte:02x}");
    }
    marker
}

/// Runs the agent once and looks for its input at the model.
///
/// # Errors
/// The refusal where it was not seen there.
pub(crate) async fn probe(model: &Model, ctx: &Context, access: &Access, agent: &str, marker: &str) -> Verdict {
    let host = match model {
        Model::None => return Ok(()),
        Model::Target => None,
        Model::Host(host) => Some(host.as_str()),
    };
    let Some(before) = seen(host, ctx, marker).await? else {
        ctx.log(Level::Info, "whether the platform reaches its model cannot be seen here: the target has no /seen");
        return Ok(());
    };
    let path = format!("/api/v1/agents/{}/run", percent_encode(agent));
    let input = format!("This is {marker}, a test before a load test. Answer with one word.");
    let request = ctx.post(path).name("run").fields(access.fields()).json(&Run { input: &input })?;
    if request.send().await?.status() != 200 {
        return refuse(refusal::RUN);
    }
    match seen(host, ctx, marker).await? {
        Some(after) if after > before => Ok(()),
        _ => refuse(refusal::NOT_REACHED),
    }
}

/// How often this text was seen; `None` where the target itself does not know the question.
async fn seen(host: Option<&str>, ctx: &Context, marker: &str) -> Result<Option<u64>, Stop> {
    let request = ctx.get(format!("/seen?text={marker}")).name("seen");
    let Some(host) = host else {
        let reply = request.send().await?;
        return if reply.status() == 404 { Ok(None) } else { count(&reply).map(Some) };
    };
    match request.authority(host).send().await {
        Ok(reply) => count(&reply).map(Some),
        Err(failed) => Err(unreachable(&failed)),
    }
}

fn unreachable(failed: &ExchangeFailed) -> Stop {
    let text = if failed.reason() == "host_not_allowed" { refusal::NOT_ALLOWED } else { refusal::NO_MODEL };
    Stop::failed(text)
}

fn count(reply: &Reply) -> Result<u64, Stop> {
    if reply.status() != 200 {
        return refuse(refusal::NO_MODEL);
    }
    reply.json::<Seen>().map(|answer| answer.seen).map_err(|_| Stop::failed(refusal::NO_MODEL))
}
