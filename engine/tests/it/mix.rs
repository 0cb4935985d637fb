//! The mix against the stub's platform: what it plans, how it passes, and how it fails.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use engine::scenario::{self, Overrides, Plan, Surroundings};
use serde_json::Value;
use stub_model::{model, platform};

use super::kit::{Place, Ran, assert_identity, reasons, states};

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
const WORKLOADS: [&str; 6] = ["api_read", "chat_stream", "agent_run", "rag_query", "ingest", "trigger_fire"];

fn plan(file: &str, overrides: &Overrides) -> Plan {
    let surroundings = Surroundings { variable: Box::new(|_| None), cores: 2 };
    scenario::load(&Path::new(SCENARIOS).join(file), overrides, &surroundings).unwrap()
}

#[test]
fn the_mix_plans_4740_arrivals_the_same_over_any_number_of_workers() {
    let plan = plan("mix.toml", &Overrides::default());
    let phases: Vec<u64> = (0..4).map(|phase| plan.planned.phase(phase)).collect();
    assert_eq!(phases, [240, 2_160, 1_620, 720]);
    let counts: Vec<u64> = (0..WORKLOADS.len()).map(|workload| plan.planned.workload(workload)).collect();
    assert_eq!(counts.iter().sum::<u64>(), 4_740);
    for (share, count) in [45.0, 20.0, 15.0, 12.0, 5.0, 3.0].iter().zip(&counts) {
        assert!((share / 100.0 * 4_740.0 - *count as f64).abs() < 3.0, "{counts:?}");
    }
    for workers in [1, 2, 3, 8, 13] {
        let mut seen = vec![0; WORKLOADS.len()];
        for worker in 0..workers {
            plan.schedule().share(worker, workers).for_each(|arrival| seen[usize::from(arrival.workload)] += 1);
        }
        assert_eq!(seen, counts, "{workers} workers");
    }
}

/// A platform whose model is quick, so that tests are.
fn quick() -> platform::Settings {
    let behaviour = model::Behaviour {
        first_token: Duration::from_millis(20),
        token: Duration::from_millis(2),
        tokens: 8,
        ..model::Behaviour::default()
    };
    platform::Settings { behaviour, ..platform::Settings::default() }
}

