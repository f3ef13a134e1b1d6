//! Header rules: from the document's names and values to names and values a message can carry. Both directions and
//! every place that names headers go through here, so that a name is refused alike wherever it stands.

use std::collections::{BTreeMap, HashSet};

use http::{HeaderName, HeaderValue};

use super::{Code, Issues, Path, Reported, document::HeaderRules};
use crate::headers::Rules;

/// Why a name (lower case) may not stand where it does; `None` where it may. See [`crate::headers::reserved`].
pub type Reserved = fn(&str) -> Option<&'static str>;

/// Compiles one direction's rules; `writing` and `removing` say which names are reserved on either side.
pub fn compile(
    rules: Option<&HeaderRules>,
    writing: Reserved,
    removing: Reserved,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Rules, Reported> {
    let Some(HeaderRules { set, remove }) = rules else {
        return Ok(Rules::default());
    };
    let mut failed = None;
    let remove_at = at.key("remove");
    let mut met = Met::default();
    let mut removed: Vec<HeaderName> = Vec::new();
    for (index, text) in remove.iter().flatten().enumerate() {
        match name(text, removing, &remove_at.index(index), issues) {
            Ok(name) if !met.is_new(&name, removed.iter()) => {}
            Ok(name) => removed.push(name),
            Err(reported) => failed = Some(reported),
        }
    }
    let set = match set {
        Some(set) => values(set, writing, &at.key("set"), issues),
        None => Ok(Vec::new()),
    };
    let set = match (set, failed) {
        (Ok(set), None) => set,
        (Err(reported), _) | (_, Some(reported)) => return Err(reported),
    };
    if let Some((name, _)) = set.iter().find(|(name, _)| met.contains(name, &removed)) {
        return Err(issues.report(
            at,
            Code::Conflict,
            format!("the header \"{name}\" is both written by \"set\" and deleted by \"remove\"; keep one of the two"),
        ));
    }
    Ok(Rules {
        remove: removed,
        set,
    })
}

/// Compiles a map of header names to values.
pub fn values(
    map: &BTreeMap<String, String>,
    reserved: Reserved,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<Vec<(HeaderName, HeaderValue)>, Reported> {
    let mut failed = None;
    let mut met = Met::default();
    let mut compiled = Vec::with_capacity(map.len());
    for (text, value) in map {
        let at = at.key(text);
        let name = name(text, reserved, &at, issues);
        let value = self::value(value, &at, issues);
        match (name, value) {
            (Ok(name), Ok(_)) if !met.is_new(&name, compiled.iter().map(|(name, _)| name)) => {
                failed = Some(issues.report(
                    &at,
                    Code::Duplicate,
                    format!("the header \"{name}\" is named twice in different letter case; header names have no case, so keep one of the two"),
                ));
            }
            (Ok(name), Ok(value)) => compiled.push((name, value)),
            (Err(reported), _) | (_, Err(reported)) => failed = Some(reported),
        }
    }
    failed.map_or(Ok(compiled), Err)
}

/// Compiles one header name.
pub fn name(
    text: &str,
    reserved: Reserved,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<HeaderName, Reported> {
    let Ok(name) = HeaderName::from_bytes(text.as_bytes()) else {
        return Err(issues.report(
            at,
            Code::Value,
            format!("expected a header name (letters, digits and hyphens, such as \"x-api-version\"); found {text:?}"),
        ));
    };
    match reserved(name.as_str()) {
        Some(reason) => Err(issues.report(
            at,
            Code::ReservedHeader,
            format!("the header \"{name}\" cannot be touched here: {reason}"),
        )),
        None => Ok(name),
    }
}

/// Compiles one header value. Text beyond ASCII is sent as UTF-8.
fn value(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<HeaderValue, Reported> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
        issues.report(
            at,
            Code::Value,
            "expected a value without line breaks and control characters, which would end the header early",
        )
    })
}

/// Names that were met. Rules are a handful nearly always, and are compared one by one then; ten thousand stay cheap too.
#[derive(Default)]
struct Met {
    /// All of them, once they are more than a few.
    many: HashSet<HeaderName>,
}

impl Met {
    /// Whether `name` is none of those that were met `before`. If it is not, it is met next.
    fn is_new<'n>(
        &mut self,
        name: &HeaderName,
        mut before: impl ExactSizeIterator<Item = &'n HeaderName>,
    ) -> bool {
        if before.len() < FEW {
            return !before.any(|other| other == name);
        }
        if self.many.is_empty() {
            self.many.extend(before.cloned());
        }
        self.many.insert(name.clone())
    }

    /// Whether `name` is one of `all`, which were met.
    fn contains(&self, name: &HeaderName, all: &[HeaderName]) -> bool {
        if self.many.is_empty() {
            all.contains(name)
        } else {
            self.many.contains(name)
        }
    }
}

const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_met_once_among_few_and_among_many() {
        let mut met = Met::default();
        let mut all = Vec::new();
        let name = |index: usize| HeaderName::try_from(format!("x-{index}")).unwrap();
        for index in 0..FEW * 3 {
            assert!(!met.contains(&name(index), &all), "{index}");
            assert!(met.is_new(&name(index), all.iter()), "{index}");
            all.push(name(index));
            assert!(!met.is_new(&name(index / 2), all.iter()), "{index}");
            assert!(met.contains(&name(index), &all), "{index}");
        }
    }
}
