//! The route document: what a person writes. Every field is optional here; what is required, what a value may be and
//! what an absent one means is decided where a route is compiled.

use serde::Serialize;

use super::{
    Code, Path, Reported,
    json::Json,
    reader::{Block, Findings, FromJson, Members},
    wording::mismatch,
};

mod answer;
mod cache;
mod defaults;
mod forward;
mod guards;
mod headers;
mod matching;
mod rewrite;
mod route;

pub use answer::*;
pub use cache::*;
pub use defaults::*;
pub use forward::*;
pub use guards::*;
pub use headers::*;
pub use matching::*;
pub use rewrite::*;
pub use route::*;

/// Version of the document this build writes and reads.
pub const CONFIG_VERSION: u64 = 1;

/// Most routes of one document.
pub const MAX_ROUTES: usize = 5_000;

/// A whole route table: the JSON document an operator writes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Address of the JSON Schema, for editors that complete and check while one types. Nothing else reads it.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Version of the format. A document of a version this build does not know is refused, not guessed at. Default:
    /// 1.
    #[cfg_attr(feature = "schema", schemars(extend("const" = 1, "default" = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Who wrote the document, and when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Values for every route that does not state its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Defaults>,
    /// Settings of the response cache for the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<TableCache>,
    /// The routes, in order: the first that matches takes the request, so a narrow route stands above a wide one.
    /// From 1 to 5,000.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 5_000)))]
    pub routes: Vec<RouteDocument>,
}

impl Block for Document {
    fn read(members: &mut Members<'_>) -> Self {
        let frame = Self::frame(members);
        if !frame.is_readable() {
            return frame;
        }
        Self {
            routes: routes(members),
            ..frame
        }
    }
}

impl Document {
    /// Whether this build knows what the document means.
    pub(crate) fn is_readable(&self) -> bool {
        self.version.is_none_or(|version| version == CONFIG_VERSION)
    }

    /// Reads all but the routes.
    pub(super) fn frame(members: &mut Members<'_>) -> Self {
        let schema = members.take("$schema");
        let version = members.take("version");
        if let Some(other) = version.filter(|version| *version != CONFIG_VERSION) {
            members.report(
                "version",
                Code::Version,
                format!(
                    "expected {CONFIG_VERSION}, the only version this build can read; found {other}. Update the proxy before publishing a newer document"
                ),
            );
            // What another version means by the rest is not known here.
            members.discard();
            return Self {
                version,
                ..Self::default()
            };
        }
        Self {
            schema,
            version,
            meta: members.take("meta"),
            defaults: members.take("defaults"),
            cache: members.take("cache"),
            routes: Vec::new(),
        }
    }
}

fn routes(members: &mut Members<'_>) -> Vec<RouteDocument> {
    let missing = "expected a list of routes; found nothing. Write \"routes\": [...]";
    let routes: Vec<RouteDocument> = members.require("routes", missing).unwrap_or_default();
    if routes.len() <= MAX_ROUTES {
        return routes;
    }
    members.report(
        "routes",
        Code::TooLarge,
        format!(
            "expected at most {MAX_ROUTES} routes; found {}. Divide them between several Workers",
            routes.len()
        ),
    );
    Vec::new()
}

/// Settings of the response cache for the whole table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TableCache {
    /// Any text. Writing another one leaves everything behind that any route has stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
}

impl Block for TableCache {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            epoch: members.take("epoch"),
        }
    }
}

/// A revision, as a whole number or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Revision {
    /// A whole number.
    Number(u64),
    /// A text of at least one character.
    Text(String),
}

impl FromJson for Revision {
    fn from_json(
        value: Json<'_>,
        at: &Path<'_>,
        findings: &mut Findings,
    ) -> Result<Self, Reported> {
        match value {
            Json::Number(_) => u64::from_json(value, at, findings).map(Self::Number),
            Json::Text(text) => Ok(Self::Text(text.to_owned())),
            other => {
                let expected = "a whole number or a text in quotation marks";
                Err(mismatch(&other, expected, None, at, &mut findings.issues))
            }
        }
    }
}

/// Who wrote the document, and when. It is carried along and no decision reads it.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// When it was written, as text; usually an RFC 3339 time.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Who wrote it, in whatever form the writer uses.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
    /// Which revision this is, as a whole number or a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// Why it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Block for Meta {
    fn read(members: &mut Members<'_>) -> Self {
        Self {
            updated_at: members.take("updatedAt"),
            updated_by: members.take("updatedBy"),
            revision: members.take("revision"),
            note: members.take("note"),
        }
    }
}

#[cfg(test)]
pub(crate) mod samples {
    //! A document that states every field there is. It is well-formed, not sensible.

    use super::Document;

    pub(crate) const EVERYTHING: &str = include_str!("everything.json");

    pub(crate) fn everything() -> Document {
        crate::config::parse(EVERYTHING).unwrap().document
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_sample_states_every_field() {
        let document = format!("{:?}", samples::everything());
        let absent: Vec<&str> = document
            .match_indices(": None")
            .map(|(end, _)| document[..end].rsplit(' ').next().unwrap())
            .collect();
        assert_eq!(absent, Vec::<&str>::new());
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let written: Value = serde_json::from_str(samples::EVERYTHING).unwrap();
        let parsed = crate::config::parse(samples::EVERYTHING).unwrap();
        assert_eq!(parsed.warnings, []);
        assert_eq!(serde_json::to_value(&parsed.document).unwrap(), written);
    }
}
