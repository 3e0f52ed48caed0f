#![no_main]

#[allow(dead_code, reason = "each target runs one of the functions")]
#[path = "../../crates/core/tests/targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::metrics(bytes));
