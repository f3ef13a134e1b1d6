//! From a source to a table.
//!
//! An isolate that has a table in use keeps it when a load fails. One that has none takes the first table it can get:
//! a place that cannot be read, or whose document is refused, is reported and passed over.

use std::{fmt, sync::Arc};

use serde_json::Value;

use super::{Source, SourceError};
use crate::{
    config::{self, ConfigError, Document},
    platform::Documents,
    table::{self, Compiled, MergeMode},
};

/// Where a table is read from, and the one in code that stands in front of it.
#[derive(Debug, Clone)]
pub struct TableSource {
    source: Source,
    /// Behind a trait, so that a Worker which puts nothing in front carries no merging and no writing of documents.
    code: Option<Arc<dyn InFront>>,
}

/// A table that stands in front of what a source holds.
trait InFront: fmt::Debug + Send + Sync {
    /// Whether the source does not count.
    fn replaces(&self) -> bool;

    /// The table without the source's.
    fn alone(&self) -> Result<Compiled, ConfigError>;

    /// The table together with a source's text.
    fn before(&self, text: &str) -> Result<Compiled, ConfigError>;
}

/// A table that was loaded.
#[derive(Debug)]
pub struct Loaded {
    /// The table, and what is written in it without having an effect.
    pub compiled: Compiled,
    /// What the source holds; `None` where all of the table is in code.
    pub text: Option<String>,
}

/// A table in code, checked.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    document: Document,
    mode: MergeMode,
}

impl Code {
    pub(crate) fn check(document: &Document, mode: MergeMode) -> Result<Self, ConfigError> {
        let reading = config::read_value(json(document)?);
        checked(reading).map(|document| Self { document, mode })
    }
}

impl InFront for Code {
    fn replaces(&self) -> bool {
        matches!(self.mode, MergeMode::Replace)
    }

    fn alone(&self) -> Result<Compiled, ConfigError> {
        table::compile(config::read_value(json(&self.document)?))
    }

    fn before(&self, text: &str) -> Result<Compiled, ConfigError> {
        let remote = config::read(text);
        let told = remote.warnings.clone();
        let remote = checked(remote)?;
        match table::resolve_config(Some(Ok(self.document.clone())), Some(Ok(remote)), self.mode) {
            Ok(resolved) => {
                let mut compiled = table::compile(config::read_value(json(&resolved.document)?))?;
                // Only a document as it was written still has the keys nobody knows.
                compiled.warnings.extend(told);
                Ok(compiled)
            }
            // Both sides were checked, so nothing is left to be wrong with them together.
            Err(_) => table::compile_text(text),
        }
    }
}

/// There is no table to answer by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The document was read and is refused.
    #[error("the route table is refused:\n{0}")]
    Invalid(ConfigError),
    /// The source could not be read.
    #[error(transparent)]
    Unreadable(#[from] SourceError),
    /// The source holds no document.
    #[error("no route table was found in {0:?}; write one there")]
    Missing(Source),
}

impl TableSource {
    /// What is read from `source` alone.
    pub const fn new(source: Source) -> Self {
        Self { source, code: None }
    }

    /// Puts `code` in front of what the source holds, as [`table::resolve_config`] says.
    ///
    /// # Errors
    /// The issues of `code`, all of them.
    pub fn with_code(mut self, code: &Document, mode: MergeMode) -> Result<Self, ConfigError> {
        self.put_in_front(Code::check(code, mode)?);
        Ok(self)
    }

    pub(crate) fn put_in_front(&mut self, code: Code) {
        self.code = Some(Arc::new(code));
    }

