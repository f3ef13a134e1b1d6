//! The JSON of a case, key by key. Unknown keys are refused, so a misspelt expectation cannot pass by not being looked at.

mod expect;
mod primitive;
mod request;
mod upstream;

use std::collections::BTreeMap;

use serde::{Deserialize, de};
use serde_json::value::RawValue;

pub(super) use primitive::millis;

use super::{Case, Plot, RateLimit, Refusal, Rule, Step};

/// A file of cases. They stay raw so that an error in one can name it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileDocument {
    pub(super) area: String,
    pub(super) cases: Vec<Box<RawValue>>,
}

/// The one key that is read even when the rest of a case is wrong.
#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CaseDocument {
    id: String,
    rule: String,
    /// Kept raw: the order of its keys and the spelling of its numbers are the operator's.
    config: Option<Box<RawValue>>,
    config_text: Option<String>,
    config_error: Option<Refusal>,
    #[serde(default)]
    vars: BTreeMap<String, String>,
    #[serde(default)]
    ratelimits: BTreeMap<String, RateLimit>,
    #[serde(default)]
    upstreams: BTreeMap<String, Vec<Rule>>,
    #[serde(default, rename = "from")]
    _from: de::IgnoredAny,
    steps: Option<Vec<Step>>,
}

impl CaseDocument {
    pub(super) fn compile(self, file: &str, area: &str) -> Result<Case, &'static str> {
        let config = match (self.config, self.config_text) {
            (Some(config), None) => config.get().to_owned(),
            (None, Some(text)) => text,
            _ => return Err("exactly one of `config` and `configText` is expected"),
        };
        let steps = self.steps.filter(|steps| !steps.is_empty());
        let plot = match (self.config_error, steps) {
            (Some(refusal), None) => Plot::Refused(refusal),
            (None, Some(steps)) => Plot::Steps(steps),
            _ => return Err("exactly one of `configError` and a list of `steps` is expected"),
        };
        let upstreams = self
            .upstreams
            .into_iter()
            .map(|(host, rules)| (host.to_ascii_lowercase(), rules))
            .collect();
        Ok(Case {
            id: self.id,
            area: area.to_owned(),
            file: file.to_owned(),
            rule: self.rule,
            config,
            vars: self.vars,
            ratelimits: self.ratelimits,
            upstreams,
            plot,
        })
    }
}
