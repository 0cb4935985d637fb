//! The virtual WASI: what the runtimes of some languages ask for before any line of a plugin runs, given without a machine
//! behind it, so that a plugin stays pure.
//!
//! | interface (WASI 0.2) | what is behind it |
//! |---|---|
//! | clocks | stand still: the wall clock at the moment the arrival was due, the monotonic one at 0 |
//! | random | numbers from the arrival's seed; in `describe` and `configure` always the same |
//! | stdin | at its end |
//! | stdout, stderr | log lines: one a call, `info` and `error` |
//! | environment, arguments, preopened folders, terminals | none |
//! | polling | everything is ready at once |
//! | exit | a trap |
//! | files | cannot be reached: there is no folder to begin with |
//!
//! Sockets, HTTP and everything else are refused.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, ComponentType, Lift, Linker, LinkerInstance, Lower, Resource, ResourceType};
use wasmtime::{Engine, Error, Result, StoreContextMut};

use super::bindings::engine::workload::types::Level;
use super::limits::LOG_BYTES;
use super::room::Room;

/// How such an interface's name begins, and what its version is.
const PACKAGE: &str = "wasi:";
const VERSION: &str = "@0.2.";
/// The interfaces that are offered.
const OFFERED: [&str; 20] = [
    "cli/environment",
    "cli/exit",
    "cli/stderr",
    "cli/stdin",
    "cli/stdout",
    "cli/terminal-input",
    "cli/terminal-output",
    "cli/terminal-stderr",
    "cli/terminal-stdin",
    "cli/terminal-stdout",
    "clocks/monotonic-clock",
    "clocks/wall-clock",
    "filesystem/preopens",
    "filesystem/types",
    "io/error",
    "io/poll",
    "io/streams",
    "random/insecure",
    "random/insecure-seed",
    "random/random",
];
/// Bytes that a stream takes at once; more come in further calls.
const ROOM_TO_WRITE: u64 = LOG_BYTES as u64;
/// The most random bytes of one call.
const MOST_RANDOM: u64 = 1 << 20;

/// Host types of the resources. Only output streams have something behind them, told by their number.
struct Input;
struct Output;
struct Pollable;
struct IoError;
struct TerminalInput;
struct TerminalOutput;
struct Descriptor;
struct DirectoryEntryStream;

/// Numbers of the output streams.
const STDOUT: u32 = 1;
const STDERR: u32 = 2;

/// Why a stream gives or takes nothing.
#[derive(ComponentType, Lower, Lift)]
#[component(variant)]
enum StreamError {
    #[component(name = "last-operation-failed")]
    Failed(Resource<IoError>),
    #[component(name = "closed")]
    Closed,
}

/// A moment since the Unix epoch.
#[derive(ComponentType, Lower, Lift)]
#[component(record)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}

/// What one instance has of it.
#[derive(Default)]
pub(super) struct Virtual {
    /// Nanoseconds since the Unix epoch at which the iteration being called was due; 0 outside an arrival.
    pub(super) wall_time: u64,
    /// State of the random numbers.
    pub(super) random: u64,
    /// What the call has written.
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Virtual {
    /// The next number (`SplitMix64`: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn random_bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        if length > MOST_RANDOM {
            return Err(Error::msg(format!("asked for {length} random bytes at once, where {MOST_RANDOM} are given")));
        }
        let words = length.div_ceil(8);
        let mut bytes: Vec<u8> = (0..words).flat_map(|_| self.random().to_le_bytes()).collect();
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn write(&mut self, stream: u32, bytes: &[u8]) {
        let kept = if stream == STDERR { &mut self.stderr } else { &mut self.stdout };
        // A little more than a line may hold, so that the cut is seen and shown where the line is made.
        let room = (LOG_BYTES + 4).saturating_sub(kept.len()).min(bytes.len());
        kept.extend_from_slice(&bytes[..room]);
    }
}

impl Room {
    /// Makes log lines of what a call has written.
    pub(super) fn flush(&mut self) {
        for (level, stream) in [(Level::Info, STDOUT), (Level::Error, STDERR)] {
            let kept = if stream == STDERR { &mut self.wasi.stderr } else { &mut self.wasi.stdout };
            if !kept.is_empty() {
                let text = String::from_utf8_lossy(kept).trim_end().to_owned();
                kept.clear();
                if !text.is_empty() {
                    self.write_log(level, text);
                }
            }
        }
    }
}

/// Whether an import is one of those offered.
pub(super) fn offers(name: &str) -> bool {
    interface(name).is_some_and(|interface| OFFERED.contains(&interface))
}

