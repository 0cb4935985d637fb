//! Results on disk.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::super::{REPORT_FILE, RESULT_FILE, load, markdown, prepare, write};
use super::support::result;

/// 2026-11-30 03:42:56 UTC.
fn at() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_010_176)
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a name")
}

#[test]
fn each_run_has_a_folder_of_its_own() {
    let base = tempfile::tempdir().expect("a folder");
    let base = base.path().join("results");
    let names: Vec<String> =
        (0..3).map(|_| name(prepare(&base, "chat mix", at()).expect("a folder").folder()).to_owned()).collect();
    assert_eq!(
        names,
        ["2026-11-30T034256Z-chat-mix", "2026-11-30T034256Z-chat-mix-2", "2026-11-30T034256Z-chat-mix-3"]
    );
    let empty = prepare(&base, "a", at()).expect("a folder");
    assert_eq!(fs::read_dir(empty.folder()).expect("a folder").count(), 0);
}

#[test]
fn names_become_what_every_file_system_takes() {
    let base = tempfile::tempdir().expect("a folder");
    for (given, slug) in [("../../etc/passwd", "etc-passwd"), ("", "run"), ("ü/:*?", "run"), ("a:b  c", "a-b-c")] {
        let folder = prepare(base.path(), given, at()).expect("a folder");
        assert_eq!(name(folder.folder()), format!("2026-11-30T034256Z-{slug}"));
        folder.discard();
    }
    let long = prepare(base.path(), &"x".repeat(5_000), at()).expect("a folder");
    assert_eq!(name(long.folder()).len(), "2026-11-30T034256Z-".len() + 60);
}

#[test]
fn a_time_before_1970_is_no_reason_to_lose_a_run() {
    let base = tempfile::tempdir().expect("a folder");
    let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
    let folder = prepare(base.path(), "a", before).expect("a folder");
    assert_eq!(name(folder.folder()), "1969-12-31T235959Z-a");
}

#[test]
fn a_run_that_never_began_leaves_nothing() {
    let base = tempfile::tempdir().expect("a folder");
    prepare(base.path(), "a", at()).expect("a folder").discard();
    assert_eq!(fs::read_dir(base.path()).expect("a folder").count(), 0);
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_run() {
    let base = tempfile::tempdir().expect("a folder");
    let file = base.path().join("results");
    fs::write(&file, "in the way").expect("a file");
    let error = prepare(&file, "a", at()).expect_err("a file is no folder").to_string();
    assert_eq!(
        error,
        format!(
            "cannot write results to {}: File exists (os error 17). Make the folder writable, free some space, or choose \
             another folder for results",
            file.display()
        )
    );
}

#[test]
fn what_is_written_is_read_again_from_folder_or_file() {
    let base = tempfile::tempdir().expect("a folder");
    let prepared = prepare(base.path(), "a", at()).expect("a folder");
    let result = result();
    write(&prepared, &result).expect("written");
    let mut files: Vec<String> = fs::read_dir(prepared.folder())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, [REPORT_FILE, RESULT_FILE], "and nothing half-written");
    assert_eq!(load(prepared.folder()).expect("a result"), result);
    assert_eq!(load(&prepared.folder().join(RESULT_FILE)).expect("a result"), result);
    let report = fs::read_to_string(prepared.folder().join(REPORT_FILE)).expect("a report");
    assert_eq!(report, markdown(&result).expect("a report"));
}

#[test]
fn what_is_no_result_is_refused_with_what_to_do() {
    let base = tempfile::tempdir().expect("a folder");
    let path = base.path().join("result.json");
    let refused = |text: &str| {
        fs::write(&path, text).expect("a file");
        load(&path).expect_err("no result").to_string().replace(&path.display().to_string(), "FILE")
    };
    assert_eq!(
        refused("{}"),
        "FILE is no result of this engine: `format` is not `engine-result`. Give the `result.json` that a run has \
         written, or its folder"
    );
    assert_eq!(
        refused(r#"{"format":"engine-result","version":2}"#),
        "FILE has format version 2, and this engine reads version 1. Read it with the engine that wrote it, or a newer one"
    );
    assert_eq!(
        refused(r#"{"format":"engine-result","version":0}"#),
        "FILE has format version 0, and this engine reads version 1. Read it with the engine that wrote it"
    );
    assert_eq!(
        refused(r#"{"format":"engine-result","version":1}"#),
        "FILE is no result of this engine: missing field `run`. Give the `result.json` that a run has written, or its \
         folder"
    );
    assert!(refused("not json").starts_with("FILE is not JSON: expected ident at line 1 column 2."));
    fs::remove_file(&path).expect("gone");
    let error = load(base.path()).expect_err("nothing there").to_string();
    assert!(error.ends_with("Give the folder of a result, or its `result.json`"), "{error}");
}
