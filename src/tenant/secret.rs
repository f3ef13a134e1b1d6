//! The secret by which an origin knows its edge. Without one nothing is asked: it fails closed.
//!
//! The edge sends it; the origin compares it, in constant time, on every request, and believes the tenant's header only
//! behind it.

use std::fmt;

use http::{HeaderMap, HeaderValue};

use super::trusted::X_EDGE_AUTH;
use crate::crypto::constant_time_eq;

/// What stands for the secret on a developer's machine, where nothing is secret.
pub const LOCAL_SECRET: &str = "local-edge-secret";

/// A secret shared by an edge and its origin; never empty.
#[derive(Clone)]
pub struct EdgeSecret(HeaderValue);

/// There is no usable secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoSecret {
    /// None is set.
    #[error(
        "EDGE_SECRET is not set: set it as a secret of this Worker, or RATIO_LOCAL to \"true\" on a developer's machine"
    )]
    Missing,
    /// It cannot be sent as a header.
    #[error("EDGE_SECRET cannot be sent as a header's value: use visible ASCII characters")]
    Unusable,
}

impl EdgeSecret {
    /// The secret that is set, or the well-known one where `RATIO_LOCAL` is exactly `true`.
    ///
    /// Nothing else opens that door, `NODE_ENV` least of all: staging systems say the strangest things in it.
    pub fn resolve(edge_secret: Option<&str>, ratio_local: Option<&str>) -> Result<Self, NoSecret> {
        let text = match (edge_secret, ratio_local) {
            (Some(secret), _) if !secret.is_empty() => secret,
            (_, Some("true")) => LOCAL_SECRET,
            _ => return Err(NoSecret::Missing),
        };
        let mut value = HeaderValue::from_str(text).map_err(|_| NoSecret::Unusable)?;
        // A value with blanks at its ends arrives without them.
        if text.trim() != text {
            return Err(NoSecret::Unusable);
        }
        value.set_sensitive(true);
        Ok(Self(value))
    }

    /// The secret as a header's value.
    pub(super) fn header_value(&self) -> HeaderValue {
        self.0.clone()
    }

    /// Whether a request is this edge's, as an origin asks: exactly one secret, and the right one.
    pub fn verify(&self, headers: &HeaderMap) -> bool {
        let mut lines = headers.get_all(X_EDGE_AUTH).iter();
        match (lines.next(), lines.next()) {
            (Some(sent), None) => constant_time_eq(sent.as_bytes(), self.0.as_bytes()),
            _ => false,
        }
    }
}

impl fmt::Debug for EdgeSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EdgeSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_secret_it_fails_closed() {
        const LITERAL: Result<&str, NoSecret> = Ok(LOCAL_SECRET);
        const CLOSED: Result<&str, NoSecret> = Err(NoSecret::Missing);
        for (secret, local, expected) in [
            (Some("s3"), None, Ok("s3")),
            (Some("s3"), Some("true"), Ok("s3")),
            (Some("s3"), Some("false"), Ok("s3")),
            (None, Some("true"), LITERAL),
            (Some(""), Some("true"), LITERAL),
            (None, None, CLOSED),
            (Some(""), None, CLOSED),
            (None, Some("false"), CLOSED),
            (None, Some("1"), CLOSED),
            (None, Some("TRUE"), CLOSED),
            (None, Some(" true"), CLOSED),
            (Some("a\nb"), None, Err(NoSecret::Unusable)),
            (Some(" s3"), None, Err(NoSecret::Unusable)),
        ] {
            let resolved = EdgeSecret::resolve(secret, local).map(|secret| secret.0);
            let expected = expected.map(HeaderValue::from_static);
            assert_eq!(resolved, expected, "{secret:?} {local:?}");
        }
    }

    #[test]
    fn an_origin_takes_exactly_the_secret() {
        let secret = EdgeSecret::resolve(Some("s3"), None).unwrap();
        for (sent, expected) in [
            (&["s3"][..], true),
            (&[], false),
            (&[""], false),
            (&["s"], false),
            (&["s4"], false),
            (&["s33"], false),
            (&["S3"], false),
            (&["s3", "s3"], false),
        ] {
            let lines = sent
                .iter()
                .map(|value| (X_EDGE_AUTH, HeaderValue::from_static(value)));
            assert_eq!(secret.verify(&lines.collect()), expected, "{sent:?}");
        }
    }

    #[test]
    fn a_secret_does_not_show() {
        let secret = EdgeSecret::resolve(Some("s3"), None).unwrap();
        assert_eq!(
            format!("{secret:?} {:?}", secret.header_value()),
            "EdgeSecret Sensitive"
        );
    }
}
