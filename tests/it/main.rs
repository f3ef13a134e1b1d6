//! Tests of the crate from outside, in one binary.

#[cfg(test)]
mod config;
#[cfg(test)]
mod docs;
