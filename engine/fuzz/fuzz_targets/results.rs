#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nettest_fuzz::peer_results(data));
