//! The log-in itself.

use engine_sdk::{Context, ExchangeFailed, Reply};
use serde::Deserialize;

use crate::config::Plan;

#[derive(Deserialize)]
struct Answer {
    access_token: String,
}

/// Asks for a token. The body is a form, as OAuth 2's password grant has it.
pub(crate) async fn login(ctx: &Context, plan: &Plan) -> Result<Reply, ExchangeFailed> {
    let form = [("username", plan.email.as_str()), ("password", plan.password.as_str())];
    let request = ctx.post("/api/v1/auth/login").name("login").field("Accept", "application/json");
    request.wanted_fields(&["date"]).form(&form).send().await
}

/// The token in the log-in's answer. What is wrong with one that has none is not logged: it may hold a part of it.
pub(crate) fn token(reply: &Reply) -> Option<String> {
    let answer: Answer = serde_json::from_slice(reply.body()).ok()?;
    Some(answer.access_token).filter(|token| !token.is_empty())
}
