//! The floors' target, and what it has counted.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::cores::{Cores, Role};
use crate::compare::listening::Listening;

/// A target that runs until this is dropped.
#[derive(Debug)]
pub(super) struct Target(Listening);

/// What the target has counted.
#[derive(Debug, Deserialize)]
pub(super) struct Count {
    pub(super) requests: u64,
    pub(super) tokens: u64,
    /// The most streams that were open at once.
    pub(super) streams_most: u64,
    /// When the first request came, in nanoseconds of the monotonic clock.
    pub(super) first_arrival_ns: Option<u64>,
    /// From a request for a stream to the moment its first token was handed over.
    pub(super) first_token: Times,
}

/// Times as the floors say them.
#[derive(Debug, Deserialize)]
pub(super) struct Times {
    pub(super) p50_us: Option<f64>,
}

impl Target {
    /// Starts one, with options of its own.
    pub(super) fn start(cores: &Cores, mut floor: Command, options: &[String]) -> Result<Self> {
        floor.args(["target", "--die-with-parent"]).args(options).stdout(Stdio::piped());
        Ok(Self(Listening::of(cores.spawn(Role::Target, &mut floor)?)?))
    }

    pub(super) fn url(&self) -> &str {
        &self.0.url
    }

    /// What it has counted so far.
    pub(super) fn count(&self) -> Result<Count> {
        let address = self.url().strip_prefix("http://").context("the target's URL")?;
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(format!("GET /count HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").context("the target's count")?;
        Ok(serde_json::from_str(body)?)
    }
}
