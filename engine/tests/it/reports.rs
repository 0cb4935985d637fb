//! What a run leaves behind, and `engine report`.

use std::fs;

use engine::cli::exit::Exit;

use super::kit::{Place, Ran, stub};

#[test]
fn a_result_is_rendered_again_as_it_was_and_fits_the_committed_schema() {
    let target = stub();
    let place = Place::new();
    let url = format!("{}/small", target.url());
    let ran = Ran::from(place.load(&url, "50", "2s", &["-H", "Authorization: Bearer swordfish-1"]).output().unwrap());
    let folder = place.result_folder();
    let report = fs::read_to_string(folder.join("report.md")).unwrap();
    assert_eq!(ran.stdout, report);
    let again = place.run(&["report", folder.to_str().unwrap()]);
    assert_eq!((again.status, again.stdout), (0, report));
    let json = fs::read_to_string(folder.join("result.json")).unwrap();
    assert!(!json.contains("swordfish"), "a secret in the result");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schema/result.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let result = serde_json::from_str(&json).unwrap();
    jsonschema::validate(&schema, &result).unwrap();
    let as_json = place.run(&["report", folder.to_str().unwrap(), "--format", "json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&as_json.stdout).unwrap(), result);
}

#[test]
fn no_colour_leaves_the_program_where_stdout_is_no_terminal() {
    let target = stub();
    let url = format!("{}/small", target.url());
    let ran = Place::new().run(&["run", "--url", &url, "--rate", "10", "--duration", "2s"]);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("offered"), "a line a second: {}", ran.stderr);
}

#[test]
fn something_that_is_no_result_is_refused() {
    let place = Place::new();
    place.write("result.json", b"{}");
    for (given, text) in [
        (
            ".",
            "error: ./result.json is no result of this engine: `format` is not `engine-result`. Give the `result.json` that \
             a run has written, or its folder\n",
        ),
        (
            "none",
            "error: cannot read none: No such file or directory (os error 2). Give the folder of a result, or its \
             `result.json`\n",
        ),
    ] {
        let ran = place.run(&["report", given]);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (2, "", text));
    }
}

#[test]
fn the_page_of_exit_statuses_has_each_of_them() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/exit-statuses.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| status")).collect();
    let expected = Exit::ALL.map(|exit| format!("| {} | {} |", exit.status(), exit.meaning()));
    assert_eq!(rows.len(), expected.len());
    for (row, start) in rows.iter().zip(&expected) {
        assert!(row.starts_with(start.as_str()), "{row} does not start with {start}");
    }
}

#[test]
fn a_report_says_what_was_sent_and_what_the_command_line_changed() {
    let target = stub();
    let scenario = format!(
        r#"
[target]
url = "{}"
[[workload]]
name = "page"
plugin = "http"
share = 1
timeout = "7s"
[workload.config]
path = "/small"
fields = {{ "X-Api-Key" = "written-here" }}
[[phase]]
name = "load"
duration = "2s"
rate = 20
[[threshold]]
workload = "page"
metric = "p95(response(/small))"
value = "1s"
"#,
        target.url()
    );
    let ran = Place::with(&scenario).run(&[
        "run",
        "--scenario",
        "load.toml",
        "--set",
        "phase.load.rate=25",
        "--workers",
        "1",
    ]);
    for part in [
        r#"configuration of page: `{"fields":{"X-Api-Key":"***"},"path":"/small"}`"#,
        "Changed on the command line: `--set phase.load.rate=25`, `--workers 1`",
        "| page     | http   | 100 % | 7 s",
        "0 of at least 20 samples; no request named `/small` was answered; there are `GET /small`",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("written-here"), "{}", ran.stdout);
}
