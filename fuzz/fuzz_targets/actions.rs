//! See [`engine_fuzz::actions`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engine_fuzz::actions::run(data));
