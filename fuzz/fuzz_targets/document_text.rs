//! Any bytes, taken for the text of a document.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jouska_fuzz::document_text(data));
