//! Guests written by hand in WebAssembly text, to do what no compiler would: wrong pointers, wrong discriminants, handles
//! that are not theirs.
//!
//! A [`Guest`] behaves well until a part of it is replaced: it sends one GET, and is right when the answer has come.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Where the guest's texts and records begin in its memory.
const IMAGE: usize = 1_024;
/// Where its allocator begins: what is laid out in front of it has 60 KiB.
const HEAP: usize = 65_536;

/// The exports, with their parameters as the canonical ABI has them.
const EXPORTS: [(&str, &str); 14] = [
    ("describe", "(result i32)"),
    (
        "[static]plan.configure",
        "(param $config i32) (param $config_len i32) (param $shared i32) (param i32 i32) (result i32)",
    ),
    ("[method]plan.setup", "(param $self i32) (result i32)"),
    ("[method]plan.teardown", "(param $self i32) (result i32)"),
    (
        "[method]plan.start",
        "(param $self i32) (param $sequence i64) (param $index i64) (param $seed i64) (param $client i64) \
         (param $wall i64) (param $phase i32) (param $phase_len i32) (param $row i32) (param i32 i32) (result i32)",
    ),
    (
        "[method]iteration.on-response",
        "(param $self i32) (param $exchange i32) (param $status i32) (param i32 i32) (param $body i32) \
         (param $body_len i32) (param $size i64)",
    ),
    ("[method]iteration.on-head", "(param $self i32) (param $exchange i32) (param $status i32) (param i32 i32)"),
    ("[method]iteration.on-open", "(param $self i32) (param $exchange i32) (param i32 i32 i32 i32)"),
    ("[method]iteration.on-items", "(param $self i32) (param $exchange i32) (param i32 i32)"),
    ("[method]iteration.on-end", "(param $self i32) (param $exchange i32) (param $end i32) (param i32 i32 i32)"),
    ("[method]iteration.on-failure", "(param $self i32) (param $exchange i32) (param i32 i32 i32 i32)"),
    ("[method]iteration.on-timer", "(param $self i32) (param $timer i32)"),
    ("[dtor]iteration", "(param $self i32)"),
    ("[dtor]plan", "(param $self i32)"),
];

/// The imports, by the name the text calls them.
const IMPORTS: [(&str, &str, &str); 20] = [
    ("actions", "register-blob", "(param i32 i32) (result i32)"),
    ("actions", "send", "(param i32) (result i32)"),
    (
        "actions",
        "open",
        "(param i32 i32 i32) (param i32 i32 i32) (param i32 i32) (param i32 i32) (param i32 i32) (param i32 i32) \
         (param i32 i64) (result i32)",
    ),
    ("actions", "write", "(param i32 i32 i32 i32)"),
    ("actions", "close", "(param i32 i32 i32 i32)"),
    ("actions", "cancel", "(param i32)"),
    ("actions", "wait", "(param i64) (result i32)"),
    ("actions", "clear", "(param i32)"),
    ("actions", "mark", "(param i32 i32 i32 i32)"),
    ("actions", "count", "(param i32 i64)"),
    ("actions", "observe", "(param i32 f64)"),
    ("actions", "check", "(param i32 i32)"),
    ("actions", "share", "(param i32 i32)"),
    ("actions", "log", "(param i32 i32 i32)"),
    ("actions", "finish", "(param i32 i32 i32)"),
    ("own", "[resource-new]plan", "(param i32) (result i32)"),
    ("own", "[resource-new]iteration", "(param i32) (result i32)"),
    ("own", "[resource-drop]iteration", "(param i32)"),
    ("own", "[resource-rep]iteration", "(param i32) (result i32)"),
    ("own", "[resource-drop]plan", "(param i32)"),
];

