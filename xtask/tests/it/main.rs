//! The set-up, the workflows and their steps, played against stand-ins for wrangler, curl and cargo.

#[cfg(test)]
mod deploy;
#[cfg(test)]
mod reset;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod workflow;
