//! What this process used, and how it says so.

use anyhow::Result;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

/// A client's figures with what the process used for them.
#[derive(Debug, Serialize)]
struct Said<'a, T> {
    #[serde(flatten)]
    figures: &'a T,
    /// User and system time since the process began, in microseconds.
    cpu_us: u64,
    /// The most memory it ever had resident, in bytes; null where the system does not tell.
    peak_bytes: Option<u64>,
}

/// Prints figures as a line of JSON.
///
/// # Errors
/// They cannot be JSON.
pub(crate) fn say(figures: &impl Serialize) -> Result<()> {
    let said = Said { figures, cpu_us: cpu_us(), peak_bytes: peak_bytes() };
    println!("{}", serde_json::to_string(&said)?);
    Ok(())
}

fn cpu_us() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(time.tv_sec) * 1_000_000 + part(time.tv_nsec) / 1_000
}

fn peak_bytes() -> Option<u64> {
    peak(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// `VmHWM` of a process's status, in bytes.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1_024)
}

/// Raises the soft limit of open descriptors to the hard one: each connection needs one. Where that fails, connecting
/// does so past the limit, and says so.
pub(crate) fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_that_of_the_status() {
        let status = "Name:\tfloor\nVmPeak:\t    5000 kB\nVmHWM:\t    1234 kB\nVmRSS:\t    1000 kB\n";
        assert_eq!(peak(status), Some(1234 * 1024));
        assert_eq!(peak("Name:\tfloor\n"), None);
    }
}
