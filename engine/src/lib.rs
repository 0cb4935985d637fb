//! The load engine: offers load on an open schedule through WebAssembly plugins, measures, judges and reports.
//!
//! Data goes one way: a [`scenario`] becomes a plan with a [`schedule`]; [`worker`]s start each arrival's iteration in a
//! [`plugin`] and make its exchanges with the [`client`]; what becomes of them is [`record`]ed, judged by the
//! [`verdict`] and shown in the [`report`]. [`cli`] ties them together.

pub mod author;
pub mod books;
pub mod cli;
pub mod client;
pub mod clock;
pub mod credentials;
pub mod pieces;
pub mod plugin;
mod printable;
pub mod probe;
pub mod record;
pub mod report;
pub mod scenario;
pub mod schedule;
pub mod verdict;
pub mod worker;
