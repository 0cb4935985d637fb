//! A core for the target and one for the generator, where the machine has two.

use std::process::{Child, Command};

use anyhow::{Context, Result};
use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The priority that is asked for; only a privileged user gets it.
const PRIORITY: i32 = -10;

/// Who is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Target,
    Generator,
}

/// The cores this process may use, and who gets which.
#[derive(Debug)]
pub(super) struct Cores {
    all: CpuSet,
    /// The target's and the generator's; none where there is but one core.
    apart: Option<(usize, usize)>,
}

impl Cores {
    pub(super) fn find() -> Result<Self> {
        let all = sched_getaffinity(None).context("which cores this process may use")?;
        Ok(Self { apart: first_two(|core| all.is_set(core)), all })
    }

    /// How they are shared, for the head of the tables.
    pub(super) fn said(&self) -> String {
        match self.apart {
            Some((target, generator)) => format!("target on core {target}, generator on core {generator}"),
            None => "target and generator on the same core".to_owned(),
        }
    }

    /// Starts a process on its core, with a raised priority where that is permitted. Both are inherited by whatever it
    /// starts itself.
    pub(super) fn spawn(&self, role: Role, command: &mut Command) -> Result<Child> {
        // A child begins with what its parent has at that moment: nothing of it runs elsewhere before.
        if let Some((target, generator)) = self.apart {
            let mut one = CpuSet::new();
            one.set(if role == Role::Target { target } else { generator });
            sched_setaffinity(None, &one)?;
        }
        let before = getpriority_process(None)?;
        let raised = setpriority_process(None, PRIORITY.min(before)).is_ok();
        let child = command.spawn();
        if raised {
            setpriority_process(None, before)?;
        }
        sched_setaffinity(None, &self.all)?;
        child.with_context(|| format!("{} does not start", command.get_program().display()))
    }
}

/// The first two cores there are.
fn first_two(has: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
    let mut cores = (0..CpuSet::MAX_CPU).filter(|core| has(*core));
    cores.next().zip(cores.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cores_are_kept_apart_and_one_is_shared() {
        assert_eq!(first_two(|core| [2, 5, 7].contains(&core)), Some((2, 5)));
        assert_eq!(first_two(|core| core == 3), None);
    }

    #[test]
    fn a_child_has_a_core_to_itself_and_its_parent_all_it_had() {
        let cores = Cores::find().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "grep Cpus_allowed_list /proc/self/status"]).stdout(std::process::Stdio::piped());
        let output = cores.spawn(Role::Generator, &mut command).unwrap().wait_with_output().unwrap();
        if let Some((_, generator)) = cores.apart {
            let said = String::from_utf8_lossy(&output.stdout);
            assert_eq!(said.split_whitespace().last(), Some(generator.to_string().as_str()));
        }
        assert!(sched_getaffinity(None).unwrap() == cores.all);
    }
}
