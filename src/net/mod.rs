//! Names and addresses: hosts a rule speaks of, upstreams a route names.

pub mod host;
pub mod ip;
pub mod upstream;

pub use host::HostPattern;
pub use upstream::Upstream;
