//! The result of a run and its views.

mod figures;
mod folders;
mod masking;
mod rendering;
mod schema;
mod spread;
pub(crate) mod support;
mod views;
