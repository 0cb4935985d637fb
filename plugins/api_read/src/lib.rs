//! Reads the authenticated lists of a platform: agents, runs and conversations in rotation.
//!
//! The model of a plugin that knows one platform. Each arrival reads one list, chosen by its index so that every run
//! reads the same ones; the answer is right when it is a 200 with a JSON object that has an array `items`. Each list is
//! a series of its own in the report.
//!
//! ```toml
//! [[workload]]
//! plugin = "api_read"
//! config = { token = "${TOKEN}", organization = "org-1", limit = 20 }
//! ```
//!
//! Without a configuration, token and organization are those of the setup plugin `login`; what the configuration says
//! goes first.

use engine_sdk::{Context, Shared, Stop, Verdict, Workload};
use platform::Access;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The lists: the name of the series and the last part of the path.
const LISTS: [&str; 3] = ["agents", "runs", "conversations"];

/// Whose lists to read, and how much of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The bearer token; that of `login` where absent.
    token: Option<String>,
    /// The organization's id; that of `login` where absent.
    organization: Option<String>,
    /// The most items of one answer, 1 to 1000.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
}

fn default_limit() -> u32 {
    20
}

/// Everything that need not be made anew for each request.
struct ApiRead {
    paths: [String; LISTS.len()],
    access: Access,
}

/// What a list's answer must look like; the items themselves are not looked at.
#[derive(Deserialize)]
struct List {
    #[serde(rename = "items")]
    _items: Vec<IgnoredAny>,
}

impl Workload for ApiRead {
    type Config = Config;
    const NAME: &str = "api_read";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Reads the lists of agents, runs and conversations in rotation";

    fn configure(config: Config, shared: Shared) -> Result<Self, String> {
        if !(1..=1000).contains(&config.limit) {
            return Err(format!("config.limit: {} is not within 1 to 1000", config.limit));
        }
        Ok(Self {
            paths: LISTS.map(|list| format!("/api/v1/{list}?limit={}", config.limit)),
            access: Access::new(config.token, config.organization, &shared.read()?)?,
        })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let turn = usize::try_from(ctx.arrival().index % LISTS.len() as u64).unwrap_or(0);
        let request = ctx.get(&self.paths[turn]).name(LISTS[turn]).fields(self.access.fields()).wanted_fields(&[]);
        let reply = request.send().await?;
        reply.expect_status(200)?;
        reply.json::<List>().map_err(|_| Stop::failed("no items"))?;
        Ok(())
    }
}

engine_sdk::plugin!(ApiRead);

#[cfg(test)]
mod tests;
