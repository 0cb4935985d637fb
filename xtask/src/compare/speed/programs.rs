//! The programs that are compared, and where they are.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::compare::tools::in_path;

/// Peers that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Wrk,
    Oha,
    K6,
}

impl Peer {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Wrk => "wrk",
            Self::Oha => "oha",
            Self::K6 => "k6",
        }
    }
}

/// Where they are.
#[derive(Debug)]
pub(super) struct Programs {
    root: PathBuf,
    built: PathBuf,
    peers: Vec<(Peer, PathBuf)>,
}

impl Programs {
    /// The engine and the floors of this build profile, and whichever peers are in the path.
    pub(super) fn find(root: &Path, profile: &str) -> Result<Self> {
        let built = root.join("target").join(profile);
        for program in ["engine", "floor"] {
            let file = built.join(program);
            ensure!(
                file.exists(),
                "{} is not there: cargo build --profile {profile} -p engine -p floors",
                file.display()
            );
        }
        let mut peers = Vec::new();
        for peer in [Peer::Wrk, Peer::Oha, Peer::K6] {
            match in_path(peer.name()) {
                Some(file) => peers.push((peer, file)),
                None => eprintln!("{} is not installed: left out", peer.name()),
            }
        }
        Ok(Self { root: root.to_owned(), built, peers })
    }

    /// A floor, to be given its arguments.
    pub(super) fn floor(&self) -> Command {
        Command::new(self.built.join("floor"))
    }

    /// The engine, likewise. It finds its plugins from the project's folder.
    pub(super) fn engine(&self) -> Command {
        let mut engine = Command::new(self.built.join("engine"));
        engine.current_dir(&self.root);
        engine
    }

    /// Where a peer is; none where it is not installed.
    pub(super) fn peer(&self, wanted: Peer) -> Option<&Path> {
        self.peers.iter().find(|(peer, _)| *peer == wanted).map(|(_, file)| file.as_path())
    }

    /// What the peers say of their versions.
    pub(super) fn versions(&self) -> Vec<String> {
        self.peers.iter().map(|(peer, file)| format!("{} {}", peer.name(), version(*peer, file))).collect()
    }
}

fn version(peer: Peer, file: &Path) -> String {
    let argument = if peer == Peer::Wrk { "-v" } else { "--version" };
    let output = Command::new(file).arg(argument).output();
    let said = output.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    number(&String::from_utf8_lossy(&said)).unwrap_or("of unknown version").to_owned()
}

/// The first word that looks like a version's number.
fn number(said: &str) -> Option<&str> {
    let mut words = said.split_whitespace().map(|word| word.trim_start_matches("debian/").trim_start_matches('v'));
    words.find(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_tools_say_of_themselves() {
        assert_eq!(number("wrk debian/4.1.0-3+b2 [epoll] Copyright"), Some("4.1.0-3+b2"));
        assert_eq!(number("command not found"), None);
        assert_eq!(number("oha 1.16.0"), Some("1.16.0"));
        assert_eq!(number("k6 v1.1.0 (go1.24.3, linux/amd64)"), Some("1.1.0"));
    }
}
