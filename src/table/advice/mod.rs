//! What an operator should hear about a table that is in order: keys and settings without effect, ids that stand twice,
//! routes nothing reaches, switches that are dangerous where they are not meant. It is data for the panel, the command
//! line and the log, and it never keeps a table from being served; the proxy itself does not ask for it.
//!
//! ```
//! use jouska::{config, table};
//!
//! let reading = config::read(
//!     r#"{ "routes": [
//!         { "id": "all", "match": { "path": "/" }, "upstream": "www.example.net", "bodyRewrite": {} },
//!         { "id": "api", "match": { "path": "/api" }, "upstream": "api.example.net" }
//!     ] }"#,
//! );
//! let document = reading.document.clone();
//! let compiled = table::compile(reading).unwrap();
//!
//! let advice = table::advise(&document, &compiled);
//! assert_eq!(advice[0].path, "routes[1].match");
//! assert_eq!(
//!     advice[0].message,
//!     "no request reaches this route: routes above it take everything it would take, such as \
//!      GET https://shadow-probe.invalid/api, which goes to \"all\". Move it above \"all\", or delete it"
//! );
//! ```

mod anatomy;
mod cover;
pub mod danger;
mod idle;
mod notes;
pub mod shadow;
mod witness;

pub use danger::{Level, Rule, dangers};
pub use idle::idle;
pub use notes::notes;
pub use shadow::{Shadow, shadows};
pub use witness::{Witness, WitnessHeader};

use serde::Serialize;
use serde_json::Value;

use super::Compiled;
use crate::{
    config::{Document, Path, Warning},
    matching::label,
};

/// One thing to hear about a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// Where in the document: `routes[1].match`.
    pub path: String,
    /// The route it is about, by its id or label; absent where it is about the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// What it is, for programs.
    #[serde(flatten)]
    pub kind: Kind,
    /// What it is, what comes of it and what can be done, for a person who is no programmer.
    pub message: String,
}

/// What advice is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Kind {
    /// A key that is not known and has no effect.
    UnknownKey {
        /// The known key it was most likely meant to be.
        #[serde(skip_serializing_if = "Option::is_none")]
        nearest: Option<String>,
    },
    /// No request reaches the route, because routes above it take all that it would.
    Shadowed {
        /// The route that takes the witness.
        by: String,
        /// A request that the shadowed route would take and the other one takes first.
        witness: Witness,
    },
    /// A setting without an effect where it stands.
    NoEffect,
    /// A route that goes by the id of one above it.
    SharedId {
        /// The place of the first that does, from 0.
        first: usize,
    },
    /// A switch that does harm where it is not meant.
    Danger {
        /// [`Rule::path`] of the rule that fires.
        rule: &'static str,
        /// How much harm.
        level: Level,
    },
    /// Values of the conditions' names tell stored answers apart.
    CacheVary {
        /// The names, each once, headers in lower case.
        names: Vec<String>,
    },
    /// Stored answers are found only by the very link they were fetched with.
    SignedLinkCache {
        /// The query parameter of the signature.
        param: String,
        /// The query parameter of the expiry.
        expires_param: String,
    },
    /// A route for a whole site leaves the site's absolute links alone.
    LinksNotRewritten {
        /// The authority the links lead to.
        upstream: String,
    },
}

/// Everything there is to hear about the table that was compiled from `document`.
pub fn advise(document: &Document, compiled: &Compiled) -> Vec<Advice> {
    let Compiled { table, warnings } = compiled;
    let mut advice: Vec<Advice> = warnings.iter().map(Advice::from).collect();
    advice.extend(idle(document));
    advice.extend(shadow::advise(document, table));
    advice.extend(risks(document));
    advice.extend(notes(document));
    advice
}

impl From<&Warning> for Advice {
    fn from(warning: &Warning) -> Self {
        let Warning { path, nearest } = warning;
        let said = warning.to_string();
        Self {
            path: path.clone(),
            route: None,
            kind: Kind::UnknownKey {
                nearest: nearest.clone(),
            },
            message: said
                .strip_prefix(&format!("{path}: "))
                .unwrap_or(&said)
                .to_owned(),
        }
    }
}

/// The dangers of the defaults and of every route, at their places.
fn risks(document: &Document) -> Vec<Advice> {
    let root = Path::root();
    let mut advice = Vec::new();
    if let Some(defaults) = &document.defaults {
        let definition = serde_json::to_value(defaults).unwrap_or_default();
        advice.extend(risks_at(&root.key("defaults"), None, &definition));
    }
    let at = root.key("routes");
    for (index, route) in document.routes.iter().enumerate() {
        let definition = serde_json::to_value(route).unwrap_or_default();
        let label = label(route, index);
        advice.extend(risks_at(&at.index(index), Some(label), &definition));
    }
    advice
}

fn risks_at(at: &Path<'_>, route: Option<String>, definition: &Value) -> Vec<Advice> {
    dangers(definition)
        .into_iter()
        .map(|rule| Advice {
            path: format!("{at}.{}", rule.place()),
            route: route.clone(),
            kind: Kind::Danger {
                rule: rule.path,
                level: rule.level,
            },
            message: rule.reason.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
