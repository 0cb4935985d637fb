//! What the clients of all workers of a run share.

use std::time::Duration;

use super::target::{AllowedHost, DialAddress, Target};
use super::tls::Tls;

/// Settings of a client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where requests without an authority go.
    pub target: Target,
    /// The most connections one worker holds, those being opened included; at least 1.
    pub connections: usize,
    /// A connection that was idle for this long is closed.
    pub idle_age: Duration,
    /// The address to dial in place of the target's.
    pub resolve: Option<DialAddress>,
    /// Addresses older than this are looked up again before the next connection.
    pub resolve_age: Duration,
    /// Hosts beside the target that requests may name and redirects may lead to.
    pub allowed_hosts: Vec<AllowedHost>,
    /// Trust and identity.
    pub tls: Tls,
    /// The most time a connection opened by `warm_up` may take.
    pub warm_up_timeout: Duration,
}

impl Settings {
    /// Settings with their defaults: 10,000 connections, 90 s idle, addresses looked up again after 60 s, no other
    /// hosts, 10 s for a connection of `warm_up`.
    pub fn new(target: Target, tls: Tls) -> Self {
        Self {
            target,
            connections: 10_000,
            idle_age: Duration::from_secs(90),
            resolve: None,
            resolve_age: Duration::from_mins(1),
            allowed_hosts: Vec::new(),
            tls,
            warm_up_timeout: Duration::from_secs(10),
        }
    }
}
