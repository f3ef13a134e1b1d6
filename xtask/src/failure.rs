//! How a command of the workspace fails: what is missing or went wrong, and what would mend it.

use std::fmt;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    mend: Option<String>,
}

impl Failure {
    /// A failure that its own words explain.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            mend: None,
        }
    }

    /// Adds what a person can do about it. The first advice given stands: it is the nearest to the cause.
    pub(crate) fn mend(mut self, advice: impl Into<String>) -> Self {
        self.mend.get_or_insert_with(|| advice.into());
        self
    }

    /// Puts what was being done in front of the cause.
    pub(crate) fn during(mut self, action: &str) -> Self {
        self.what = format!("{action}: {}", self.what);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.mend {
            Some(advice) => write!(f, "\n  to mend it: {advice}"),
            None => Ok(()),
        }
    }
}
