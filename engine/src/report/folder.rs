//! Results on disk: one folder a run, never overwritten.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use super::{ReportError, RunResult, Spread, VERSION, markdown, spread_markdown};

/// Name of the data set in a result's folder.
pub const RESULT_FILE: &str = "result.json";

/// Name of the report in a result's folder.
pub const REPORT_FILE: &str = "report.md";

/// Name of the data set of repeated runs, in the folder that holds theirs.
pub const SPREAD_FILE: &str = "spread.json";

/// Name of its text.
pub const SPREAD_REPORT_FILE: &str = "spread.md";

/// The most runs of one name within a second.
const MOST_OF_A_NAME: u32 = 10_000;

/// A folder that is there, empty, writable and this run's own.
#[derive(Debug)]
pub struct Prepared {
    folder: PathBuf,
}

impl Prepared {
    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the folder away again, for a run that never began. What is in it stays.
    pub fn discard(self) {
        // Only an empty folder goes; a failure leaves an empty folder behind and harms nothing.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Reserves the folder of a run within `base`, before the run: `<date>T<time>-<name>`, in UTC and without colons, with
/// `-2`, `-3` … where that is taken. Writes and removes a file to be sure that results can be written.
///
/// # Errors
/// Where the folder cannot be made or nothing can be written into it.
pub fn prepare(base: &Path, name: &str, at: SystemTime) -> Result<Prepared, ReportError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| ReportError::Write { path, source }
    };
    fs::create_dir_all(base).map_err(failed(base))?;
    let stem = format!("{}-{}", stamp(at), slug(name));
    for number in 1..=MOST_OF_A_NAME {
        let folder = base.join(if number == 1 { stem.clone() } else { format!("{stem}-{number}") });
        match fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(failed(&folder)(error)),
        }
        let prepared = Prepared { folder };
        let probe = prepared.folder.join(".writable");
        return match fs::write(&probe, b"probe").and_then(|()| fs::remove_file(&probe)) {
            Ok(()) => Ok(prepared),
            Err(error) => {
                let refused = failed(&prepared.folder)(error);
                prepared.discard();
                Err(refused)
            }
        };
    }
    let taken = io::Error::new(io::ErrorKind::AlreadyExists, "every folder of this name and second is taken");
    Err(failed(base)(taken))
}

/// Writes `result.json` and `report.md`. Each is there whole or not at all. Mask the result before.
///
/// # Errors
/// Where a file cannot be written, or the report cannot be rendered: then `result.json` is there nevertheless.
pub fn write(prepared: &Prepared, result: &RunResult) -> Result<(), ReportError> {
    let mut json = serde_json::to_vec_pretty(result).map_err(|error| ReportError::Render(error.to_string()))?;
    json.push(b'\n');
    write_whole(&prepared.folder.join(RESULT_FILE), &json)?;
    write_whole(&prepared.folder.join(REPORT_FILE), markdown(result)?.as_bytes())
}

/// Writes `spread.json` and `spread.md`, each whole or not at all.
///
/// # Errors
/// Where a file cannot be written.
pub fn write_spread(prepared: &Prepared, spread: &Spread) -> Result<(), ReportError> {
    let mut json = serde_json::to_vec_pretty(spread).map_err(|error| ReportError::Render(error.to_string()))?;
    json.push(b'\n');
    write_whole(&prepared.folder.join(SPREAD_FILE), &json)?;
    write_whole(&prepared.folder.join(SPREAD_REPORT_FILE), spread_markdown(spread).as_bytes())
}

/// Writes beside the file and renames, so that a reader never sees half of it.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    let part = path.with_extension("part");
    let written = fs::File::create(&part)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, path));
    written.map_err(|source| ReportError::Write { path: path.to_owned(), source })
}

/// Reads a result from its folder or its `result.json`.
///
/// # Errors
/// Where there is none, or it is something else, or of another format version.
pub fn load(path: &Path) -> Result<RunResult, ReportError> {
    if path.join(SPREAD_FILE).exists() {
        let what = "it holds several runs (`--repeat`): give the folder of one of them".to_owned();
        return Err(ReportError::NotAResult { path: path.to_owned(), what });
    }
    let path = if path.is_dir() { path.join(RESULT_FILE) } else { path.to_owned() };
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(source) => return Err(ReportError::Read { path, source }),
    };
    let value: Value = match serde_json::from_slice(&text) {
        Ok(value) => value,
        Err(source) => return Err(ReportError::NotJson { path, source }),
    };
    if value.get("format").and_then(Value::as_str) != Some("engine-result") {
        return Err(ReportError::NotAResult { path, what: "`format` is not `engine-result`".to_owned() });
    }
    match value.get("version").and_then(Value::as_u64) {
        Some(found) if found == u64::from(VERSION) => {}
        Some(found) => {
            let advice = if found > u64::from(VERSION) {
                "Read it with the engine that wrote it, or a newer one"
            } else {
                "Read it with the engine that wrote it"
            };
            return Err(ReportError::OtherVersion { path, found, known: VERSION, advice });
        }
        None => return Err(ReportError::NotAResult { path, what: "`version` is not a number".to_owned() }),
    }
    serde_json::from_value(value).map_err(|error| ReportError::NotAResult { path, what: error.to_string() })
}

/// `2026-11-30T034256Z`.
fn stamp(at: SystemTime) -> String {
    jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH).strftime("%Y-%m-%dT%H%M%SZ").to_string()
}

/// A name that every file system takes: letters, digits, `.`, `_` and `-`, at most 60 of them.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() || "._".contains(character) {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(60);
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() { "run".to_owned() } else { slug.to_owned() }
}
