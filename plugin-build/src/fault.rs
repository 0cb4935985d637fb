//! Why a plugin was not built.

/// What is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n  help: {help}")]
pub struct Fault {
    /// Where to look.
    pub blame: Blame,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

/// Where the fault lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// In what was asked for, or in what is installed: nothing was compiled.
    Call,
    /// In the plugin's source.
    Plugin,
}

impl Fault {
    /// A fault in what was asked for, or in what is installed.
    pub(crate) fn call(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { blame: Blame::Call, what: what.into(), help: help.into() }
    }

    /// A fault in the plugin's source.
    pub(crate) fn plugin(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { blame: Blame::Plugin, what: what.into(), help: help.into() }
    }
}
