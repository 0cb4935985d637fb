//! Runs the program in a folder of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use stub_model::small::{Handle, Settings, start};

/// A folder with a scenario, in which the program runs.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// What a run of the program came to.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A place with `load.toml`.
    pub(crate) fn with(scenario: &str) -> Self {
        let place = Self::new();
        place.write("load.toml", scenario.as_bytes());
        place
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path().join(name), bytes).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_engine"));
        command.current_dir(self.path()).args(arguments).env_remove("NO_COLOR").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments).output().unwrap().into()
    }

    /// `engine run` without a scenario, and without progress.
    pub(crate) fn load(&self, url: &str, rate: &str, duration: &str, more: &[&str]) -> Command {
        let mut command = self.command(&["run", "--url", url, "--rate", rate, "--duration", duration, "--quiet"]);
        command.args(more);
        command
    }

    /// The folder of the only run.
    pub(crate) fn result_folder(&self) -> PathBuf {
        let mut runs = fs::read_dir(self.path().join("results")).unwrap();
        let only = runs.next().unwrap().unwrap().path();
        assert!(runs.next().is_none(), "more than one run");
        only
    }

    /// The data set of the only run.
    pub(crate) fn result(&self) -> Value {
        serde_json::from_slice(&fs::read(self.result_folder().join("result.json")).unwrap()).unwrap()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A program of a few lines of shell.
pub(crate) fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A stub of this process.
pub(crate) fn stub() -> Handle {
    start(&Settings::default()).unwrap()
}

/// Figures of a workload over the whole run.
pub(crate) fn states<'a>(result: &'a Value, workload: &str) -> &'a Value {
    let workloads = result["whole"]["workloads"].as_array().unwrap();
    &workloads.iter().find(|entry| entry["workload"] == workload).unwrap()["states"]
}

/// Every planned arrival of every workload ended in exactly one state.
pub(crate) fn assert_identity(result: &Value) {
    for workload in result["whole"]["workloads"].as_array().unwrap() {
        let states = &workload["states"];
        let of = |name: &str| states[name].as_u64().unwrap();
        assert_eq!(of("planned"), of("not_offered") + of("no_slot") + of("generator_late") + of("started"), "{states}");
        let ended = ["ok", "cancelled", "failed", "abandoned", "lost"].map(of).iter().sum::<u64>();
        assert_eq!(of("started"), ended, "{states}");
    }
    let check = &result["judgement"]["checks"][0];
    assert_eq!(
        (check["name"].as_str(), check["verdict"].as_str()),
        (Some("accounting identity"), Some("ok")),
        "{check}"
    );
}

/// Reasons of a workload's failures.
pub(crate) fn reasons(result: &Value, workload: &str) -> Vec<String> {
    let workloads = result["whole"]["workloads"].as_array().unwrap();
    let entry = workloads.iter().find(|entry| entry["workload"] == workload).unwrap();
    entry["failures"].as_array().unwrap().iter().map(|reason| reason["reason"].as_str().unwrap().to_owned()).collect()
}
