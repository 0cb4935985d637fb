//! One run of a tool: what it used, and what it said.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rustix::time::{ClockId, clock_gettime};

use super::cores::{Cores, Role};

/// How often its memory is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a run used, and what it said.
#[derive(Debug)]
pub(super) struct Used {
    /// User and system time, in microseconds.
    pub(super) cpu_us: f64,
    /// The most memory it had resident, in bytes, to within what it gained in its last 20 ms.
    pub(super) peak_bytes: Option<u64>,
    /// When it was started, in nanoseconds of the monotonic clock.
    pub(super) started_ns: u64,
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Runs a generator to its end, which is to be within `most`.
///
/// # Errors
/// It does not start, or does not end in time and is killed.
pub(super) fn run(cores: &Cores, command: &mut Command, most: Duration) -> Result<Used> {
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    // Children that have been waited for: nobody else is meanwhile.
    let before = cpu_of_children_us()?;
    let started_ns = monotonic_ns();
    let (mut child, from) = (cores.spawn(Role::Generator, command)?, Instant::now());
    let path = format!("/proc/{}/status", child.id());
    let mut peak_bytes = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if from.elapsed() > most {
            child.kill()?;
            child.wait()?;
            bail!("{} did not end within {} s", command.get_program().display(), most.as_secs());
        }
        // Empty once it has ended.
        let look = std::fs::read_to_string(&path).ok();
        peak_bytes = look.as_deref().and_then(peak).or(peak_bytes);
        std::thread::sleep(LOOK_EVERY);
    };
    let cpu_us = cpu_of_children_us()? - before;
    Ok(Used { cpu_us, peak_bytes, started_ns, status, stdout: text(&mut stdout)?, stderr: text(&mut stderr)? })
}

fn cpu_of_children_us() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64)
}

/// Nanoseconds of the clock that all processes of the machine share.
fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `VmHWM` of a process's status, in bytes.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_that_of_the_status() {
        assert_eq!(peak("Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t    1000 kB\n"), Some(1234 * 1024));
        assert_eq!(peak("Name:\tx\nState:\tZ (zombie)\n"), None);
    }

    #[test]
    fn what_a_child_used_and_said_is_its_own() {
        let cores = Cores::find().unwrap();
        let run = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            run(&cores, &mut command, Duration::from_mins(1)).unwrap()
        };
        let busy = run("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; echo no >&2; exit 3");
        let idle = run("exit 0");
        assert_eq!((busy.stdout.as_str(), busy.stderr.as_str(), busy.status.code()), ("done\n", "no\n", Some(3)));
        assert!(busy.cpu_us > 2.0 * idle.cpu_us && idle.cpu_us > 0.0, "{} {}", busy.cpu_us, idle.cpu_us);
    }

    #[test]
    fn what_does_not_end_is_killed() {
        let mut command = Command::new("sleep");
        command.arg("600");
        let error = run(&Cores::find().unwrap(), &mut command, Duration::from_millis(50)).unwrap_err();
        assert!(error.to_string().contains("did not end"), "{error}");
    }
}
