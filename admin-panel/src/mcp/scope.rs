//! What a token may be used for.

use serde::{Deserialize, Serialize};

/// One thing that a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Scope {
    /// Reading the draft and its preview.
    #[serde(rename = "config:read")]
    ConfigRead,
    /// Editing the draft.
    #[serde(rename = "config:write")]
    ConfigWrite,
    /// Reading the host names that lead to the proxy.
    #[serde(rename = "domains:read")]
    DomainsRead,
    /// Reading the audit log.
    #[serde(rename = "audit:read")]
    AuditRead,
}

/// All of them.
pub(crate) const SCOPES: [Scope; 4] = [
    Scope::ConfigRead,
    Scope::ConfigWrite,
    Scope::DomainsRead,
    Scope::AuditRead,
];

impl Scope {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ConfigRead => "config:read",
            Self::ConfigWrite => "config:write",
            Self::DomainsRead => "domains:read",
            Self::AuditRead => "audit:read",
        }
    }

    /// The scopes of a stored list; what is unknown in it counts for nothing.
    pub(crate) fn stored(text: &str) -> Vec<Self> {
        let names: Vec<serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
        SCOPES
            .into_iter()
            .filter(|scope| names.iter().any(|name| name == scope.as_str()))
            .collect()
    }

    /// The scopes that are asked for, in their own order: known ones, each once, and reading with writing. The error
    /// says what was expected.
    pub(crate) fn asked(names: &[String]) -> Result<Vec<Self>, String> {
        let known = SCOPES.map(Self::as_str).join(", ");
        if names.is_empty() {
            return Err(format!("scopes: expected at least one of {known}"));
        }
        for (index, name) in names.iter().enumerate() {
            if !SCOPES.iter().any(|scope| scope.as_str() == name) {
                return Err(format!("scopes: expected some of {known}; found {name:?}"));
            }
            if names.iter().take(index).any(|earlier| earlier == name) {
                return Err(format!("scopes: expected each once; found {name:?} twice"));
            }
        }
        let has = |scope: &Self| names.iter().any(|name| name == scope.as_str());
        let writes = has(&Self::ConfigWrite);
        Ok(SCOPES
            .into_iter()
            .filter(|scope| has(scope) || (writes && *scope == Self::ConfigRead))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_known_and_distinct_and_writing_includes_reading() {
        let asked = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            Scope::asked(&names).map_err(|_| ())
        };
        use Scope::{AuditRead, ConfigRead, ConfigWrite};
        assert_eq!(asked(&[]), Err(()));
        assert_eq!(asked(&["config:publish"]), Err(()));
        assert_eq!(asked(&["config:read", "config:read"]), Err(()));
        assert_eq!(asked(&["config:write"]), Ok(vec![ConfigRead, ConfigWrite]));
        assert_eq!(
            asked(&["audit:read", "config:read"]),
            Ok(vec![ConfigRead, AuditRead])
        );
    }

    #[test]
    fn what_is_stored_and_unknown_counts_for_nothing() {
        for (text, expected) in [
            (r#"["config:read"]"#, vec![Scope::ConfigRead]),
            (r#"["config:publish",1]"#, vec![]),
            (r#"{}"#, vec![]),
            ("", vec![]),
        ] {
            assert_eq!(Scope::stored(text), expected, "{text}");
        }
    }
}
