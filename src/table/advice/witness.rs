//! A request that proves something about a table: a person can send it, and the matcher can be asked about it.

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde::Serialize;

use crate::message::{RequestHead, RequestUrl};

/// A request, as far as routes look at it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Witness {
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: String,
    /// Headers, cookies among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<WitnessHeader>,
}

/// One header of a witness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WitnessHeader {
    /// Its name, in lower case.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Witness {
    /// The request as the matcher reads it; `None` where a header could not be sent.
    pub fn head(&self) -> Option<RequestHead> {
        let mut headers = HeaderMap::new();
        for WitnessHeader { name, value } in &self.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).ok()?);
        }
        Some(RequestHead {
            method: Method::from_bytes(self.method.as_bytes()).ok()?,
            url: RequestUrl::parse(&self.url).ok()?,
            headers,
            has_body: false,
        })
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)?;
        for (index, WitnessHeader { name, value }) in self.headers.iter().enumerate() {
            let before = if index == 0 { " with" } else { " and" };
            write!(f, "{before} \"{name}: {value}\"")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn witness(value: &str) -> Witness {
        Witness {
            method: "GET".to_owned(),
            url: "https://a.b/x".to_owned(),
            headers: ["x-a", "x-b"]
                .map(|name| WitnessHeader {
                    name: name.to_owned(),
                    value: value.to_owned(),
                })
                .to_vec(),
        }
    }

    #[test]
    fn a_witness_is_told_as_a_person_would_send_it() {
        assert_eq!(
            witness("1").to_string(),
            "GET https://a.b/x with \"x-a: 1\" and \"x-b: 1\""
        );
    }

    #[test]
    fn what_cannot_be_sent_is_no_request() {
        assert_eq!(witness("1").head().unwrap().headers.len(), 2);
        assert!(witness("1\n2").head().is_none());
    }
}
