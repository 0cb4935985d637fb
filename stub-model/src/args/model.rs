//! `stub-model model`, and the model's options where the platform has one of its own.

use std::net::SocketAddr;
use std::time::Duration;

use stub_model::model::{Behaviour, MAX_DIM, MAX_TIME, MAX_TOKENS, Settings};

use super::{Common, part};

/// Settings of the model.
#[derive(Debug, clap::Args)]
pub(crate) struct Model {
    /// Address to listen on; port 0 takes any free one, which is printed
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4020")]
    listen: SocketAddr,

    #[command(flatten)]
    pub(crate) common: Common,

    #[command(flatten)]
    answers: Answers,

    /// Decides words, times and faults
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl From<Model> for Settings {
    fn from(model: Model) -> Self {
        Self { server: model.common.server(model.listen, model.seed), behaviour: model.answers.behaviour(model.seed) }
    }
}

/// How a model answers.
#[derive(Debug, clap::Args)]
pub(crate) struct Answers {
    /// Milliseconds until the first token, on the mean
    #[arg(long, value_name = "MS", default_value_t = 400, value_parser = clap::value_parser!(u64).range(..=max_ms()))]
    first_token_ms: u64,

    /// Milliseconds from one token to the next, on the mean
    #[arg(long, value_name = "MS", default_value_t = 12, value_parser = clap::value_parser!(u64).range(..=max_ms()))]
    token_ms: u64,

    /// How far these times may be off, as a part of them
    #[arg(long, value_name = "PART", default_value_t = 0.3, value_parser = part)]
    jitter: f64,

    /// Tokens of an answer, unless the request wants fewer
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TOKENS)))]
    tokens: u32,

    /// The part of requests that are answered with an error 500
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = part)]
    error_rate: f64,

    /// The part of requests that are never answered
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = part)]
    timeout_rate: f64,

    /// Numbers of an embedding
    #[arg(long, value_name = "N", default_value_t = 768, value_parser = clap::value_parser!(u32).range(1..=max_dim()))]
    embedding_dim: u32,
}

/// The names of all that [`Answers`] has.
pub(super) const ANSWERS: [&str; 7] =
    ["first_token_ms", "token_ms", "jitter", "tokens", "error_rate", "timeout_rate", "embedding_dim"];

impl Answers {
    pub(super) fn behaviour(&self, seed: u64) -> Behaviour {
        Behaviour {
            first_token: Duration::from_millis(self.first_token_ms),
            token: Duration::from_millis(self.token_ms),
            jitter: self.jitter,
            tokens: self.tokens,
            error_rate: self.error_rate,
            timeout_rate: self.timeout_rate,
            embedding_dim: usize::try_from(self.embedding_dim).unwrap_or(MAX_DIM),
            seed,
        }
    }
}

pub(super) fn max_ms() -> u64 {
    MAX_TIME.as_secs() * 1_000
}

fn max_dim() -> i64 {
    i64::try_from(MAX_DIM).unwrap_or(i64::MAX)
}
