//! Whose a domain is: in D1, or with the feature `hyperdrive` in PostgreSQL.

#[cfg(not(feature = "hyperdrive"))]
mod d1;
#[cfg(feature = "hyperdrive")]
mod hyperdrive;

#[cfg(not(feature = "hyperdrive"))]
pub(crate) use d1::Database;
#[cfg(feature = "hyperdrive")]
pub(crate) use hyperdrive::Database;
