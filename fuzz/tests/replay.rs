//! The committed corpora, and a fixed number of seeded mutations of them, through the bodies of the targets: what CI runs
//! where nothing is built for fuzzing.

use std::fs;
use std::path::Path;

/// Mutations of each file, where `FUZZ_MUTATIONS` says nothing else.
const MUTATIONS: u64 = 20;
/// What the mutations are drawn from, where `FUZZ_SEED` says nothing else.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number of the environment.
fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a whole number"))
}

/// The files of a corpus, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| fs::read(path).expect("readable")).collect()
}

/// xorshift: the same numbers on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).expect("below a usize")
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).expect("a byte")
    }
}

/// A few changes of the kinds that libFuzzer makes.
fn mutate(mut bytes: Vec<u8>, other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(bytes.len() + 1);
        match numbers.below(6) {
            0 if at < bytes.len() => bytes[at] = numbers.byte(),
            1 if at < bytes.len() => bytes[at] ^= 1 << numbers.below(8),
            2 => bytes.insert(at, numbers.byte()),
            3 => {
                let end = (at + 1 + numbers.below(16)).min(bytes.len());
                bytes.drain(at..end.max(at));
            }
            4 => {
                let end = (at + 1 + numbers.below(64)).min(bytes.len());
                let copied = bytes[at..end.max(at)].to_vec();
                let to = numbers.below(bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
            _ => {
                let from = numbers.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
    bytes
}

fn replay(target: &str, run: fn(&[u8])) {
    let corpus = corpus(target);
    for bytes in &corpus {
        run(bytes);
    }
    // Never 0, which would stay 0.
    let mut numbers = Numbers(number("FUZZ_SEED", SEED) | 1 << 63);
    let mutations = number("FUZZ_MUTATIONS", MUTATIONS);
    for at in 0..corpus.len() {
        for _ in 0..mutations {
            let other = &corpus[numbers.below(corpus.len())];
            let bytes = mutate(corpus[at].clone(), other, &mut numbers);
            // Shown where it panics: the bytes of the finding.
            let shown = Shown(target, bytes.escape_ascii().to_string());
            run(&bytes);
            shown.hide();
        }
    }
}

/// Prints an input if it is dropped by a panic.
struct Shown<'a>(&'a str, String);

impl Shown<'_> {
    fn hide(self) {
        std::mem::forget(self);
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        eprintln!("the input of `{}` that does it: b\"{}\"", self.0, self.1);
    }
}

#[test]
fn scenarios_and_mutations_of_them_are_plans_or_refused_in_words() {
    replay("scenario", engine_fuzz::scenario::run);
}

#[test]
fn streams_and_mutations_of_them_are_the_same_however_they_are_cut() {
    replay("events", engine_fuzz::events::run);
}

#[test]
fn peers_and_mutations_of_them_end_every_exchange_once() {
    replay("websocket", engine_fuzz::websocket::run);
}

#[test]
fn scripts_of_plugins_and_mutations_of_them_leave_nothing_behind() {
    replay("actions", engine_fuzz::actions::run);
}

#[test]
fn the_bundled_plugins_take_events_and_mutations_of_them() {
    replay("plugins", engine_fuzz::plugins::run);
}
