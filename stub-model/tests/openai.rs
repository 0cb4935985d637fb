//! The model as the official `OpenAI` client for Python sees it. Needs a Python with the package `openai`: `python3`, or
//! what `STUB_PYTHON` names. Where there is none the test is reported as ignored.
#![allow(clippy::unwrap_used, reason = "a test that meets the unexpected has failed")]

use std::process::{Command, ExitCode};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use stub_model::model::{Behaviour, Settings, start};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/openai_client.py");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let python = std::env::var_os("STUB_PYTHON").unwrap_or_else(|| "python3".into());
    let importable = Command::new(&python).args(["-c", "import openai"]).output();
    let absent = !importable.is_ok_and(|output| output.status.success());
    let test = Trial::test("the_official_openai_client_understands_everything", move || client(&python));
    libtest_mimic::run(&arguments, vec![test.with_ignored_flag(absent)]).exit_code()
}

fn client(python: &std::ffi::OsStr) -> Result<(), Failed> {
    let quick = Behaviour {
        tokens: 8,
        first_token: Duration::from_millis(20),
        token: Duration::from_millis(2),
        ..Behaviour::default()
    };
    let failing = Behaviour { error_rate: 1.0, ..quick.clone() };
    let stubs = [quick, failing].map(|behaviour| start(&Settings { behaviour, ..Settings::default() }).unwrap());
    let urls = stubs.each_ref().map(stub_model::server::Handle::url);
    let output = Command::new(python).arg(SCRIPT).args(urls).output()?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}