/// The name between package and version, of an interface of WASI 0.2.
fn interface(name: &str) -> Option<&str> {
    let (interface, patch) = name.strip_prefix(PACKAGE)?.split_once(VERSION)?;
    // What came before 0.2.0 (`0.2.0-rc-…`) was another interface.
    patch.parse::<u32>().is_ok().then_some(interface)
}

/// A linker with what this component imports of it; none where it imports nothing of it.
///
/// # Errors
/// Where something cannot be defined, which is a fault of the engine.
pub(super) fn linker(linker: &Linker<Room>, engine: &Engine, component: &Component) -> Result<Option<Linker<Room>>> {
    let kind = component.component_type();
    let mut with = None;
    for (name, item) in kind.imports(engine) {
        let Some(wanted) = interface(name) else { continue };
        let linker = with.get_or_insert_with(|| linker.clone());
        let mut instance = linker.instance(name)?;
        define(&mut instance, wanted)?;
        if wanted == "filesystem/types"
            && let ComponentItem::ComponentInstance(item) = item.ty
        {
            for (name, item) in item.exports(engine) {
                if matches!(item.ty, ComponentItem::ComponentFunc(_)) {
                    instance.func_new(name, |_, _, _, _| Err(Error::msg("a plugin has no files")))?;
                }
            }
        }
    }
    Ok(with)
}

type Store<'a> = StoreContextMut<'a, Room>;

