//! What the machine is, and what it lets one process have.

use std::fs;
use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::report::Machine;

/// Descriptors kept for all but connections: files, timers, event queues, the stub's pipe.
const DESCRIPTORS_BESIDE: u64 = 64;

/// What is known of this machine.
pub(super) fn describe() -> Machine {
    let cpu = fs::read_to_string("/proc/cpuinfo").ok();
    let cpu = cpu.as_deref().and_then(|text| field(text, "model name")).unwrap_or("unknown");
    let memory = fs::read_to_string("/proc/meminfo").ok();
    let memory = memory.as_deref().and_then(|text| field(text, "MemTotal"));
    let kibibytes = memory.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    let name = rustix::system::uname();
    Machine {
        cpu: cpu.to_owned(),
        cores: cores(),
        memory_bytes: kibibytes.map(|kibibytes| kibibytes << 10),
        kernel: format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy()),
    }
}

/// Cores this process may use.
pub(super) fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX))
}

/// The value of a `name : value` line.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.split_once(':').filter(|(key, _)| key.trim() == name))
        .map(|(_, value)| value.trim())
}

/// Raises the limit on open files as far as it goes, and holds it against what a run may need.
///
/// # Errors
/// A text that says what is needed, what there is, and what to do.
pub(super) fn raise_descriptors(connections: u64, by_default: bool) -> Result<u64, String> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(u64::MAX);
    if current.is_some_and(|current| current < wanted) {
        // Refused only where the hard limit is not what it says; then the limit stays what it was.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let needed = connections.saturating_add(DESCRIPTORS_BESIDE);
    if limit < needed {
        let why = if by_default { ", as many as may be in flight: the peak rate × the longest time-out" } else { "" };
        let at_most = limit.saturating_sub(DESCRIPTORS_BESIDE);
        if at_most == 0 {
            return Err(format!(
                "this process may have {limit} open files, and the engine alone needs {DESCRIPTORS_BESIDE}\n  help: raise the hard limit (ulimit -Hn)"
            ));
        }
        return Err(format!(
            "the run may need {needed} open files ({connections} connections{why}, and {DESCRIPTORS_BESIDE} others), and this process may have {limit}\n  help: shorten limits.timeout, raise the hard limit (ulimit -Hn), or set limits.connections or limits.in_flight to at most {at_most}"
        ));
    }
    Ok(limit)
}

/// Descriptors this process has open now.
pub(super) fn open_descriptors() -> Option<u64> {
    let entries = fs::read_dir("/proc/self/fd").ok()?;
    u64::try_from(entries.count()).ok()
}

/// How many ephemeral ports there are towards one address.
pub(super) fn ephemeral_ports() -> Option<u64> {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut ends = text.split_whitespace().map(|end| end.parse::<u64>().ok());
    let (low, high) = (ends.next()??, ends.next()??);
    Some(high.saturating_sub(low) + 1)
}

/// Nanoseconds for which this process's control group was held back for want of CPU quota, version 1 or 2.
pub(super) fn throttled_ns() -> Option<u64> {
    throttled_in(Path::new("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"))
}

/// As [`throttled_ns`], reading the group's name and its figures from the given places.
fn throttled_in(group: &Path, root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(group).ok()?;
    groups.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?.trim_start_matches('/'));
        let (root, key, unit) = if controllers.is_empty() {
            (root.to_owned(), "throttled_usec", 1_000)
        } else if controllers.split(',').any(|controller| controller == "cpu") {
            (root.join(controllers), "throttled_time", 1)
        } else {
            return None;
        };
        // Each group holds back all groups within it and counts that itself: the sum of a group and those around it. Inside
        // a container the group's own name is often not visible; what is visible is the container's own.
        let around = Path::new(path).ancestors().map(|path| root.join(path));
        let times = around.filter_map(|folder| figure(&folder.join("cpu.stat"), key));
        times.reduce(u64::saturating_add).map(|time| time.saturating_mul(unit))
    })
}

/// The figure of that name in a file of `name figure` lines.
fn figure(file: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let (_, value) = text.lines().find_map(|line| line.split_once(' ').filter(|(found, _)| *found == name))?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_files(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn throttling_is_read_from_both_versions_of_control_groups() {
        let v2 = with_files(&[("cgroup", "0::/a/b\n"), ("fs/a/b/cpu.stat", "usage_usec 9\nthrottled_usec 1234\n")]);
        assert_eq!(throttled_in(&v2.path().join("cgroup"), &v2.path().join("fs")), Some(1_234_000));
        let v1 = with_files(&[
            ("cgroup", "5:memory:/x\n4:cpu,cpuacct:/x\n"),
            ("fs/cpu,cpuacct/x/cpu.stat", "nr_periods 1\nthrottled_time 5678\n"),
        ]);
        assert_eq!(throttled_in(&v1.path().join("cgroup"), &v1.path().join("fs")), Some(5_678));
        // The group itself was not held back, the one around it was.
        let nested = with_files(&[
            ("cgroup", "0::/a/b\n"),
            ("fs/a/b/cpu.stat", "throttled_usec 1\n"),
            ("fs/a/cpu.stat", "throttled_usec 20\n"),
            ("fs/cpu.stat", "usage_usec 300\n"),
        ]);
        assert_eq!(throttled_in(&nested.path().join("cgroup"), &nested.path().join("fs")), Some(21_000));
        let hidden = with_files(&[("cgroup", "0::/not/visible\n"), ("fs/cpu.stat", "throttled_usec 7\n")]);
        assert_eq!(throttled_in(&hidden.path().join("cgroup"), &hidden.path().join("fs")), Some(7_000));
        assert_eq!(throttled_in(Path::new("/nonexistent"), Path::new("/nonexistent")), None);
    }
}