/// The mix in eight seconds, at its rates.
fn run(url: &str, more: &[&str]) -> (Value, Ran) {
    let place = Place::new();
    let scenario = format!("{SCENARIOS}/mix.toml");
    let arguments =
        [&["run", "--scenario", &scenario, "--scale", "0.01", "--quiet", "--set", "limits.tolerance=5s"], more];
    let ran = Ran::from(place.command(&arguments.concat()).env("TARGET_URL", url).output().unwrap());
    assert!([0, 10, 11, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    let result = place.result();
    assert_identity(&result);
    for text in [&ran.stdout, &ran.stderr, &result.to_string()] {
        for secret in ["stub-token", "stub-password", "stub-webhook-secret"] {
            // What `${NAME:-default}` says of the default is the scenario's own text.
            assert!(!text.replace(&format!(":-{secret}}}"), "").contains(secret), "{secret} in {text}");
        }
    }
    (result, ran)
}

fn count(result: &Value, workload: &str, state: &str) -> u64 {
    states(result, workload)[state].as_u64().unwrap()
}

#[test]
fn every_workload_is_right_on_the_stub_platform() {
    let target = platform::start(&quick()).unwrap();
    let (result, ran) = run(&target.url(), &[]);
    let plan = plan("mix.toml", &Overrides { scale: Some(0.01), ..Overrides::default() });
    for (position, workload) in WORKLOADS.iter().enumerate() {
        let planned = plan.planned.workload(position);
        assert_eq!(count(&result, workload, "planned"), planned, "{workload}");
        let chats = if *workload == "chat_stream" { planned / 5 } else { 0 };
        assert_eq!(
            (count(&result, workload, "ok"), count(&result, workload, "cancelled")),
            (planned - chats, chats),
            "{workload}: {:?}\n{}",
            reasons(&result, workload),
            ran.stdout
        );
    }
    let probe = &result["probes"][0];
    assert_eq!(probe["series"][3]["after"].as_f64(), Some(0.0), "no time-out of the pool: {probe}");
}

#[test]
fn a_pool_that_is_too_small_fails_runs_with_500_and_its_time_outs_stand_beside_them() {
    let mut settings = quick();
    settings.behaviour.first_token = Duration::from_millis(400);
    settings.pool = platform::PoolSettings { size: 1, overflow: 0, timeout: Duration::from_millis(300) };
    let target = platform::start(&settings).unwrap();
    // The log-in's own run would need two connections.
    let (result, ran) = run(&target.url(), &["--set", "setup.0.config.model=none"]);
    assert_eq!(reasons(&result, "agent_run"), ["http_500"], "{}", ran.stdout);
    let timeouts = &result["probes"][0]["series"][3];
    assert!(timeouts["after"].as_f64().unwrap() > 0.0, "{timeouts}");
    assert!(ran.stdout.contains("`stub_platform_pool_timeouts_total`"), "{}", ran.stdout);
}

#[test]
fn a_platform_that_is_killed_midway_leaves_the_right_reasons() {
    let program = Path::new(env!("CARGO_BIN_EXE_engine")).with_file_name("stub-model");
    let mut stub = std::process::Command::new(program)
        .args(["platform", "--listen", "127.0.0.1:0", "--first-token-ms", "300"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stub.stdout.take().unwrap()), &mut line).unwrap();
    let url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(5));
        stub.kill().unwrap();
        stub.wait().unwrap();
    });
    let (result, ran) = run(&url, &["--set", "limits.drain=5s"]);
    killer.join().unwrap();
    assert!([10, 12].contains(&ran.status), "{}", ran.stdout);
    let known = ["refused", "reset", "stale_connection", "truncated"];
    for workload in WORKLOADS {
        let reasons = reasons(&result, workload);
        assert!(reasons.iter().all(|reason| known.contains(&reason.as_str())), "{workload}: {reasons:?}");
    }
    assert!(count(&result, "api_read", "failed") > 0, "{}", ran.stdout);
}

