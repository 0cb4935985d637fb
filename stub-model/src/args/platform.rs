//! `stub-model platform`.

use std::net::SocketAddr;
use std::time::Duration;

use stub_model::directory::{DEFAULT_TOKEN, PASSWORD, USERNAME};
use stub_model::model::MODELS;
use stub_model::platform::{DEFAULT_COLLECTION, DEFAULT_SECRET, Holds, PoolSettings, Settings};

use super::model::{ANSWERS, Answers, max_ms};
use super::{Common, token};

/// Settings of the platform.
#[derive(Debug, clap::Args)]
pub(crate) struct Platform {
    /// Address to listen on; port 0 takes any free one, which is printed
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4010")]
    listen: SocketAddr,

    #[command(flatten)]
    pub(crate) common: Common,

    /// The model to call; without it the platform serves one of its own, which the options of `model` describe
    #[arg(long, value_name = "URL", conflicts_with_all = ANSWERS)]
    model_url: Option<String>,

    /// The model asked for chat
    #[arg(long, value_name = "NAME", default_value = MODELS[0])]
    chat_model: String,

    /// The model asked for embeddings
    #[arg(long, value_name = "NAME", default_value = MODELS[1])]
    embedding_model: String,

    /// The longest silence of the model, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..=max_ms()))]
    model_timeout_ms: u64,

    #[command(flatten)]
    answers: Answers,

    /// Connections that the pool keeps
    #[arg(long, value_name = "N", default_value_t = 5)]
    pool_size: u32,

    /// Connections that the pool opens beyond those at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pool_overflow: u32,

    /// The longest wait for a connection, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(..=max_ms()))]
    pool_timeout_ms: u64,

    /// Milliseconds that a connection is kept for reading
    #[arg(long, value_name = "MS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(..=max_ms()))]
    read_ms: u64,

    /// Milliseconds that a connection is kept for writing a row
    #[arg(long, value_name = "MS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(..=max_ms()))]
    write_ms: u64,

    /// Who can log in
    #[arg(long, value_name = "EMAIL", default_value = USERNAME)]
    email: String,

    /// With which password
    #[arg(long, value_name = "PASSWORD", env = "STUB_PASSWORD", hide_env_values = true, default_value = PASSWORD)]
    password: String,

    /// The bearer token that logging in gives
    #[arg(long, value_name = "TOKEN", env = "STUB_TOKEN", hide_env_values = true, default_value = DEFAULT_TOKEN,
          value_parser = token)]
    token: String,

    /// The collection that has texts
    #[arg(long, value_name = "NAME", default_value = DEFAULT_COLLECTION)]
    collection: String,

    /// The secret that webhook bodies are signed with
    #[arg(long, value_name = "SECRET", env = "STUB_WEBHOOK_SECRET", hide_env_values = true,
          default_value = DEFAULT_SECRET)]
    webhook_secret: String,

    /// Decides ids, and what the platform's own model says and does
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl From<Box<Platform>> for Settings {
    fn from(platform: Box<Platform>) -> Self {
        let ms = Duration::from_millis;
        Self {
            server: platform.common.server(platform.listen, platform.seed),
            model_url: platform.model_url,
            behaviour: platform.answers.behaviour(platform.seed),
            chat_model: platform.chat_model,
            embedding_model: platform.embedding_model,
            model_timeout: ms(platform.model_timeout_ms),
            email: platform.email,
            password: platform.password,
            token: platform.token,
            pool: PoolSettings {
                size: platform.pool_size,
                overflow: platform.pool_overflow,
                timeout: ms(platform.pool_timeout_ms),
            },
            holds: Holds { read: ms(platform.read_ms), write: ms(platform.write_ms) },
            collection: platform.collection,
            webhook_secret: platform.webhook_secret,
        }
    }
}
