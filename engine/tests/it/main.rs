//! The program as its users meet it: one integration crate, a module a subject.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod authoring;
mod cases;
mod conformance;
mod containment;
mod faults;
mod flows;
mod golden;
mod interrupted;
mod kit;
mod mix;
mod other_targets;
mod probing;
mod profiles;
mod recording;
mod refusals;
mod reports;
mod runs;
mod trying;
mod validity;
mod verifying;
mod workloads;
