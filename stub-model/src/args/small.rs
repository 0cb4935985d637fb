//! `stub-model small`.

use std::net::SocketAddr;

use stub_model::small::{DEFAULT_TOKEN, Settings};

use super::{Common, token};

/// Settings of the small target.
#[derive(Debug, clap::Args)]
pub(crate) struct Small {
    /// Address to listen on; port 0 takes any free one, which is printed
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Decides the ids and names in the lists, and which requests are reset
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The bearer token that logging in gives and the lists want
    #[arg(long, value_name = "TOKEN", env = "STUB_TOKEN", hide_env_values = true, default_value = DEFAULT_TOKEN,
          value_parser = token)]
    token: String,
}

impl From<Small> for Settings {
    fn from(small: Small) -> Self {
        Self { server: small.common.server(small.listen, small.seed), seed: small.seed, token: small.token }
    }
}
