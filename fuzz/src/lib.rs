//! The bodies of the fuzz targets: each takes the bytes of one input and panics on a finding. The targets under
//! `fuzz_targets/` call them, and so does the plain test that replays the corpora.

pub mod actions;
pub mod events;
mod guest;
mod network;
mod pieces;
pub mod plugins;
pub mod scenario;
pub mod websocket;
