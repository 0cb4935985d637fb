//! What a plugin's author runs before any load: rehearsals of a plugin without network and without clock.
//!
//! A [`Rehearsal`] owns one instance and delivers to it what could really come. On it stand the checks of
//! `engine plugin check` ([`conform`]) and the cases of `engine plugin test` ([`cases`]).

pub mod cases;
pub mod conform;
mod mishap;
mod open;
mod piece;
mod play;
mod rehearsal;
mod take;
mod telling;
#[cfg(test)]
mod tests;

pub use mishap::{Body, Mishap};
pub use open::{Open, Timer};
pub use piece::Piece;
pub use play::{Flavour, MOST_EVENTS, Outcome, Target, Way};
pub use rehearsal::{Begin, Figures, Rehearsal, TakeId};
pub use take::{Ending, Take};
