//! Timing presets: advice in a form that can be copied into a route.
//!
//! A preset is a template, not a reference. Nothing in a document points at one, and once copied its numbers are
//! ordinary fields. The presets move disjoint fields, so a route can be given both.
//!
//! ```
//! use jouska::config::{RouteDocument, presets};
//!
//! let mut route = RouteDocument::default();
//! for preset in &presets::PRESETS {
//!     preset.timing.apply(&mut route);
//! }
//! assert_eq!(route.timeout_ms, Some(90_000));
//! assert_eq!(route.stream_idle_timeout_ms, Some(180_000));
//! ```

use serde::Serialize;

use super::RouteDocument;

/// A preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub purpose: &'static str,
    /// The fields it fills; every other keeps its default.
    pub timing: Timing,
}

/// The fields a preset may fill. Serialized, they are what is copied into a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timing {
    /// See [`RouteDocument::timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// See [`RouteDocument::total_timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_timeout_ms: Option<u64>,
    /// See [`RouteDocument::first_chunk_timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_chunk_timeout_ms: Option<u64>,
    /// See [`RouteDocument::stream_idle_timeout_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_idle_timeout_ms: Option<u64>,
    /// See [`RouteDocument::retries`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
}

impl Timing {
    /// Writes its fields into a route.
    pub fn apply(self, route: &mut RouteDocument) {
        let Self {
            timeout_ms,
            total_timeout_ms,
            first_chunk_timeout_ms,
            stream_idle_timeout_ms,
            retries,
        } = self;
        for (field, value) in [
            (&mut route.timeout_ms, timeout_ms),
            (&mut route.total_timeout_ms, total_timeout_ms),
            (&mut route.first_chunk_timeout_ms, first_chunk_timeout_ms),
            (&mut route.stream_idle_timeout_ms, stream_idle_timeout_ms),
            (&mut route.retries, retries),
        ] {
            if value.is_some() {
                *field = value;
            }
        }
    }

    /// None of the fields.
    const NONE: Self = Self {
        timeout_ms: None,
        total_timeout_ms: None,
        first_chunk_timeout_ms: None,
        stream_idle_timeout_ms: None,
        retries: None,
    };
}

/// Every preset there is.
pub const PRESETS: [Preset; 2] = [
    Preset {
        name: "llm",
        purpose: "An upstream that thinks before it answers: a model behind an API, or one that has to wake up first.",
        timing: Timing {
            timeout_ms: Some(90_000),
            total_timeout_ms: Some(120_000),
            retries: Some(1),
            ..Timing::NONE
        },
    },
    Preset {
        name: "streaming",
        purpose: "An answer that arrives piece by piece over minutes, with long pauses.",
        timing: Timing {
            first_chunk_timeout_ms: Some(180_000),
            stream_idle_timeout_ms: Some(180_000),
            ..Timing::NONE
        },
    },
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn presets_move_disjoint_fields() {
        let [llm, streaming] = PRESETS.map(|preset| serde_json::to_value(preset.timing).unwrap());
        assert_eq!(
            llm,
            json!({ "timeoutMs": 90_000, "totalTimeoutMs": 120_000, "retries": 1 })
        );
        assert_eq!(
            streaming,
            json!({ "firstChunkTimeoutMs": 180_000, "streamIdleTimeoutMs": 180_000 })
        );
    }

    #[test]
    fn a_preset_fills_its_fields_and_leaves_the_others() {
        for preset in PRESETS {
            let mut route = RouteDocument {
                scheme: Some(crate::config::document::Scheme::Http),
                ..RouteDocument::default()
            };
            preset.timing.apply(&mut route);
            let mut expected = serde_json::to_value(preset.timing).unwrap();
            if let Value::Object(fields) = &mut expected {
                fields.insert("scheme".to_owned(), json!("http"));
            }
            assert_eq!(serde_json::to_value(route).unwrap(), expected);
        }
    }
}
