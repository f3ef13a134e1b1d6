//! The program as people and programs meet it: what it prints, and the status it ends with.
//!
//! Snapshots hold the prose, so that a change of a message is read as one. `INSTA_UPDATE=always` accepts new ones.

#[cfg(test)]
mod check;
#[cfg(test)]
mod explain;
#[cfg(test)]
mod program;
#[cfg(test)]
mod schema;
