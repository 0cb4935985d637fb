//! The tools, and how each is asked for 1,000 requests a second.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::said::{self, Said};
use super::{RATE, SECONDS};

/// k6 runs scripts.
const SCRIPT: &str = "import http from 'k6/http';
export const options = {
  discardResponseBodies: true,
  summaryTrendStats: ['med', 'p(90)', 'p(99)', 'max'],
  scenarios: { open: { executor: 'constant-arrival-rate', rate: +__ENV.RATE, timeUnit: '1s', duration: __ENV.SECONDS + 's',
    preAllocatedVUs: +__ENV.VUS, maxVUs: +__ENV.VUS } },
};
export default function () { http.get(__ENV.URL); }
";

/// A way to run a tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    kind: Kind,
    program: PathBuf,
}

enum Kind {
    Engine,
    /// With so many connections.
    Wrk(u32),
    /// With so many connections, and its correction for coordinated omission.
    Oha(u32),
    /// With so many virtual users.
    K6(u32),
}

/// This engine, and whichever others are in the path.
pub(super) fn installed(root: &Path) -> Result<Vec<Tool>> {
    let engine = root.join("target/release/engine");
    ensure!(engine.exists(), "{} is not there: cargo build --release -p engine", engine.display());
    let mut tools = vec![Tool { name: "engine", kind: Kind::Engine, program: engine }];
    let others = [
        ("wrk, 100 connections, closed", "wrk", Kind::Wrk(100)),
        ("oha, 100 connections", "oha", Kind::Oha(100)),
        ("oha, 2,500 connections", "oha", Kind::Oha(2_500)),
        ("k6, 100 users", "k6", Kind::K6(100)),
        ("k6, 2,500 users", "k6", Kind::K6(2_500)),
    ];
    for (name, program, kind) in others {
        match in_path(program) {
            Some(program) => tools.push(Tool { name, kind, program }),
            None => eprintln!("{program} is not installed: left out"),
        }
    }
    Ok(tools)
}

/// A program of this name, where the path has one.
pub(super) fn in_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

impl Tool {
    /// Whether it can be asked for a rate; the others send as fast as they are answered.
    pub(super) fn has_rate(&self) -> bool {
        !matches!(self.kind, Kind::Wrk(_))
    }

    /// Loads the target for ten seconds. What the tool says of it.
    pub(super) fn run(&self, target: &str) -> Result<Vec<Said>> {
        let folder = tempfile::tempdir()?;
        let url = format!("{target}/small");
        let (rate, length) = (RATE.to_string(), format!("{SECONDS}s"));
        let mut command = Command::new(&self.program);
        match self.kind {
            Kind::Engine => command
                .args(["run", "--url", &url, "--rate", &rate, "--duration", &length, "--workers", "1", "--quiet"])
                .args(["--set", "limits.timeout=10s", "--format", "json", "--results"])
                .arg(folder.path()),
            Kind::Wrk(connections) => {
                command.args(["-t1", &format!("-c{connections}"), &format!("-d{length}"), "--latency", &url])
            }
            Kind::Oha(connections) => command
                .args(["-z", &length, "-c", &connections.to_string(), "-q", &rate, "--latency-correction", "--no-tui"])
                .args(["--output-format", "json", &url]),
            Kind::K6(users) => {
                std::fs::write(folder.path().join("script.js"), SCRIPT)?;
                command
                    .args(["run", "--quiet", "--no-usage-report", "--summary-export"])
                    .arg(folder.path().join("summary.json"))
                    .arg(folder.path().join("script.js"))
                    .envs([("URL", url), ("RATE", rate), ("SECONDS", SECONDS.to_string()), ("VUS", users.to_string())])
            }
        };
        let output = command.stdin(Stdio::null()).output().with_context(|| self.name)?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let told = match self.kind {
            Kind::Engine => said::engine(&printed),
            Kind::Wrk(_) => Ok(said::wrk(&printed)),
            Kind::Oha(_) => said::oha(&printed),
            Kind::K6(_) => said::k6(&std::fs::read_to_string(folder.path().join("summary.json"))?),
        };
        told.with_context(|| format!("{}: {}\n{printed}", self.name, String::from_utf8_lossy(&output.stderr)))
    }
}
