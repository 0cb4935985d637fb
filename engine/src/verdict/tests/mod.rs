//! What verdicts follow from which figures.

mod intervals;
mod numbers;
mod rules;
mod settling;
mod support;
mod thresholds;
mod validity;
