//! The setup flow: from a log-in to what the workloads need.

use engine_sdk::{Context, Level, Reply, Stop, Verdict, percent_encode};
use platform::{Access, Session, Trigger};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::config::Plan;
use crate::refusal::{self, refuse};
use crate::{ask, model};

/// How many agents are looked at.
const AGENTS: usize = 100;

#[derive(Deserialize)]
struct List<T> {
    items: Vec<T>,
}

#[derive(Deserialize)]
struct Organization {
    id: String,
}

#[derive(Deserialize)]
struct Agent {
    id: String,
    #[serde(default)]
    status: String,
}

#[derive(Deserialize)]
struct Collection {
    document_count: u64,
}

/// Logs in, looks at everything, and shares it.
///
/// # Errors
/// The refusal.
pub(crate) async fn run(plan: &Plan, ctx: &Context) -> Verdict {
    let reply = ask::login(ctx, plan).await?;
    let token = match reply.status() {
        200 => ask::token(&reply).ok_or(Stop::failed(refusal::NO_TOKEN))?,
        400 | 401 | 403 | 422 => return refuse(refusal::PASSWORD),
        404 | 405 => return refuse(refusal::NO_LOGIN),
        _ => return refuse(refusal::LOGIN),
    };
    if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return refuse(refusal::BAD_ANSWER);
    }
    // Of this log-in alone, so that no cache of the platform's answers the probe.
    let marker = model::marker(&token, reply.field("date"));
    let organization = organization(plan, ctx, &token).await?;
    let mut session = Session { access_token: Some(token), organization: Some(organization), ..Session::default() };
    let access = Access::new(None, None, &session).map_err(|_| Stop::failed(refusal::BAD_ANSWER))?;
    let agent = agent(plan, ctx, &access).await?;
    if let Some(name) = &plan.collection {
        collection(name, ctx, &access).await?;
    }
    if let Some(wanted) = &plan.trigger {
        trigger(wanted, ctx, &access).await?;
    }
    model::probe(&plan.model, ctx, &access, &agent, &marker).await?;
    session.agent = Some(agent);
    session.collection.clone_from(&plan.collection);
    session.trigger.clone_from(&plan.trigger);
    session.webhook_secret.clone_from(&plan.webhook_secret);
    ctx.share(&session)
}

async fn organization(plan: &Plan, ctx: &Context, token: &str) -> Result<String, Stop> {
    let authorization = format!("Bearer {token}");
    let request = ctx.get("/api/v1/orgs").name("orgs").field("Accept", "application/json");
    let reply = request.field("Authorization", authorization).send().await?;
    let list: List<Organization> = read(&reply, refusal::ORGANIZATIONS)?;
    let mut ids = list.items.into_iter().map(|organization| organization.id).filter(|id| !id.is_empty()).peekable();
    if ids.peek().is_none() {
        return refuse(refusal::NO_ORGANIZATION);
    }
    match &plan.organization {
        Some(wanted) => ids.find(|id| id == wanted).ok_or(Stop::failed(refusal::UNKNOWN_ORGANIZATION)),
        None => ids.next().ok_or(Stop::failed(refusal::NO_ORGANIZATION)),
    }
}

async fn agent(plan: &Plan, ctx: &Context, access: &Access) -> Result<String, Stop> {
    let path = format!("/api/v1/agents?limit={AGENTS}");
    let reply = ctx.get(path).name("agents").fields(access.fields()).send().await?;
    let mut agents = read::<List<Agent>>(&reply, refusal::AGENTS)?.items;
    let published = |agent: &Agent| agent.status == "published";
    let Some(wanted) = &plan.agent else {
        agents.retain(published);
        return agents.into_iter().next().map(|agent| agent.id).ok_or(Stop::failed(refusal::NO_AGENT));
    };
    match agents.iter().find(|agent| agent.id == *wanted) {
        Some(agent) if published(agent) => Ok(wanted.clone()),
        Some(_) => refuse(refusal::UNPUBLISHED_AGENT),
        None => {
            if agents.len() >= AGENTS {
                ctx.log(Level::Warn, &format!("only the first {AGENTS} agents were looked at"));
            }
            refuse(refusal::UNKNOWN_AGENT)
        }
    }
}

async fn collection(name: &str, ctx: &Context, access: &Access) -> Verdict {
    let path = format!("/api/v1/rag/collections/{}", percent_encode(name));
    let reply = ctx.get(path).name("collection").fields(access.fields()).send().await?;
    if reply.status() == 404 {
        return refuse(refusal::UNKNOWN_COLLECTION);
    }
    match read::<Collection>(&reply, refusal::COLLECTION)?.document_count {
        0 => refuse(refusal::EMPTY_COLLECTION),
        _ => Ok(()),
    }
}

/// Not every account may list triggers: one that may not is let pass.
async fn trigger(wanted: &Trigger, ctx: &Context, access: &Access) -> Verdict {
    let reply = ctx.get("/api/v1/webhooks/triggers").name("triggers").fields(access.fields()).send().await?;
    if reply.status() != 200 {
        let text = format!("the trigger was not checked: the list of triggers answered {}", reply.status());
        ctx.log(Level::Info, &text);
        return Ok(());
    }
    let list: List<Trigger> = read(&reply, refusal::UNKNOWN_TRIGGER)?;
    if list.items.contains(wanted) { Ok(()) } else { refuse(refusal::UNKNOWN_TRIGGER) }
}

/// The body of a 200; this refusal for anything else.
fn read<T: DeserializeOwned>(reply: &Reply, otherwise: &'static str) -> Result<T, Stop> {
    if reply.status() != 200 {
        return refuse(otherwise);
    }
    reply.json().map_err(|_| Stop::failed(otherwise))
}
