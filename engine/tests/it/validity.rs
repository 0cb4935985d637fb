//! Each check on the generator, provoked: the run is invalid, by the figure that stands in text and JSON, and one sentence
//! says what to change.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use stub_model::small::Handle;

use super::kit::{Place, Ran, assert_identity, stub};

const MISBEHAVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugins/components/misbehave.wasm");

/// A scenario of one phase on which a threshold that always holds is set.
fn scenario(target: &str, workload: &str, limits: &str, rate: u32, duration: &str) -> String {
    format!(
        r#"
[target]
{target}
[limits]
timeout = "20s"
drain = "10s"
{limits}
[[workload]]
name = "small"
share = 1
{workload}
[[phase]]
name = "load"
duration = "{duration}"
rate = {rate}
[[threshold]]
workload = "small"
metric = "error_rate"
op = "<="
value = "100%"
"#
    )
}

fn http(path: &str) -> String {
    format!("plugin = \"http\"\nconfig = {{ path = \"{path}\" }}")
}

fn url(target: &Handle) -> String {
    format!("url = \"{}\"", target.url())
}

/// The check of that name.
fn check<'a>(result: &'a Value, name: &str) -> &'a Value {
    let checks = result["judgement"]["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no check {name}"))
}

/// The run is invalid by this check although its threshold held; figure, limit and advice stand in the text as in the data.
#[track_caller]
fn assert_invalid(ran: &Ran, result: &Value, name: &str) {
    assert_identity(result);
    assert_eq!(ran.status, 12, "{}\n{}", ran.stdout, ran.stderr);
    let threshold = result["judgement"]["thresholds"].as_array().unwrap().last().unwrap();
    assert_eq!(threshold["verdict"], "pass", "{threshold}");
    assert_eq!(result["judgement"]["verdict"], "invalid");
    let check = check(result, name);
    assert_eq!(check["verdict"], "invalid", "{}", ran.stdout);
    let (figure, limit) = (check["figure"]["value"].as_f64().unwrap(), check["limit"]["value"].as_f64().unwrap());
    assert!(if name == "sent of offered" { figure < limit } else { figure > limit }, "{check}");
    let advice = check["advice"].as_str().unwrap();
    let reasons = result["judgement"]["reasons"].as_array().unwrap();
    let sentence = reasons.iter().map(|reason| reason.as_str().unwrap()).find(|reason| reason.starts_with(name));
    assert!(sentence.is_some_and(|sentence| sentence.ends_with(advice)), "{reasons:?}");
    // As Markdown has it, a row of the table of checks, and the advice below it.
    let cells = |line: &str| line.split('|').skip(1).take(2).map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    assert!(ran.stdout.lines().any(|line| cells(line) == ["invalid", name]), "{name}\n{}", ran.stdout);
    // In Markdown a back-tick is an apostrophe.
    let plain = |text: &str| text.replace('`', "'");
    assert!(plain(&ran.stdout).contains(&plain(&format!("- {name}: {advice}."))), "{}", ran.stdout);
}

#[test]
fn too_few_slots_are_the_generators_doing_where_the_cap_was_lowered() {
    let target = stub();
    let place = Place::with(&scenario(&url(&target), &http("/slow?ms=300"), "in_flight = 2", 50, "2s"));
    let ran = place.run(&["run", "load.toml", "--workers", "1", "--quiet"]);
    let result = place.result();
    assert_invalid(&ran, &result, "missed by the generator");
    assert_invalid(&ran, &result, "sent of offered");
}

#[test]
fn a_cap_on_connections_that_binds() {
    let target = stub();
    let place = Place::with(&scenario(&url(&target), &http("/slow?ms=40"), "connections = 1", 50, "2s"));
    let ran = place.run(&["run", "load.toml", "--workers", "1", "--quiet"]);
    assert_invalid(&ran, &place.result(), "wait for a connection at the cap p99");
}

#[test]
fn a_plugin_of_5_ms_a_call_and_a_schedule_that_cannot_be_met_with_it() {
    let target = stub();
    let workload = format!("plugin = \"{MISBEHAVE}\"\nconfig = {{ how = \"busy\", path = \"/small\" }}");
    // 400 calls of 5 ms at the least are two seconds of work for each second.
    let limits = "[limits.plugin]\ncall = \"5s\"";
    let place = Place::with(&scenario(&url(&target), &workload, limits, 400, "2s"));
    let ran = place.run(&["run", "load.toml", "--workers", "1", "--quiet"]);
    let result = place.result();
    for name in ["plugin time of a worker's core", "lateness p99", "worker loop stall p99"] {
        assert_invalid(&ran, &result, name);
    }
    for name in ["missed by the generator", "sent of offered"] {
        assert_invalid(&ran, &result, name);
    }
    let mean = result["plugin_costs"][0]["mean_ms"].as_f64().unwrap();
    assert!(mean > 2.0, "start and answer together are two calls: {mean} ms each");
}

/// The engine is started with so many files open that its own limit on them is met in the run.
#[test]
fn too_few_descriptors() {
    let target = stub();
    let place = Place::with(&scenario(&url(&target), &http("/slow?ms=2000"), "connections = 96", 90, "1s"));
    let script = r#"ulimit -n 160; for i in $(seq 20 119); do eval "exec $i</dev/null"; done; exec "$@""#;
    let ran = wrapped(&place, &["bash", "-c", script, "bash"]);
    let result = place.result();
    assert_invalid(&ran, &result, "file descriptors in use");
    assert_eq!(check(&result, "file descriptors in use")["detail"], "failures by `fd_exhausted`");
}

