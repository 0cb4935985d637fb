//! See [`engine_fuzz::events`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engine_fuzz::events::run(data));
