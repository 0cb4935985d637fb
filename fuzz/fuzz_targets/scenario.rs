//! See [`engine_fuzz::scenario`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engine_fuzz::scenario::run(data));
