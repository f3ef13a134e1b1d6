//! A whole document with anything in any one place.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jouska_fuzz::document_tree(data));
