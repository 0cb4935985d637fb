//! See [`engine_fuzz::websocket`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engine_fuzz::websocket::run(data));
