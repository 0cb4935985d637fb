//! What the plugins of one platform have in common: who asks ([`Access`]), what `login` has found ([`Session`]), and
//! texts to send ([`texts`]).
//!
//! Every workload takes what it needs from its configuration or else from the session; what neither has is refused with
//! one wording ([`Given`]).

mod access;
mod given;
mod session;
pub mod texts;

pub use access::Access;
pub use given::Given;
pub use session::{Session, Trigger};

#[cfg(test)]
mod tests;
