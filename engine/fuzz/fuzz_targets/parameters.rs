#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nettest_fuzz::parameters(data));
