#![doc = include_str!("../README.md")]
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that meets the unexpected has failed"))]

pub mod body;
pub mod clock;
pub mod connection;
pub mod control;
pub mod directory;
pub mod draw;
pub mod exchange;
pub mod faults;
mod gate;
pub mod journal;
pub mod listen;
pub mod metrics;
pub mod model;
pub mod parent;
pub mod platform;
pub mod query;
pub mod server;
pub mod small;
pub mod socket;
pub mod traffic;
mod web;
pub mod wire;