/// The text of a refusal by `login`, with these settings of the platform and these of the scenario.
fn refusal(settings: &platform::Settings, sets: &[&str]) -> String {
    let target = platform::start(settings).unwrap();
    let place = Place::new();
    let scenario = format!("{SCENARIOS}/mix.toml");
    let mut arguments = vec!["run", "--scenario", &scenario];
    for set in sets {
        arguments.extend(["--set", set]);
    }
    let ran = Ran::from(place.command(&arguments).env("TARGET_URL", target.url()).output().unwrap());
    assert_eq!((ran.status, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
    ran.stderr.lines().next().unwrap().strip_prefix("error: setup `login` refused the run: check: ").unwrap().to_owned()
}

#[test]
fn the_login_refuses_a_platform_that_is_not_ready_and_says_what_to_do() {
    assert_eq!(
        refusal(&quick(), &["setup.0.config.password=wrong-password"]),
        "the platform refuses this e-mail and password; correct `email` and `password`, or the target's URL"
    );
    // The second agent of the stub is a draft.
    assert_eq!(
        refusal(&quick(), &["setup.0.config.agent=6be539f4-f7bb-4231-88b4-7e13a398e21b"]),
        "the configured agent is not published; publish it in the platform, or configure another as `agent`"
    );
    assert_eq!(
        refusal(&quick(), &["setup.0.config.collection=empty"]),
        "the collection is empty, so that every search would find nothing; ingest documents, or configure another"
    );
    // A platform on another model than the one looked at.
    let other = model::start(&model::Settings::default()).unwrap();
    let host = other.address().to_string();
    let (looked_at, allowed) = (format!("setup.0.config.model={host}"), format!("limits.allowed_hosts=[\"{host}\"]"));
    assert_eq!(
        refusal(&quick(), &[&looked_at, &allowed]),
        "the platform does not reach this model: a run was not seen there; correct the model's address in the platform"
    );
}

/// `openai.toml` in four seconds against a model that behaves like this; the model's own count of its faults with it.
fn openai(behaviour: model::Behaviour, more: &[&str]) -> (Value, Ran, u64) {
    let target = model::start(&model::Settings { behaviour, ..model::Settings::default() }).unwrap();
    let place = Place::new();
    let scenario = format!("{SCENARIOS}/openai.toml");
    let common = ["run", "--scenario", &scenario, "--scale", "0.01", "--quiet", "--set", "phase.steady.rate=40"];
    let arguments = [&common[..], &["--set", "limits.tolerance=5s"], more].concat();
    let ran = Ran::from(place.command(&arguments).env("OPENAI_URL", target.url()).output().unwrap());
    assert!([0, 10, 11, 12].contains(&ran.status), "{}\n{}", ran.stdout, ran.stderr);
    let result = place.result();
    assert_identity(&result);
    let journal = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target.journal()).unwrap();
    let answered = journal.iter().filter(|entry| entry.status == Some(200)).count() as u64;
    (result, ran, journal.len() as u64 - answered)
}

fn brisk() -> model::Behaviour {
    model::Behaviour {
        first_token: Duration::from_millis(20),
        token: Duration::from_millis(2),
        ..model::Behaviour::default()
    }
}

#[test]
fn a_stream_of_tokens_is_counted_to_the_last() {
    let (result, ran, _) = openai(brisk(), &[]);
    let planned = count(&result, "openai_chat", "planned");
    assert_eq!(count(&result, "openai_chat", "ok"), planned, "{}", ran.stdout);
    let metrics = result["whole"]["workloads"][0]["metrics"].as_array().unwrap();
    let of = |name: &str| metrics.iter().find(|metric| metric["metric"] == name).unwrap();
    assert_eq!(of("tokens_out")["counter"], planned * 32);
    assert_eq!(of("first_token")["mark"]["count"], planned);
    assert_eq!(of("chunk_gap")["mark"]["count"], planned * 31);
}

#[test]
fn errors_of_the_model_are_its_statuses_and_as_many() {
    let (result, ran, faults) = openai(model::Behaviour { error_rate: 0.2, ..brisk() }, &[]);
    assert_eq!(reasons(&result, "openai_chat"), ["http_500"], "{}", ran.stdout);
    assert_eq!(count(&result, "openai_chat", "failed"), faults);
    assert!([10, 12].contains(&ran.status), "{}", ran.stdout);
}

#[test]
fn answers_that_never_come_are_time_outs_and_as_many() {
    let (result, ran, faults) =
        openai(model::Behaviour { timeout_rate: 0.2, ..brisk() }, &["--set", "limits.timeout=1500ms"]);
    assert_eq!(reasons(&result, "openai_chat"), ["timeout_total"], "{}", ran.stdout);
    assert_eq!(count(&result, "openai_chat", "failed"), faults);
    assert!([10, 12].contains(&ran.status), "{}", ran.stdout);
}

#[test]
fn a_model_that_is_stopped_midway_leaves_the_right_reasons() {
    let target = model::start(&model::Settings { behaviour: brisk(), ..model::Settings::default() }).unwrap();
    let place = Place::new();
    let scenario = format!("{SCENARIOS}/openai.toml");
    let more = ["--scale", "0.01", "--quiet", "--set", "phase.steady.rate=40", "--set", "limits.tolerance=5s"];
    let arguments = [&["run", "--scenario", &scenario][..], &more].concat();
    let command = place.command(&arguments).env("OPENAI_URL", target.url()).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(target.stop()).unwrap();
    let ran = Ran::from(command.wait_with_output().unwrap());
    assert!([10, 12].contains(&ran.status), "{}", ran.stdout);
    let result = place.result();
    assert_identity(&result);
    assert!(count(&result, "openai_chat", "ok") > 0 && count(&result, "openai_chat", "failed") > 0, "{}", ran.stdout);
    let known = ["refused", "reset", "stale_connection", "truncated"];
    let reasons = reasons(&result, "openai_chat");
    assert!(reasons.iter().all(|reason| known.contains(&reason.as_str())), "{reasons:?}");
}

#[test]
fn the_other_scenarios_plan_what_their_first_lines_say() {
    let total = |file: &str| plan(file, &Overrides::default()).planned.total();
    assert_eq!((total("quickstart.toml"), total("openai.toml")), (280, 160));
}
