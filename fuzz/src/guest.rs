//! A plugin that follows a script, and the writer of its scripts.
//!
//! The script is memory of the guest: at [`BASE`] a list of calls of 136 bytes each (the number of the call in the first
//! byte, 16 arguments of eight bytes from the ninth on), after it whatever the arguments point to. It is handed over as
//! the configuration, where two letters of `a` to `p` are a byte, behind four bytes that say how long the list is.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use engine::plugin::{Host, Limits, Plugin};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Where the script lies in the guest's memory.
const BASE: u32 = 0x1_0000;
/// Bytes of one call.
const CALL: usize = 136;

/// The guest, compiled once in a process.
pub(crate) fn plugin() -> &'static Arc<Plugin> {
    static PLUGIN: OnceLock<(Host, Arc<Plugin>)> = OnceLock::new();
    let make = || {
        // Small enough that a script comes upon them; the deadline alone is generous, for it is the one that depends on
        // how busy the machine is.
        let limits = Limits {
            call: Duration::from_secs(5),
            memory: 2 << 20,
            instances: 2,
            iterations: 5,
            list: 40,
            string: 4 << 10,
        };
        let host = Host::new(limits, None).expect("a host");
        let plugin = host.load_bytes("scripted.wasm".as_ref(), &component()).expect("it is a plugin");
        (host, Arc::new(plugin))
    };
    &PLUGIN.get_or_init(make).1
}

fn component() -> Vec<u8> {
    let mut module = wat::parse_str(include_str!("guest.wat")).expect("it is WebAssembly");
    let mut resolve = Resolve::default();
    let package = resolve.push_str("workload.wit", include_str!("../../wit/workload.wit")).expect("an interface");
    let world = resolve.select_world(&[package], Some("plugin")).expect("a world");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("its types fit");
    ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .expect("a component")
}

/// The number of a call in a script.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Call {
    /// Back to the engine; the next event goes on from here.
    Yield,
    Send,
    Open,
    Write,
    Close,
    Cancel,
    Wait,
    Clear,
    Mark,
    Count,
    Observe,
    Check,
    Share,
    Log,
    Finish,
    Blob,
    Trap,
    /// From the beginning of the list.
    Again,
}

/// Writes a script.
#[derive(Default)]
pub(crate) struct Script {
    calls: Vec<(Call, Vec<u64>)>,
    data: Vec<u8>,
    /// Where the data begins: after this many calls.
    room: usize,
}

impl Script {
    /// A script of at most `room` calls.
    pub(crate) fn new(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    /// Appends a call; those beyond the room are left out.
    pub(crate) fn call(&mut self, call: Call, arguments: impl IntoIterator<Item = u64>) {
        if self.calls.len() < self.room {
            self.calls.push((call, arguments.into_iter().take(16).collect()));
        }
    }

    /// Puts bytes into the guest's memory. Where, and how many.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> [u64; 2] {
        [self.put(bytes), bytes.len() as u64]
    }

    /// Puts bytes at a place that is a multiple of eight. Where.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> u64 {
        let at = u64::from(BASE) + (self.room * CALL + self.data.len()) as u64;
        self.data.extend_from_slice(bytes);
        self.data.resize(self.data.len().next_multiple_of(8), 0);
        at
    }

    /// A list of strings. Where, and how many.
    pub(crate) fn strings(&mut self, strings: &[&str]) -> [u64; 2] {
        let places: Vec<u8> = strings.iter().flat_map(|text| pair(self.bytes(text.as_bytes()))).collect();
        [self.put(&places), strings.len() as u64]
    }

    /// A list of fields. Where, and how many.
    pub(crate) fn fields(&mut self, fields: &[(&str, &str)]) -> [u64; 2] {
        let flat: Vec<&str> = fields.iter().flat_map(|(name, value)| [*name, *value]).collect();
        let [at, _] = self.strings(&flat);
        [at, fields.len() as u64]
    }

    /// As the guest's configuration.
    pub(crate) fn config(&self) -> String {
        let length = u32::try_from(self.calls.len() * CALL).unwrap_or(u32::MAX);
        let mut image = length.to_le_bytes().to_vec();
        for (call, arguments) in &self.calls {
            let begin = image.len();
            image.push(*call as u8);
            image.resize(begin + 8, 0);
            image.extend(arguments.iter().flat_map(|argument| argument.to_le_bytes()));
            image.resize(begin + CALL, 0);
        }
        image.resize(4 + self.room * CALL, 0);
        image.extend_from_slice(&self.data);
        image.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|nibble| char::from(b'a' + nibble)).collect()
    }
}

/// Pointer and length as they lie in memory.
pub(crate) fn pair([at, length]: [u64; 2]) -> Vec<u8> {
    [at, length].iter().flat_map(|number| number.to_le_bytes()[..4].to_vec()).collect()
}
