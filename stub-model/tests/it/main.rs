//! The stub as its clients and its parent see it. One test binary; each module shows one thing.
#![allow(clippy::unwrap_used, reason = "a test that meets the unexpected has failed")]

mod answers;
mod binary;
mod books;
mod chat;
mod client;
mod disturbed;
mod faults;
mod joined;
mod lists;
mod model;
mod platform;
mod process;
mod signals;