    /// Loads the first table that can be had. `in_use` says whether the isolate has one already, which is better than
    /// any fallback: then the first failure is the answer. Otherwise it is handed to `passed_over` and the next place
    /// is asked, and the table in code stands when everything else is gone or broken.
    ///
    /// # Errors
    /// The last failure, where nothing is left to fall back on.
    pub async fn load<P: Documents>(
        &self,
        platform: &P,
        in_use: bool,
        passed_over: impl Fn(&TableError),
    ) -> Result<Loaded, TableError> {
        if let Some(code) = self.code.as_ref().filter(|code| code.replaces()) {
            return alone(&**code);
        }
        let mut failure: Option<TableError> = None;
        for place in self.source.places() {
            let loaded = match place.read(platform).await {
                Ok(None) => continue,
                Ok(Some(text)) => match self.combined(&text) {
                    Ok(compiled) => Ok(Loaded {
                        compiled,
                        text: Some(text),
                    }),
                    Err(refused) => Err(TableError::Invalid(refused)),
                },
                Err(error) => Err(TableError::Unreadable(error)),
            };
            match loaded {
                Err(error) if !in_use => {
                    if let Some(earlier) = failure.replace(error) {
                        passed_over(&earlier);
                    }
                }
                loaded => {
                    if let Some(earlier) = &failure {
                        passed_over(earlier);
                    }
                    return loaded;
                }
            }
        }
        match (&self.code, failure) {
            (Some(code), failure) => {
                if let Some(error) = &failure {
                    passed_over(error);
                }
                alone(&**code)
            }
            (None, Some(failure)) => Err(failure),
            (None, None) => Err(TableError::Missing(self.source.clone())),
        }
    }

    /// The table a source's text makes together with what is written in code.
    fn combined(&self, text: &str) -> Result<Compiled, ConfigError> {
        match &self.code {
            Some(code) => code.before(text),
            None => table::compile_text(text),
        }
    }
}

fn alone(code: &dyn InFront) -> Result<Loaded, TableError> {
    code.alone()
        .map(|compiled| Loaded {
            compiled,
            text: None,
        })
        .map_err(TableError::Invalid)
}

/// A document, if a table can be compiled from it.
fn checked(reading: config::Reading) -> Result<Document, ConfigError> {
    let document = reading.document.clone();
    table::compile(reading).map(|_| document)
}

