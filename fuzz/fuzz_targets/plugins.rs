//! See [`engine_fuzz::plugins`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engine_fuzz::plugins::run(data));
