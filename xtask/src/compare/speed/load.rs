//! What is asked of every tool, each in its own words.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::engine;
use super::programs::{Peer, Programs};

/// What is done, and how it is paced.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Load {
    pub(super) work: Work,
    pub(super) pace: Pace,
}

/// One exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// GET of a path.
    Get(String),
    /// A streamed chat completion; the engine does it with this plugin.
    Chat(&'static str),
}

/// How many, and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// So many at once.
    Closed(u32),
    /// So many a second. Tools with a fixed number of connections get this many of them.
    Rate { rate: f64, connections: u32 },
}

/// Who does it.
#[derive(Clone, Debug)]
pub(super) enum Tool {
    /// A floor, with these arguments beside URL and duration.
    Floor(Vec<String>),
    /// This engine, with these lines under `[limits]`.
    Engine(Vec<String>),
    /// Somebody else's.
    Peer(Peer),
}

/// The body of a chat completion.
const CHAT: &str =
    r#"{"model":"floor","messages":[{"role":"user","content":"Say something."}],"stream":true,"max_tokens":50}"#;

const K6_SCRIPT: &str = "import http from 'k6/http';
const e = __ENV;
export const options = { discardResponseBodies: true, scenarios: { load: e.RATE
  ? { executor: 'constant-arrival-rate', rate: +e.RATE, timeUnit: '1s', duration: e.LENGTH, preAllocatedVUs: +e.USERS, maxVUs: +e.USERS }
  : { executor: 'constant-vus', vus: +e.USERS, duration: e.LENGTH } } };
const fields = { headers: { 'content-type': 'application/json' } };
export default function () { if (e.BODY) http.post(e.URL, e.BODY, fields); else http.get(e.URL); }
";

const WRK_SCRIPT: &str = "wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
wrk.body = os.getenv('BODY')
";

impl Tool {
    /// The command that offers a load to the target for a number of seconds; what it needs is put into `folder`.
    pub(super) fn command(
        &self,
        programs: &Programs,
        load: &Load,
        (target, seconds): (&str, u32),
        folder: &Path,
    ) -> Result<Command> {
        let length = format!("{seconds}s");
        let url = match &load.work {
            Work::Get(path) => format!("{target}{path}"),
            Work::Chat(_) => format!("{target}/v1/chat/completions"),
        };
        match self {
            Self::Floor(arguments) => {
                let mut floor = programs.floor();
                floor.args(arguments).args(["--url", &url, "--duration", &length]);
                Ok(floor)
            }
            Self::Engine(limits) => {
                let scenario = folder.join("scenario.toml");
                std::fs::write(&scenario, engine::scenario(load, limits, target, seconds))?;
                let mut command = programs.engine();
                command.args(["run", "--workers", "1", "--quiet", "--format", "json", "--results"]).arg(folder);
                command.arg("--scenario").arg(scenario);
                Ok(command)
            }
            Self::Peer(peer) => {
                let program = programs.peer(*peer).with_context(|| format!("{} is not installed", peer.name()))?;
                peer_command(*peer, Command::new(program), load, (&url, &length), folder)
            }
        }
    }
}

fn peer_command(
    peer: Peer,
    mut command: Command,
    load: &Load,
    (url, length): (&str, &str),
    folder: &Path,
) -> Result<Command> {
    let (at_once, rate) = match load.pace {
        Pace::Closed(at_once) => (at_once.to_string(), None),
        Pace::Rate { rate, connections } => (connections.to_string(), Some(rate.to_string())),
    };
    let chat = matches!(load.work, Work::Chat(_));
    match peer {
        Peer::Wrk => {
            command.args(["-t1", "-c", &at_once, "-d", length, "--timeout", "30s"]);
            if chat {
                let script = folder.join("chat.lua");
                std::fs::write(&script, WRK_SCRIPT)?;
                command.arg("-s").arg(script).env("BODY", CHAT);
            }
            command.arg(url);
        }
        Peer::Oha => {
            command.args(["-z", length, "-c", &at_once, "--no-tui", "--output-format", "json"]);
            if let Some(rate) = rate {
                command.args(["-q", &rate, "--latency-correction"]);
            }
            if chat {
                command.args(["-m", "POST", "-T", "application/json", "-w", "-d", CHAT]);
            }
            command.arg(url);
        }
        Peer::K6 => {
            let script = folder.join("script.js");
            std::fs::write(&script, K6_SCRIPT)?;
            command.args(["run", "--quiet", "--no-usage-report"]).arg(script);
            command.envs([("URL", url), ("LENGTH", length), ("USERS", &at_once)]);
            command.envs(rate.map(|rate| ("RATE", rate))).envs(chat.then_some(("BODY", CHAT)));
        }
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(peer: Peer, load: &Load) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let command = peer_command(peer, Command::new("x"), load, ("http://t/small", "8s"), folder.path()).unwrap();
        let text = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        let variables = command.get_envs().filter_map(|(name, _)| name.to_str().map(str::to_owned)).collect();
        (command.get_args().map(text).collect(), variables)
    }

    #[test]
    fn a_rate_and_a_closed_loop_are_told_to_each_peer_in_its_own_words() {
        let get = Work::Get("/small".to_owned());
        let closed = Load { work: get.clone(), pace: Pace::Closed(64) };
        let open = Load { work: get, pace: Pace::Rate { rate: 10_000.0, connections: 100 } };
        assert_eq!(arguments(Peer::Wrk, &closed).0.join(" "), "-t1 -c 64 -d 8s --timeout 30s http://t/small");
        let said = arguments(Peer::Oha, &open).0.join(" ");
        assert!(said.starts_with("-z 8s -c 100 ") && said.contains(" -q 10000 --latency-correction "), "{said}");
        assert_eq!(arguments(Peer::K6, &open).1, ["LENGTH", "RATE", "URL", "USERS"]);
        assert_eq!(arguments(Peer::K6, &closed).1, ["LENGTH", "URL", "USERS"]);
    }

    #[test]
    fn streams_are_posted() {
        let chat = Load { work: Work::Chat("openai_chat"), pace: Pace::Closed(200) };
        assert!(arguments(Peer::Oha, &chat).0.contains(&CHAT.to_owned()));
        assert!(arguments(Peer::Wrk, &chat).0.contains(&"-s".to_owned()));
        assert_eq!(arguments(Peer::K6, &chat).1, ["BODY", "LENGTH", "URL", "USERS"]);
    }
}
