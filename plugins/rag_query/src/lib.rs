//! Searches a collection of documents.
//!
//! Each arrival posts a question, chosen by its seed, to `/api/v1/rag/search`. The answer is right when it is a 200 with
//! at least one result.
//!
//! ```toml
//! [[setup]]
//! plugin = "login"
//! config = { email = "${EMAIL}", password = "${PASSWORD}", collection = "manuals" }
//!
//! [[workload]]
//! name = "rag_query"
//! share = 1
//! ```

use engine_sdk::{Context, Metric, Shared, Verdict, Workload, ensure};
use platform::{Access, Given, Session, texts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where to search, and for what.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The bearer token; that of `login` where absent.
    token: Option<String>,
    /// The organization's id; that of `login` where absent.
    organization: Option<String>,
    /// The collection's name; that of `login` where absent.
    collection: Option<String>,
    /// The most results of one search, 1 to 1000.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: u32,
    /// Questions to choose from, by the arrival's seed; the plugin's own where empty. They ask for what `ingest` writes.
    #[serde(default)]
    queries: Vec<String>,
}

fn default_limit() -> u32 {
    5
}

engine_sdk::metrics! {
    /// Results of a search.
    observation RESULTS = "results" in "results";
    /// The score of a search's first result, where it has one that is not negative.
    observation TOP_SCORE = "top_score" in "";
}

/// A search, ready to be asked for.
struct RagQuery {
    access: Access,
    collection: String,
    limit: u32,
    queries: Vec<String>,
}

#[derive(Serialize)]
struct Search<'a> {
    collection_name: &'a str,
    query: &'a str,
    limit: u32,
}

#[derive(Deserialize)]
struct Found {
    results: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    score: Option<f64>,
}

impl Workload for RagQuery {
    type Config = Config;
    const NAME: &str = "rag_query";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Searches a collection of documents";
    const METRICS: &[Metric] = METRICS;

    fn configure(config: Config, shared: Shared) -> Result<Self, String> {
        if !(1..=1000).contains(&config.limit) {
            return Err(format!("config.limit: {} is not within 1 to 1000", config.limit));
        }
        let session: Session = shared.read()?;
        let access = Access::new(config.token, config.organization, &session)?;
        let from = Given::ByLoginWith("collection");
        let collection = from.take("collection", config.collection, session.collection.as_deref())?;
        Ok(Self { access, collection, limit: config.limit, queries: config.queries })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let query = texts::one_of(&self.queries, &mut ctx.rng());
        let search = Search { collection_name: &self.collection, query: &query, limit: self.limit };
        let request = ctx.post("/api/v1/rag/search").name("search").fields(self.access.fields()).wanted_fields(&[]);
        let reply = request.json(&search)?.send().await?;
        let found: Found = reply.expect_status(200)?.json()?;
        ensure(!found.results.is_empty(), "no results")?;
        ctx.observe(RESULTS, found.results.len() as f64);
        if let Some(score) = found.results[0].score.filter(|score| *score >= 0.0) {
            ctx.observe(TOP_SCORE, score);
        }
        Ok(())
    }
}

engine_sdk::plugin!(RagQuery);

#[cfg(test)]
mod tests;
