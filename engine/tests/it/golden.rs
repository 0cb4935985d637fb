//! Components of every published version of the interface, kept as they were built: each later engine runs them.
//!
//! `tests/golden/VERSION/` holds the project's own plugins and a raw guest that imports every action and exports every
//! event. A folder is added when the interface gets a new version and never changed after its tag.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::plugin::{Host, Limits};
use stub_model::{model, platform};

use super::kit::{Place, Ran, assert_identity, stub};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");

/// The kept components of a version.
fn components(version: &str) -> Vec<PathBuf> {
    let folder = Path::new(GOLDEN).join(version);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wasm"));
    files.sort();
    files
}

/// All versions there are.
fn versions() -> Vec<String> {
    let mut versions: Vec<String> =
        fs::read_dir(GOLDEN).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    versions.sort();
    versions
}

/// Runs a scenario of the project with the kept plugins of a version in the place of its own.
fn run(version: &str, scenario: &str, only: &[&str], url: (&str, &str)) -> Ran {
    let place = Place::new();
    let scenario = format!("{SCENARIOS}/{scenario}");
    let mut command = place.command(&["run", "--scenario", &scenario, "--scale", "0.01", "--quiet"]);
    for file in components(version) {
        if only.contains(&file.file_stem().unwrap().to_str().unwrap()) {
            command.arg("--plugin").arg(file);
        }
    }
    // A machine that is busy with other tests decides no more than the figures.
    let ran = Ran::from(command.args(["--set", "limits.tolerance=5s"]).env(url.0, url.1).output().unwrap());
    assert!([0, 10, 11, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    let result = place.result();
    assert_identity(&result);
    for workload in result["whole"]["workloads"].as_array().unwrap() {
        let states = &workload["states"];
        assert_eq!((states["failed"].as_u64(), states["lost"].as_u64()), (Some(0), Some(0)), "{workload}");
        assert!(states["ok"].as_u64().unwrap() > 0, "{workload}");
    }
    assert_eq!(result["plugin_traps"].as_array().unwrap().len(), 0);
    ran
}

/// A model that keeps nobody waiting.
fn brisk() -> model::Behaviour {
    let (first_token, token) = (Duration::from_millis(20), Duration::from_millis(2));
    model::Behaviour { first_token, token, tokens: 8, ..model::Behaviour::default() }
}

#[test]
fn every_kept_component_loads_and_says_who_it_is() {
    assert_eq!(versions(), ["0.1.0"]);
    let host = Host::new(Limits::default(), None).unwrap();
    for version in versions() {
        let files = components(&version);
        assert_eq!(files.len(), 10, "{files:?}");
        for file in files {
            let plugin = host.load(&file).unwrap_or_else(|refusal| panic!("{refusal}"));
            assert_eq!(plugin.description.name, file.file_stem().unwrap().to_str().unwrap());
            assert!(plugin.exports.iter().any(|export| export.ends_with(&version)), "{:?}", plugin.exports);
        }
    }
}

#[test]
fn the_kept_plugins_of_the_mix_run_it() {
    let settings = platform::Settings { behaviour: brisk(), ..platform::Settings::default() };
    let target = platform::start(&settings).unwrap();
    let plugins = ["login", "api_read", "chat_stream", "agent_run", "rag_query", "ingest", "trigger_fire"];
    for version in versions() {
        run(&version, "mix.toml", &plugins, ("TARGET_URL", &target.url()));
    }
}

#[test]
fn the_kept_plugins_for_plain_http_and_for_models_run_as_well() {
    let target = stub();
    let model = model::start(&model::Settings { behaviour: brisk(), ..model::Settings::default() }).unwrap();
    for version in versions() {
        let http = components(&version).into_iter().find(|file| file.ends_with("http.wasm")).unwrap();
        let place = Place::new();
        let tried = place.run(&[
            "try",
            http.to_str().unwrap(),
            "--url",
            &target.url(),
            "--config",
            r#"{"path":"/echo","method":"POST","body":"${index}","expect_body_contains":"0"}"#,
        ]);
        assert_eq!(tried.status, 0, "{}{}", tried.stdout, tried.stderr);
        let raw = components(&version).into_iter().find(|file| file.ends_with("raw.wasm")).unwrap();
        let tried = place.run(&["try", raw.to_str().unwrap(), "--url", &target.url()]);
        assert!(tried.stdout.contains("> GET /"), "{}{}", tried.stdout, tried.stderr);
        let ran = run(&version, "openai.toml", &["openai_chat"], ("OPENAI_URL", &model.url()));
        assert!(ran.stdout.contains("first_token"), "{}", ran.stdout);
    }
}
