//! Tests of the crate from outside, in one binary.

#[cfg(test)]
mod config;
mod docs;
