//! Where actions go: to the engine in a component, to the recorder of [`crate::testing`] elsewhere. The rest of the
//! crate does not know which.

#[cfg(target_family = "wasm")]
pub(crate) use crate::bindings::engine::workload::actions::{
    cancel, check, clear, close, count, finish, log, mark, observe, open, register_blob, send, share, wait, write,
};

#[cfg(not(target_family = "wasm"))]
pub(crate) use crate::testing::recorder::{
    cancel, check, clear, close, count, finish, log, mark, observe, open, register_blob, send, share, wait, write,
};