/// Reserves without ever freeing: guests live for a few calls.
const REALLOC: &str = "
    (local $at i32)
    (local.set $at (i32.and
        (i32.add (global.get $heap) (i32.sub (local.get $align) (i32.const 1)))
        (i32.sub (i32.const 0) (local.get $align))))
    (global.set $heap (i32.add (local.get $at) (local.get $size)))
    (block $enough (loop $grow
        (br_if $enough (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
        (br_if $grow (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))
        unreachable))
    (local.get $at)";

/// Bytes at known places of the guest's memory.
#[derive(Default)]
pub(crate) struct Image {
    bytes: Vec<u8>,
}

impl Image {
    /// Lays bytes down at an address that 8 divides.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> u32 {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = IMAGE + self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        assert!(IMAGE + self.bytes.len() <= HEAP, "the image is full");
        u32::try_from(at).expect("a small image")
    }

    /// A text: its place and length.
    pub(crate) fn text(&mut self, text: &[u8]) -> [u32; 2] {
        [self.bytes(text), u32::try_from(text.len()).expect("a short text")]
    }

    /// Words, such as a record.
    pub(crate) fn words(&mut self, words: &[u32]) -> u32 {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    /// The record `request`: a GET of `/` whose answer is handed over whole, up to 1 MiB.
    pub(crate) fn get(&mut self) -> Request {
        let method = self.text(b"GET");
        let path = self.text(b"/");
        let mut words = [0_u32; 28];
        words[3..5].copy_from_slice(&method);
        words[8..10].copy_from_slice(&path);
        words[15] = 1;
        words[16] = 1 << 20;
        Request(words)
    }

    /// The list of pairs of texts, such as `fields`: its place and length.
    pub(crate) fn pairs(&mut self, pairs: &[(&[u8], &[u8])]) -> [u32; 2] {
        let words: Vec<u32> =
            pairs.iter().flat_map(|(name, value)| [self.text(name), self.text(value)]).flatten().collect();
        [self.words(&words), u32::try_from(pairs.len()).expect("few")]
    }
}

/// The record `request` in words of four bytes, as it lies in memory.
pub(crate) struct Request(pub(crate) [u32; 28]);

impl Request {
    /// The words of each part.
    pub(crate) const NAME: usize = 0;
    pub(crate) const METHOD: usize = 3;
    pub(crate) const AUTHORITY: usize = 5;
    pub(crate) const PATH: usize = 8;
    pub(crate) const FIELDS: usize = 10;
    pub(crate) const BODY: usize = 12;
    pub(crate) const READ: usize = 15;
    pub(crate) const WANTED: usize = 17;
    pub(crate) const REDIRECTS: usize = 20;
    pub(crate) const EXTENSIONS: usize = 22;

    /// Replaces words from `at` on.
    pub(crate) fn with(mut self, at: usize, words: &[u32]) -> Self {
        self.0[at..at + words.len()].copy_from_slice(words);
        self
    }
}

/// A guest to be.
pub(crate) struct Guest {
    pub(crate) image: Image,
    /// Bodies of exported functions.
    bodies: BTreeMap<&'static str, String>,
    /// Further imports of the module, and further definitions.
    imports: String,
    more: String,
    realloc: String,
    pages: usize,
    /// What it imports that is no interface of plugins, as items of a world and as WIT.
    foreign: Option<(Vec<&'static str>, String)>,
}

impl Guest {
    /// One that behaves well.
    pub(crate) fn new() -> Self {
        let mut image = Image::default();
        let request = image.get();
        let request = image.words(&request.0);
        let name = image.text(b"raw");
        let version = image.text(b"1");
        let mark = image.text(b"seen");
        let metrics = image.words(&[mark[0], mark[1], 0, 0, 0, 0, 0]);
        let words = [name, version, [0, 0], [metrics, 1], [0, 0]].concat();
        let description = image.words(&words);
        let configured = image.words(&[0, 0]);
        let none = image.words(&[0, 0]);
        let mut guest = Self {
            image,
            bodies: BTreeMap::new(),
            imports: String::new(),
            more: String::new(),
            realloc: REALLOC.to_owned(),
            pages: 2,
            foreign: None,
        };
        for (export, body) in [
            ("describe", format!("(i32.const {description})")),
            (
                "[static]plan.configure",
                format!(
                    "(i32.store (i32.const {}) (call $new_plan (i32.const 7))) (i32.const {configured})",
                    configured + 4
                ),
            ),
            ("[method]plan.setup", format!("(i32.const {none})")),
            ("[method]plan.teardown", format!("(i32.const {none})")),
            (
                "[method]plan.start",
                format!(
                    "(drop (call $send (i32.const {request}))) (call $new_iteration (i32.wrap_i64 (local.get $index)))"
                ),
            ),
            ("[method]iteration.on-response", "(call $finish (i32.const 0) (i32.const 0) (i32.const 0))".to_owned()),
            (
                "[method]iteration.on-failure",
                "(call $finish (i32.const 3) (local.get $exchange) (i32.const 0))".to_owned(),
            ),
        ] {
            guest.bodies.insert(export, body);
        }
        guest
    }

    /// Replaces the body of an exported function.
    pub(crate) fn body(mut self, export: &'static str, text: &str) -> Self {
        assert!(EXPORTS.iter().any(|(name, _)| *name == export), "there is no export {export}");
        self.bodies.insert(export, text.to_owned());
        self
    }

    /// Runs `text` first in an exported function, for every third arrival only (the third, the sixth …).
    pub(crate) fn every_third(self, export: &'static str, text: &str) -> Self {
        let which =
            if export == "[method]plan.start" { "(i32.wrap_i64 (local.get $index))" } else { "(local.get $self)" };
        self.first(export, &format!("(if (i32.eq (i32.rem_u {which} (i32.const 3)) (i32.const 2)) (then {text}))"))
    }

    /// Runs `text` first in an exported function.
    pub(crate) fn first(mut self, export: &'static str, text: &str) -> Self {
        let body = self.bodies.entry(export).or_default();
        *body = format!("{text}\n{body}");
        self
    }

    /// Replaces the function by which the host reserves memory in the guest.
    pub(crate) fn realloc(mut self, text: &str) -> Self {
        text.clone_into(&mut self.realloc);
        self
    }

    /// Adds definitions to the module.
    pub(crate) fn define(mut self, text: &str) -> Self {
        self.more.push_str(text);
        self
    }

    /// What `start` asks for, built from a good GET.
    pub(crate) fn asking(mut self, change: impl FnOnce(&mut Image, Request) -> Request) -> Self {
        let request = self.image.get();
        let request = change(&mut self.image, request);
        let request = self.image.words(&request.0);
        self.body(
            "[method]plan.start",
            &format!("(drop (call $send (i32.const {request}))) (call $new_iteration (i32.const 0))"),
        )
    }

    /// Imports `item`, which `wit` declares, and calls it as the module's function `from` `name`.
    pub(crate) fn importing(self, item: &'static str, wit: String, from: &str, name: &str) -> Self {
        let import = format!("(import \"{from}\" \"{name}\" (func $foreign))");
        self.importing_all(vec![item], wit, &import).first("[method]plan.start", "(call $foreign)")
    }

    /// Imports items that `wit` declares, by `imports` of the module.
    pub(crate) fn importing_all(mut self, items: Vec<&'static str>, wit: String, imports: &str) -> Self {
        self.foreign = Some((items, wit));
        self.imports.push_str(imports);
        self
    }

    /// Pages of 64 KiB it begins with.
    pub(crate) fn pages(mut self, pages: usize) -> Self {
        self.pages = pages;
        self
    }

    /// The module's text.
    fn text(&self) -> String {
        let mut text = String::from("(module\n");
        for (from, name, kind) in IMPORTS {
            let module = match from {
                "own" => "[export]engine:workload/workload@0.1.0",
                _ => "engine:workload/actions@0.1.0",
            };
            let called = name.trim_start_matches("[resource-").replace([']', '-'], "_");
            let _ = writeln!(text, "(import \"{module}\" \"{name}\" (func ${called} {kind}))");
        }
        text.push_str(&self.imports);
        let _ = writeln!(text, "(memory (export \"memory\") {})", self.pages);
        let _ = writeln!(text, "(global $heap (mut i32) (i32.const {HEAP}))");
        let _ = writeln!(
            text,
            "(func (export \"cabi_realloc\") (param $old i32) (param $had i32) (param $align i32) (param $size i32) \
             (result i32) {})",
            self.realloc
        );
        for (export, kind) in EXPORTS {
            let body = self.bodies.get(export).map_or("", String::as_str);
            let _ = writeln!(text, "(func (export \"engine:workload/workload@0.1.0#{export}\") {kind} {body})");
        }
        let image: String = self.image.bytes.iter().fold(String::new(), |mut image, byte| {
            let _ = write!(image, "\\{byte:02x}");
            image
        });
        let _ = writeln!(text, "(data (i32.const {IMAGE}) \"{image}\")\n{}\n)", self.more);
        text
    }

    /// The component.
    pub(crate) fn component(&self) -> Vec<u8> {
        let text = self.text();
        let mut module = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut resolve = Resolve::default();
        let wit = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../wit"));
        let (mut package, _) = resolve.push_dir(wit).expect("the interface");
        let mut world = "plugin";
        if let Some((items, wit)) = &self.foreign {
            let items = items.join("; import ");
            let text = format!(
                "package test:foreign;\nworld foreign {{ include engine:workload/plugin@0.1.0; import {items}; }}\n{wit}"
            );
            package = resolve.push_str("foreign.wit", &text).expect("what it imports");
            world = "foreign";
        }
        let world = resolve.select_world(&[package], Some(world)).expect("the world");
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("its metadata");
        ComponentEncoder::default().module(&module).and_then(|mut encoder| encoder.encode()).expect("a component")
    }
}
