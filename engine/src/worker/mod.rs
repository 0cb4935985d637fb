//! A worker: one thread with its own runtime, connections, plugin instances and recorder. It walks its share of the
//! schedule, starts each arrival when it is due, hands events to plugins and writes down what becomes of them.
//!
//! Workers share nothing on the hot path but the count of iterations in flight.

mod alarms;
mod books;
mod control;
mod core;
mod crew;
mod drive;
mod flight;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod hear;
mod heed;
mod instances;
mod layout;
mod listener;
mod pace;
#[cfg(any(test, feature = "fuzzing"))]
mod rig;
mod slots;
mod solo;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use heed::{OPEN_MOST, TIMERS_MOST, check_reason, read_mode};

pub use control::{Control, Stop};
pub use crew::{Crew, Done, NotReady, Settings, WorkloadSettings};
pub use instances::{FAULTS_IN_A_ROW, Isolation};
pub use layout::metrics_of;
pub use slots::Slots;
pub use solo::{Figure, Solo, SoloFlow, TAPED, Taped, Trace, TracedExchange, run as run_solo};
pub use words::Notice;