#[test]
fn an_exhausted_port_range() {
    let script = r#"ip link set lo up && echo "40000 40009" > /proc/sys/net/ipv4/ip_local_port_range && exec "$@""#;
    let namespace = ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", script, "sh"];
    let allowed = Command::new(namespace[0]).args(&namespace[1..]).arg("true").stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        eprintln!(
            "skipped an_exhausted_port_range: no network namespace may be made here, or iproute2 is not installed"
        );
        return;
    }
    // The stub is started by the engine, so that it is in the same namespace.
    let place = Place::with(&scenario("stub = \"small\"", &http("/slow?ms=1000"), "", 40, "1s"));
    let ran = wrapped(&place, &namespace);
    let result = place.result();
    assert_invalid(&ran, &result, "ephemeral ports in use");
    assert_eq!(check(&result, "ephemeral ports in use")["detail"], "failures by `port_exhausted`");
}

/// Runs the engine by way of another program.
fn wrapped(place: &Place, by: &[&str]) -> Ran {
    let mut command = Command::new(by[0]);
    command.args(&by[1..]).arg(env!("CARGO_BIN_EXE_engine"));
    command.args(["run", "load.toml", "--workers", "1", "--quiet"]).current_dir(place.path()).stdin(Stdio::null());
    command.env_remove("NO_COLOR").output().unwrap().into()
}

/// Ends with the test, however that ends.
struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the target has seen a request.
fn until_loaded(target: &Handle) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while runtime.block_on(target.journal()).unwrap().is_empty() {
        assert!(Instant::now() < deadline, "nothing was sent");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_busy_neighbour_on_the_workers_core() {
    // Some core that this process may use.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let core = cores.split([',', '-']).next_back().unwrap();
    let target = stub();
    let limits = "tolerance = \"5s\"";
    let place = Place::with(&scenario(&url(&target), &http("/small"), limits, 100, "4s"));
    // Lowest in priority, as an engine may be on a machine that is shared.
    let mut command = Command::new("taskset");
    command.args(["-c", core, "nice", "-n", "19", env!("CARGO_BIN_EXE_engine")]);
    command.args(["run", "load.toml", "--workers", "1", "--quiet"]).current_dir(place.path());
    let engine = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until_loaded(&target);
    let neighbours: Vec<_> = (0..4)
        .map(|_| {
            let loops = ["-c", core, "sh", "-c", "while :; do :; done"];
            Neighbour(Command::new("taskset").args(loops).stdin(Stdio::null()).spawn().unwrap())
        })
        .collect();
    std::thread::sleep(Duration::from_secs(3));
    drop(neighbours);
    let ran = Ran::from(engine.wait_with_output().unwrap());
    let result = place.result();
    assert_invalid(&ran, &result, "lateness p99");
    assert_invalid(&ran, &result, "worker loop stall p99");
}

#[test]
fn a_control_group_that_is_held_back() {
    let Some(group) = Group::new() else {
        eprintln!("skipped a_control_group_that_is_held_back: no control group with a CPU quota may be made here");
        return;
    };
    let target = stub();
    let limits = "tolerance = \"5s\"";
    let place = Place::with(&scenario(&url(&target), &http("/small"), limits, 100, "4s"));
    let mut command = Command::new("sh");
    let script = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", group.path.display());
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_engine"), "run", "load.toml", "--workers", "1", "--quiet"]);
    let engine = command.current_dir(place.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let engine = engine.spawn().unwrap();
    until_loaded(&target);
    // 1 ms of each 100 ms.
    group.quota(1_000);
    std::thread::sleep(Duration::from_secs(2));
    group.quota(100_000);
    let ran = Ran::from(engine.wait_with_output().unwrap());
    assert_invalid(&ran, &place.result(), "cgroup throttling");
}

/// A control group of this test, version 1 or 2.
struct Group {
    path: std::path::PathBuf,
    second: bool,
}

impl Group {
    fn new() -> Option<Self> {
        let name = format!("engine-test-{}", std::process::id());
        for (root, second) in [("/sys/fs/cgroup/cpu", false), ("/sys/fs/cgroup", true)] {
            let root = Path::new(root);
            let has_cpu = if second {
                let controllers = std::fs::read_to_string(root.join("cgroup.subtree_control")).unwrap_or_default();
                controllers.split_whitespace().any(|controller| controller == "cpu")
            } else {
                root.join("cpu.stat").exists()
            };
            let path = root.join(&name);
            if has_cpu && std::fs::create_dir(&path).is_ok() {
                return Some(Self { path, second });
            }
        }
        None
    }

    /// Microseconds of each 100 ms.
    fn quota(&self, microseconds: u32) {
        let (file, text) = if self.second {
            ("cpu.max", format!("{microseconds} 100000"))
        } else {
            ("cpu.cfs_quota_us", microseconds.to_string())
        };
        let mut file = std::fs::File::options().write(true).open(self.path.join(file)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.path);
    }
}