/// Defines the items of an interface.
fn define(at: &mut LinkerInstance<'_, Room>, interface: &str) -> Result<()> {
    match interface {
        "cli/environment" => {
            at.func_wrap("get-environment", |_, ()| Ok((Vec::<(String, String)>::new(),)))?;
            at.func_wrap("get-arguments", |_, ()| Ok((Vec::<String>::new(),)))?;
            at.func_wrap("initial-cwd", |_, ()| Ok((None::<String>,)))
        }
        "cli/exit" => {
            at.func_wrap("exit", |_, (status,): (std::result::Result<(), ()>,)| -> Result<()> {
                Err(Error::msg(format!("left by exit({})", u8::from(status.is_err()))))
            })?;
            at.func_wrap("exit-with-code", |_, (code,): (u8,)| -> Result<()> {
                Err(Error::msg(format!("left by exit({code})")))
            })
        }
        "cli/stdin" => at.func_wrap("get-stdin", |_, ()| Ok((Resource::<Input>::new_own(0),))),
        "cli/stdout" => at.func_wrap("get-stdout", |_, ()| Ok((Resource::<Output>::new_own(STDOUT),))),
        "cli/stderr" => at.func_wrap("get-stderr", |_, ()| Ok((Resource::<Output>::new_own(STDERR),))),
        "cli/terminal-input" => nothing::<TerminalInput>(at, "terminal-input"),
        "cli/terminal-output" => nothing::<TerminalOutput>(at, "terminal-output"),
        "cli/terminal-stdin" => at.func_wrap("get-terminal-stdin", |_, ()| Ok((None::<Resource<TerminalInput>>,))),
        "cli/terminal-stdout" => at.func_wrap("get-terminal-stdout", |_, ()| Ok((None::<Resource<TerminalOutput>>,))),
        "cli/terminal-stderr" => at.func_wrap("get-terminal-stderr", |_, ()| Ok((None::<Resource<TerminalOutput>>,))),
        "clocks/monotonic-clock" => {
            at.func_wrap("now", |_, ()| Ok((0_u64,)))?;
            at.func_wrap("resolution", |_, ()| Ok((1_u64,)))?;
            at.func_wrap("subscribe-instant", |_, (_,): (u64,)| Ok((ready(),)))?;
            at.func_wrap("subscribe-duration", |_, (_,): (u64,)| Ok((ready(),)))
        }
        "clocks/wall-clock" => {
            at.func_wrap("now", |store: Store<'_>, ()| Ok((moment(store.data().wasi.wall_time),)))?;
            at.func_wrap("resolution", |_, ()| Ok((moment(1),)))
        }
        "filesystem/preopens" => {
            at.func_wrap("get-directories", |_, ()| Ok((Vec::<(Resource<Descriptor>, String)>::new(),)))
        }
        "filesystem/types" => {
            nothing::<Descriptor>(at, "descriptor")?;
            nothing::<DirectoryEntryStream>(at, "directory-entry-stream")
        }
        "io/error" => {
            nothing::<IoError>(at, "error")?;
            at.func_wrap("[method]error.to-debug-string", |_, (_,): (Resource<IoError>,)| Ok((String::new(),)))
        }
        "io/poll" => {
            nothing::<Pollable>(at, "pollable")?;
            at.func_wrap("[method]pollable.ready", |_, (_,): (Resource<Pollable>,)| Ok((true,)))?;
            at.func_wrap("[method]pollable.block", |_, (_,): (Resource<Pollable>,)| Ok(()))?;
            at.func_wrap("poll", |_, (all,): (Vec<Resource<Pollable>>,)| {
                let every = (0_u32..).zip(&all).map(|(position, _)| position);
                Ok((every.collect::<Vec<u32>>(),))
            })
        }
        "io/streams" => streams(at),
        "random/random" => {
            at.func_wrap("get-random-bytes", random_bytes)?;
            at.func_wrap("get-random-u64", |mut store: Store<'_>, ()| Ok((store.data_mut().wasi.random(),)))
        }
        "random/insecure" => {
            at.func_wrap("get-insecure-random-bytes", random_bytes)?;
            at.func_wrap("get-insecure-random-u64", |mut store: Store<'_>, ()| Ok((store.data_mut().wasi.random(),)))
        }
        "random/insecure-seed" => at.func_wrap("insecure-seed", |mut store: Store<'_>, ()| {
            let wasi = &mut store.data_mut().wasi;
            Ok(((wasi.random(), wasi.random()),))
        }),
        _ => Ok(()),
    }
}

fn streams(at: &mut LinkerInstance<'_, Room>) -> Result<()> {
    type Wrote = std::result::Result<(), StreamError>;
    type Length = std::result::Result<u64, StreamError>;
    type Bytes = std::result::Result<Vec<u8>, StreamError>;
    nothing::<Input>(at, "input-stream")?;
    nothing::<Output>(at, "output-stream")?;
    for name in ["read", "blocking-read"] {
        at.func_wrap(&format!("[method]input-stream.{name}"), |_, (_, _): (Resource<Input>, u64)| {
            Ok((Bytes::Err(StreamError::Closed),))
        })?;
    }
    for name in ["skip", "blocking-skip"] {
        at.func_wrap(&format!("[method]input-stream.{name}"), |_, (_, _): (Resource<Input>, u64)| {
            Ok((Length::Err(StreamError::Closed),))
        })?;
    }
    at.func_wrap("[method]input-stream.subscribe", |_, (_,): (Resource<Input>,)| Ok((ready(),)))?;
    at.func_wrap("[method]output-stream.check-write", |_, (_,): (Resource<Output>,)| Ok((Length::Ok(ROOM_TO_WRITE),)))?;
    for name in ["write", "blocking-write-and-flush"] {
        at.func_wrap(
            &format!("[method]output-stream.{name}"),
            |mut store: Store<'_>, (stream, bytes): (Resource<Output>, Vec<u8>)| {
                store.data_mut().wasi.write(stream.rep(), &bytes);
                Ok((Wrote::Ok(()),))
            },
        )?;
    }
    for name in ["flush", "blocking-flush"] {
        at.func_wrap(&format!("[method]output-stream.{name}"), |_, (_,): (Resource<Output>,)| Ok((Wrote::Ok(()),)))?;
    }
    at.func_wrap("[method]output-stream.subscribe", |_, (_,): (Resource<Output>,)| Ok((ready(),)))?;
    for name in ["write-zeroes", "blocking-write-zeroes-and-flush"] {
        at.func_wrap(&format!("[method]output-stream.{name}"), |_, (_, _): (Resource<Output>, u64)| {
            Ok((Wrote::Ok(()),))
        })?;
    }
    for name in ["splice", "blocking-splice"] {
        at.func_wrap(
            &format!("[method]output-stream.{name}"),
            |_, (_, _, _): (Resource<Output>, Resource<Input>, u64)| Ok((Length::Err(StreamError::Closed),)),
        )?;
    }
    Ok(())
}

/// Defines a resource with nothing behind it.
fn nothing<T: 'static>(at: &mut LinkerInstance<'_, Room>, name: &str) -> Result<()> {
    at.resource(name, ResourceType::host::<T>(), |_, _| Ok(()))
}

fn ready() -> Resource<Pollable> {
    Resource::new_own(0)
}

fn moment(nanoseconds: u64) -> Datetime {
    const SECOND: u64 = 1_000_000_000;
    Datetime { seconds: nanoseconds / SECOND, nanoseconds: (nanoseconds % SECOND) as u32 }
}

fn random_bytes(mut store: Store<'_>, (length,): (u64,)) -> Result<(Vec<u8>,)> {
    Ok((store.data_mut().wasi.random_bytes(length)?,))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::plugin::Limits;

    #[test]
    fn what_is_written_beyond_a_line_is_cut_and_shows_it() {
        let mut room = Room::new(Arc::new(Limits::default()));
        for _ in 0..3 {
            room.wasi.write(STDOUT, &[b'a'; 2_000]);
        }
        room.wasi.write(STDERR, b"short\n");
        room.flush();
        let texts: Vec<&str> = room.log.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, [format!("{}\u{2026}", "a".repeat(LOG_BYTES)).as_str(), "short"]);
    }
}
