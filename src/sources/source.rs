//! Places a document can be read from.

use std::time::Duration;

use crate::platform::Documents;

/// A place a document can be read from.
///
/// ```
/// use jouska::sources::Source;
///
/// // A table edited at run time wins; the deployment carries a fallback.
/// let source = Source::first_available([
///     Source::kv("CONFIG", "routes"),
///     Source::variable("JOUSKA_CONFIG"),
/// ]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// One key of a KV namespace.
    KeyValue {
        /// Name the namespace is bound under.
        binding: String,
        /// The key.
        key: String,
        /// How old a copy the store may serve from its own edge cache. KV's minimum is 30 seconds, its default 60;
        /// such a read costs the same as any other.
        cache_ttl: Option<Duration>,
    },
    /// A variable of the Worker: an object in the wrangler file or JSON text from the dashboard. A blank one is absent.
    Variable {
        /// Its name.
        name: String,
    },
    /// The first of these that has a document. Where no table is in use yet, one that cannot be read or whose document
    /// is refused is passed over and reported, so that a broken store does not mask a working one; where one is in use,
    /// it stays in use.
    FirstAvailable(Vec<Source>),
}

/// A source could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not read {place}: {cause}")]
pub struct SourceError {
    /// Which source.
    pub place: String,
    /// What went wrong.
    pub cause: String,
}

impl Source {
    /// The document under `key` of the KV namespace bound as `binding`.
    pub fn kv(binding: impl Into<String>, key: impl Into<String>) -> Self {
        Self::KeyValue {
            binding: binding.into(),
            key: key.into(),
            cache_ttl: None,
        }
    }

    /// The document in the variable `name`.
    pub fn variable(name: impl Into<String>) -> Self {
        Self::Variable { name: name.into() }
    }

    /// The first of `sources` that has a document.
    pub fn first_available(sources: impl IntoIterator<Item = Self>) -> Self {
        Self::FirstAvailable(sources.into_iter().collect())
    }

    /// The single places this source stands for, in order.
    pub fn places(&self) -> Vec<&Self> {
        match self {
            Self::FirstAvailable(sources) => sources.iter().flat_map(Self::places).collect(),
            place => vec![place],
        }
    }

    /// Reads the document's text; `None` where there is none. Of several places it reads the first that has one.
    ///
    /// # Errors
    /// If a place cannot be read before a document was found.
    pub async fn read<P: Documents>(&self, platform: &P) -> Result<Option<String>, SourceError> {
        for place in self.places() {
            let text = match place {
                Self::KeyValue {
                    binding,
                    key,
                    cache_ttl,
                } => platform
                    .read_key(binding, key, *cache_ttl)
                    .await
                    .map_err(|cause| SourceError {
                        place: format!("key {key:?} of the KV namespace {binding:?}"),
                        cause,
                    })?,
                Self::Variable { name } => platform.variable(name),
                Self::FirstAvailable(_) => None,
            };
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}
