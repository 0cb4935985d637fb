//! Which revision of its repository a folder is.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::Running;

/// The commit that a folder is exactly, by git; none where it is no part of a repository, where something in the repository
/// differs from its last commit, or without git. `manifest` is a file of the folder.
pub(crate) fn revision(folder: &Path, manifest: &str, running: &Running) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
        let output = running.output(&mut git).ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    // A folder that the repository around it ignores is no part of it.
    git(&["ls-files", "--error-unmatch", manifest])?;
    git(&["status", "--porcelain"]).filter(String::is_empty)?;
    git(&["rev-parse", "--verify", "HEAD"]).filter(|commit| !commit.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revision(folder: &Path, manifest: &str) -> Option<String> {
        super::revision(folder, manifest, &Running::default())
    }

    #[test]
    fn only_a_clean_folder_has_a_revision() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path();
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
            assert!(git.stdout(Stdio::null()).status().expect("git").success(), "git {arguments:?}");
        };
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
        write("Cargo.toml", "one");
        assert_eq!(revision(folder, "Cargo.toml"), None, "no repository");
        git(&["init", "--quiet"]);
        assert_eq!(revision(folder, "Cargo.toml"), None, "nothing committed");
        git(&["add", "Cargo.toml"]);
        git(&["commit", "--quiet", "-m", "one"]);
        let commit = revision(folder, "Cargo.toml").expect("a clean folder");
        assert_eq!(commit.len(), 40, "{commit}");
        write("more.rs", "");
        assert_eq!(revision(folder, "Cargo.toml"), None, "a file that is not committed");
        write(".gitignore", "ignored\n.gitignore\nmore.rs\n");
        std::fs::create_dir(folder.join("ignored")).expect("made");
        write("ignored/Cargo.toml", "two");
        assert_eq!(revision(folder, "Cargo.toml"), Some(commit));
        assert_eq!(revision(&folder.join("ignored"), "Cargo.toml"), None, "ignored by its repository");
        write("Cargo.toml", "two");
        assert_eq!(revision(folder, "Cargo.toml"), None, "changed");
    }
}
