//! What verdicts follow from which figures.

mod exact;
mod intervals;
mod numbers;
mod rules;
mod settling;
mod support;
mod thresholds;
mod validity;
