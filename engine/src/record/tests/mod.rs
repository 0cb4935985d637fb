//! What the recorder promises.

mod distributions;
mod merging;
mod ranks;
mod states;
mod support;
