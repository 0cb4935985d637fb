//! The programs that a build runs, one at a time, and their end where the build is stopped.

use std::io::{self, ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// What a build runs. Clones are of the same build.
#[derive(Clone, Debug, Default)]
pub struct Running(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    stopped: bool,
    /// The program that runs. While it stands here nobody has waited for it, so that its id is nobody else's.
    program: Option<Pid>,
}

impl Running {
    /// Stops the build: no further program is started, and the one that runs is asked to end. A second call ends it.
    pub fn stop(&self) {
        let mut state = self.state();
        let signal = if state.stopped { Signal::KILL } else { Signal::TERM };
        state.stopped = true;
        if let Some(program) = state.program {
            // It may have ended already.
            let _ = kill_process(program, signal);
        }
    }

    /// Runs a program to its end.
    ///
    /// # Errors
    /// Where it cannot be started, also because the build is stopped.
    pub(crate) fn status(&self, command: &mut Command) -> io::Result<ExitStatus> {
        let (status, ()) = self.with(command, |_| Ok(()))?;
        Ok(status)
    }

    /// Runs a program to its end, and gives what it wrote to stdout, and to stderr where that is a pipe.
    ///
    /// # Errors
    /// As [`Running::status`], and where its output cannot be read.
    pub(crate) fn output(&self, command: &mut Command) -> io::Result<Output> {
        let (status, (stdout, stderr)) = self.with(command.stdout(Stdio::piped()), |program| {
            let (out, errors) = (program.stdout.take(), program.stderr.take());
            // Both at once: it may wait for room in one before it closes the other.
            thread::scope(|scope| {
                let errors = scope.spawn(move || all(errors));
                let out = all(out)?;
                Ok((out, errors.join().unwrap_or_else(|_| Err(ErrorKind::Other.into()))?))
            })
        })?;
        Ok(Output { status, stdout, stderr })
    }

    /// Runs a program to its end; `read` takes what it says, until it says no more.
    ///
    /// # Errors
    /// As [`Running::status`], and those of `read`.
    pub(crate) fn with<T>(
        &self,
        command: &mut Command,
        read: impl FnOnce(&mut Child) -> io::Result<T>,
    ) -> io::Result<(ExitStatus, T)> {
        let mut program = self.start(command)?;
        let read = read(&mut program);
        if let Some(id) = id(&program) {
            // It is waited for twice: after the second time its id may be another's, which `stop` must not end. Where the first
            // time fails, the second one says so.
            let ended = || waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _ = rustix::io::retry_on_intr(ended);
        }
        self.state().program = None;
        Ok((program.wait()?, read?))
    }

    fn start(&self, command: &mut Command) -> io::Result<Child> {
        let mut state = self.state();
        if state.stopped {
            return Err(io::Error::new(ErrorKind::Interrupted, "the build is stopped"));
        }
        let program = command.spawn()?;
        state.program = id(&program);
        Ok(program)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn id(program: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(program.id()).ok()?)
}

fn all(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_is_asked_to_end_and_then_made_to() {
        for (script, stops, signal) in [("echo; exec sleep 60", 1, 15), ("trap '' TERM; echo; exec sleep 60", 2, 9)] {
            let running = Running::default();
            let mut command = shell(script);
            let (status, ()) = running
                .with(command.stdout(Stdio::piped()), |program| {
                    // Once it speaks it has set its trap.
                    program.stdout.take().map_or(Ok(0), |mut out| out.read(&mut [0]))?;
                    (0..stops).for_each(|_| running.stop());
                    Ok(())
                })
                .expect("a shell");
            assert_eq!(status.signal(), Some(signal), "{script}");
            let refused = running.status(&mut shell("exit 0")).expect_err("stopped");
            assert_eq!(refused.to_string(), "the build is stopped");
        }
    }

    #[test]
    fn both_outputs_are_read_however_long_they_are() {
        let many = "head -c 300000 /dev/zero";
        let mut command = shell(&format!("{many} >&2; {many}; exit 3"));
        let output = Running::default().output(command.stderr(Stdio::piped())).expect("a shell");
        assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(3), 300_000, 300_000));
    }
}