/// A document as JSON, which is what is checked.
///
/// # Errors
/// If it has no JSON form.
pub(crate) fn json(document: &Document) -> Result<Value, ConfigError> {
    serde_json::to_value(document).map_err(|error| {
        let mut issues = config::Issues::default();
        issues.report(&config::Path::root(), config::Code::Type, error.to_string());
        ConfigError {
            issues: issues.into_vec(),
            warnings: Vec::new(),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeMap, time::Duration};

    use futures_util::FutureExt;
    use serde_json::json;

    use super::*;
    use crate::config::parse_value;

    /// What a store holds under each name; reading an error fails.
    #[derive(Default)]
    struct Stores(BTreeMap<&'static str, Result<String, String>>);

    impl Stores {
        fn with(mut self, name: &'static str, held: Result<Value, &str>) -> Self {
            let held = held.map(|document| document.to_string());
            self.0.insert(name, held.map_err(str::to_owned));
            self
        }
    }

    impl Documents for Stores {
        async fn read_key(
            &self,
            binding: &str,
            _: &str,
            _: Option<Duration>,
        ) -> Result<Option<String>, String> {
            self.0.get(binding).cloned().transpose()
        }

        fn variable(&self, name: &str) -> Option<String> {
            self.0.get(name).cloned().and_then(Result::ok)
        }
    }

    /// A table of one route, known by its id.
    fn named(id: &str) -> Value {
        json!({ "routes": [{ "id": id, "match": { "path": "/" }, "respond": { "status": 204 } }] })
    }

    fn refused() -> Value {
        json!({ "routes": [{ "match": { "path": "/" } }] })
    }

    fn both() -> Source {
        Source::first_available([Source::kv("KV", "routes"), Source::variable("VAR")])
    }

    /// The ids of the routes that are loaded, and how many failures were passed over on the way.
    fn load(
        source: &TableSource,
        stores: &Stores,
        in_use: bool,
    ) -> (Result<Vec<String>, TableError>, usize) {
        let passed_over = RefCell::new(0);
        let loaded = source
            .load(stores, in_use, |_| *passed_over.borrow_mut() += 1)
            .now_or_never()
            .unwrap();
        let ids = loaded.map(|Loaded { compiled, .. }| {
            compiled
                .table
                .routes()
                .iter()
                .map(|route| route.label().to_string())
                .collect()
        });
        (ids, passed_over.into_inner())
    }

    #[test]
    fn an_isolate_without_a_table_takes_the_first_it_can_get_and_tells_what_it_passed() {
        let source = TableSource::new(both());
        for (stores, expected, passed) in [
            (
                Stores::default()
                    .with("KV", Ok(named("kv")))
                    .with("VAR", Ok(named("var"))),
                "kv",
                0,
            ),
            (Stores::default().with("VAR", Ok(named("var"))), "var", 0),
            (
                Stores::default()
                    .with("KV", Err("down"))
                    .with("VAR", Ok(named("var"))),
                "var",
                1,
            ),
            (
                Stores::default()
                    .with("KV", Ok(refused()))
                    .with("VAR", Ok(named("var"))),
                "var",
                1,
            ),
        ] {
            assert_eq!(
                load(&source, &stores, false),
                (Ok(vec![expected.to_owned()]), passed)
            );
        }
    }

    #[test]
    fn a_table_in_use_is_better_than_a_fallback() {
        let source = TableSource::new(both());
        let down = Stores::default()
            .with("KV", Err("down"))
            .with("VAR", Ok(named("var")));
        let (loaded, passed) = load(&source, &down, true);
        assert!(
            matches!(loaded, Err(TableError::Unreadable(_))),
            "{loaded:?}"
        );
        assert_eq!(passed, 0);
        let broken = Stores::default()
            .with("KV", Ok(refused()))
            .with("VAR", Ok(named("var")));
        let (loaded, _) = load(&source, &broken, true);
        assert!(matches!(loaded, Err(TableError::Invalid(_))), "{loaded:?}");
    }

    #[test]
    fn with_nothing_left_the_last_failure_is_the_answer_and_the_others_are_told() {
        let source = TableSource::new(both());
        assert_eq!(
            load(&source, &Stores::default(), false),
            (Err(TableError::Missing(both())), 0)
        );
        let stores = Stores::default()
            .with("KV", Err("down"))
            .with("VAR", Ok(refused()));
        let (loaded, passed) = load(&source, &stores, false);
        assert!(matches!(loaded, Err(TableError::Invalid(_))), "{loaded:?}");
        assert_eq!(passed, 1);
    }

    #[test]
    fn a_table_in_code_stands_in_front_of_the_source_and_behind_its_failures() {
        let code = parse_value(named("code")).unwrap().document;
        let replacing = TableSource::new(both())
            .with_code(&code, MergeMode::Replace)
            .unwrap();
        let merging = TableSource::new(both())
            .with_code(&code, MergeMode::ById)
            .unwrap();
        let holding = Stores::default().with("KV", Ok(named("kv")));
        let failing = Stores::default().with("KV", Err("down"));
        for (source, stores, expected, passed) in [
            (&replacing, &holding, &["code"][..], 0),
            (&replacing, &failing, &["code"], 0),
            (&merging, &holding, &["code", "kv"], 0),
            (&merging, &Stores::default(), &["code"], 0),
            (&merging, &failing, &["code"], 1),
        ] {
            let expected = expected.iter().map(|&id| id.to_owned()).collect();
            assert_eq!(load(source, stores, false), (Ok(expected), passed));
        }
        let (loaded, _) = load(&merging, &failing, true);
        assert!(
            matches!(loaded, Err(TableError::Unreadable(_))),
            "{loaded:?}"
        );
    }

    #[test]
    fn a_wrong_table_in_code_is_refused_where_it_is_handed_over() {
        let wrong = Document {
            routes: vec![Default::default()],
            ..Document::default()
        };
        assert!(
            TableSource::new(both())
                .with_code(&wrong, MergeMode::ById)
                .is_err()
        );
    }

    #[test]
    fn merged_tables_still_tell_of_keys_that_have_no_effect() {
        let code = parse_value(named("code")).unwrap().document;
        let source = TableSource::new(both())
            .with_code(&code, MergeMode::ById)
            .unwrap();
        let mut remote = named("kv");
        remote["routes"][0]["retrys"] = json!(3);
        let stores = Stores::default().with("KV", Ok(remote));
        let Loaded { compiled, text } = source
            .load(&stores, false, |_| {})
            .now_or_never()
            .unwrap()
            .unwrap();
        assert!(text.unwrap().contains("retrys"));
        assert_eq!(compiled.warnings.len(), 1);
        assert_eq!(compiled.warnings[0].path, "routes[0].retrys");
    }
}
