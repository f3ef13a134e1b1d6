//! Who is asking: what Cloudflare Access vouches for, and what the panel knows about that person.

mod access;
mod gate;
mod provision;
mod window;

pub(crate) use access::{Evidence, evidence};
pub(crate) use gate::{Admission, admit};
pub(crate) use provision::{Grant, ProvisionPolicy, Standing, Step, next_step};

use serde::{Deserialize, Serialize};

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Everything.
    Admin,
    /// Look.
    Viewer,
}

impl Role {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Viewer => "viewer",
        }
    }

    /// The role of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Admin, Self::Viewer]
            .into_iter()
            .find(|role| role.as_str() == name)
    }
}

/// A role that is not known is the lesser one.
impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self::named(&name).unwrap_or(Self::Viewer))
    }
}

/// A person who was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    pub(crate) id: u64,
    pub(crate) subject: String,
    pub(crate) role: Role,
}
