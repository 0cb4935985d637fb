//! Why a call into a plugin ended without returning, told in the words of the plugin's author.

use std::fmt;

use wasmtime::{Trap, WasmBacktrace};

use crate::printable::cut;

use super::limits::MemoryExceeded;
use super::room::LogLine;

/// The kinds of fault; each is a failure reason of `docs/terminology.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The call trapped: a panic, an out-of-bounds access, unreachable code.
    Trap,
    /// The call computed longer than `limits.plugin.call`.
    Deadline,
    /// The instance asked for more than `limits.plugin.memory`.
    Memory,
}

impl FaultKind {
    /// The failure reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Trap => "plugin_trap",
            Self::Deadline => "plugin_deadline",
            Self::Memory => "plugin_memory",
        }
    }
}

/// A call ended without returning. The instance it was made on is of no further use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind.
    pub kind: FaultKind,
    /// What was called, what happened, the panic's text where the plugin logged one, and the plugin's functions.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

/// A call computed longer than it may.
#[derive(Debug)]
pub(super) struct DeadlineExceeded {
    /// The limit in milliseconds.
    pub(super) limit_ms: u128,
}

impl fmt::Display for DeadlineExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "computed longer than the {} ms it may (limits.plugin.call): an endless loop, or too much work in one call",
            self.limit_ms
        )
    }
}

impl std::error::Error for DeadlineExceeded {}

/// The most functions of a backtrace that are named.
const FRAMES: usize = 8;

/// Functions in which an interpreter runs an author's code: Python's and `QuickJS`'s.
const INTERPRETERS: [&str; 2] = ["_PyEval_EvalFrameDefault", "JS_CallInternal"];

impl Fault {
    /// Reads wasmtime's error after the call named `call`; `log` is what the plugin logged during it.
    pub(super) fn new(call: &str, error: &wasmtime::Error, log: &[LogLine]) -> Self {
        let (kind, what) = if let Some(exceeded) = error.downcast_ref::<DeadlineExceeded>() {
            (FaultKind::Deadline, exceeded.to_string())
        } else if let Some(exceeded) = error.downcast_ref::<MemoryExceeded>() {
            (FaultKind::Memory, exceeded.to_string())
        } else if let Some(trap) = error.downcast_ref::<Trap>() {
            (FaultKind::Trap, trap.to_string())
        } else {
            (FaultKind::Trap, error.root_cause().to_string())
        };
        let mut text = format!("`{call}` {what}");
        // A panic in WebAssembly is only `unreachable`: what it said is what the plugin logged last.
        if kind == FaultKind::Trap
            && let Some(said) = log.iter().rev().find(|line| line.level == "error")
        {
            text = format!("{text}: {}", said.text);
        }
        let functions = functions(error);
        if !functions.is_empty() {
            text = format!("{text}\n    in {}", functions.join("\n    in "));
        }
        Self { kind, text }
    }
}

/// The plugin's functions on the stack, innermost first, without the machinery of panicking.
fn functions(error: &wasmtime::Error) -> Vec<String> {
    let Some(backtrace) = error.downcast_ref::<WasmBacktrace>() else { return Vec::new() };
    // The functions of an interpreter are not the author's: those stand in what the plugin has logged.
    let mut raw = backtrace.frames().iter().filter_map(wasmtime::FrameInfo::func_name);
    if raw.any(|name| INTERPRETERS.iter().any(|interpreter| name.contains(interpreter))) {
        return Vec::new();
    }
    let mut names: Vec<String> = backtrace
        .frames()
        .iter()
        .filter_map(|frame| {
            let raw = frame.func_name()?;
            // The alternate form leaves the hash out.
            let name = rustc_demangle::try_demangle(raw).map_or_else(|_| raw.to_owned(), |name| format!("{name:#}"));
            Some(shown(&name))
        })
        .skip_while(|name| is_panic_machinery(name))
        .collect();
    names.dedup();
    let more = names.len().saturating_sub(FRAMES);
    names.truncate(FRAMES);
    if more > 0 {
        names.push(format!("… {more} more"));
    }
    names
}

/// A function's name as it may stand in a report: it comes from the file, which nobody has read.
fn shown(name: &str) -> String {
    const LONGEST: usize = 200;
    cut(&name.replace(char::is_control, "\u{fffd}"), LONGEST).into_owned()
}

/// Rust's functions between `panic!` and the trap tell an author nothing.
fn is_panic_machinery(name: &str) -> bool {
    ["__rust", "rust_panic", "rustc::", "core::panicking", "std::panicking", "std::process::abort", "std::sys"]
        .iter()
        .any(|start| name.starts_with(start))
        || name.contains("begin_panic")
        || name.contains("panic_impl")
}
