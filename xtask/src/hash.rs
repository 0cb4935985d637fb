//! Digests of files and folders.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Context;
use sha2::{Digest, Sha256};

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// SHA-256 over the sorted list of files: of each its path below `root`, its length and its bytes. The same on every
/// machine that has the same files.
pub(crate) fn sha256_of_files(files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut hash = Sha256::new();
    for (path, bytes) in files {
        hash.update(format!("{path}\n{}\n", bytes.len()));
        hash.update(bytes);
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads every file at or below `path` for which `wanted` holds, by its path below `root` with `/` between parts.
pub(crate) fn read_files(
    root: &Path,
    path: &Path,
    wanted: &dyn Fn(&str) -> bool,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> anyhow::Result<()> {
    let parts: Vec<_> = path.strip_prefix(root).unwrap_or(path).iter().map(|part| part.to_string_lossy()).collect();
    let name = parts.join("/");
    if !wanted(&name) {
        return Ok(());
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).with_context(|| format!("reading {name}"))? {
            read_files(root, &entry?.path(), wanted, files)?;
        }
    } else {
        files.insert(name.clone(), fs::read(path).with_context(|| format!("reading {name}"))?);
    }
    Ok(())
}
