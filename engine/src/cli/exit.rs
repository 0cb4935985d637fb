//! Every exit status of the program. `docs/exit-statuses.md` lists the same; a test compares the two.

use std::process::ExitCode;

use crate::report::Mask;
use crate::verdict::RunVerdict;

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The run passed, or the command did what it was asked for.
    Passed = 0,
    /// A fault of the engine itself.
    Internal = 1,
    /// The command line or the scenario is wrong.
    Usage = 2,
    /// The target could not be reached, or a setup flow refused the run.
    SetupRefused = 3,
    /// A plugin cannot be used, or refused its configuration.
    PluginRefused = 4,
    /// A plugin kept trapping, and the run was stopped.
    PluginFaults = 5,
    /// The results cannot be written.
    ResultsNotWritten = 6,
    /// A threshold failed.
    Failed = 10,
    /// A threshold had too few samples to judge, and none failed.
    NotMeasured = 11,
    /// The generator and not the target decided the numbers.
    Invalid = 12,
    /// Stopped by Ctrl-C; what was recorded is written.
    Interrupted = 130,
    /// Stopped by SIGTERM; what was recorded is written.
    Terminated = 143,
}

impl Exit {
    /// All of them, in order.
    pub const ALL: [Self; 12] = [
        Self::Passed,
        Self::Internal,
        Self::Usage,
        Self::SetupRefused,
        Self::PluginRefused,
        Self::PluginFaults,
        Self::ResultsNotWritten,
        Self::Failed,
        Self::NotMeasured,
        Self::Invalid,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// How a run ends that came to this verdict, where this signal had stopped it.
    pub fn of(verdict: RunVerdict, signal: Option<Self>) -> Self {
        match (verdict, signal) {
            (_, Some(signal)) => signal,
            (RunVerdict::Passed, None) => Self::Passed,
            (RunVerdict::Failed, None) => Self::Failed,
            (RunVerdict::NotMeasured, None) => Self::NotMeasured,
            (RunVerdict::Invalid, None) => Self::Invalid,
            (RunVerdict::StoppedByPluginFaults, None) => Self::PluginFaults,
            // Without a signal there is no interruption; should one be judged all the same, say so.
            (RunVerdict::Interrupted, None) => Self::Interrupted,
        }
    }

    /// The status the operating system is given.
    pub fn status(self) -> u8 {
        self as u8
    }

    /// What it means, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Internal => "internal fault",
            Self::Usage => "bad usage or scenario",
            Self::SetupRefused => "setup refused",
            Self::PluginRefused => "plugin refused",
            Self::PluginFaults => "stopped by plugin faults",
            Self::ResultsNotWritten => "results cannot be written",
            Self::Failed => "threshold failed",
            Self::NotMeasured => "not measured",
            Self::Invalid => "invalid",
            Self::Interrupted => "interrupted by Ctrl-C",
            Self::Terminated => "interrupted by SIGTERM",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

/// Why a command did not do what it was asked for: one text for the user, and the exit status.
#[derive(Debug)]
pub struct Failure {
    /// The exit status.
    pub exit: Exit,
    /// What, where, and what to do.
    pub text: String,
}

impl Failure {
    /// A failure with its status and text.
    pub fn new(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: text.into() }
    }

    /// The same without secrets.
    #[must_use]
    pub fn masked(self, mask: &Mask) -> Self {
        Self { text: mask.apply(&self.text).into_owned(), ..self }
    }
}

impl From<anyhow::Error> for Failure {
    /// What nobody foresaw is the engine's own fault.
    fn from(error: anyhow::Error) -> Self {
        Self::new(Exit::Internal, format!("internal fault: {error:#}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_has_its_status_and_a_signal_goes_before_all() {
        let statuses = [
            (RunVerdict::Passed, 0),
            (RunVerdict::StoppedByPluginFaults, 5),
            (RunVerdict::Failed, 10),
            (RunVerdict::NotMeasured, 11),
            (RunVerdict::Invalid, 12),
            (RunVerdict::Interrupted, 130),
        ];
        for (verdict, status) in statuses {
            assert_eq!(Exit::of(verdict, None).status(), status);
            assert_eq!(Exit::of(verdict, Some(Exit::Terminated)).status(), 143);
        }
    }
}
