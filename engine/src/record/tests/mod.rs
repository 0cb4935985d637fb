//! What the recorder promises.

mod distributions;
mod merging;
mod states;
mod support;
