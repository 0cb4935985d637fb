//! Logs in to a platform, and refuses the run where the platform is not ready to be loaded.
//!
//! ```toml
//! [[setup]]
//! plugin = "login"
//!
//! [setup.config]
//! email = "${EMAIL}"
//! password = "${PASSWORD}"
//! collection = "manuals"
//! trigger_source = "github"
//! trigger_id = "t-1"
//! webhook_secret = "${WEBHOOK_SECRET}"
//! model = "127.0.0.1:4020"
//! ```
//!
//! # As setup
//! It logs in, takes the first organization and the first published agent unless others are configured, looks at the
//! collection and the trigger where they are given, and shares what it has found with every workload: `access_token`,
//! `organization`, `agent`, `collection`, `trigger`, `webhook_secret`. What would make every later number worthless is
//! refused before anything is offered, each with what to do: a wrong password, no organization, an agent that is unknown
//! or not published, a collection that is unknown or empty, an unknown trigger, a model that the platform does not reach.
//!
//! The last is seen by a probe, where `model` says at whom to look: the agent is run once on a text of its own, and the
//! model is asked at `/seen?text=…` how often it has seen that text, before and after. With `"target"` the target itself
//! is asked, and one that does not know the question is let pass with a line in the log. A host of its own must be among
//! the scenario's `allowed_hosts`.
//!
//! # As a workload
//! Each arrival logs in once; right is a 200 with a token.

mod ask;
mod config;
mod model;
mod refusal;
mod setup;

use std::rc::Rc;

use engine_sdk::{Context, Flow, Shared, Stop, Verdict, Workload};

use config::{Config, Plan};

impl Workload for Plan {
    type Config = Config;
    const NAME: &str = "login";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Logs in to a platform and checks that it is ready to be loaded";

    fn configure(config: Config, _: Shared) -> Result<Self, String> {
        Self::new(config)
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let reply = ask::login(&ctx, self).await?;
        reply.expect_status(200)?;
        ask::token(&reply).map(drop).ok_or(Stop::failed("no token"))
    }

    fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        Some(Box::pin(async move { setup::run(&self, &ctx).await }))
    }
}

engine_sdk::plugin!(Plan);

#[cfg(test)]
mod tests;
