//! Changes to a message's headers, as a list.
//!
//! A platform holds the real message. It is handed the changes rather than a finished header map, so that headers
//! nobody touches never cross into the module and arrive exactly as they were sent.

use http::{HeaderMap, HeaderName, HeaderValue};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Every value under the name goes.
    Remove(HeaderName),
    /// This value replaces every value under the name.
    Set(HeaderName, HeaderValue),
    /// This value joins those under the name.
    Append(HeaderName, HeaderValue),
}

/// Changes in the order they take effect.
///
/// ```
/// use http::{HeaderMap, HeaderValue, header::SERVER, HeaderName};
/// use jouska::headers::HeaderEdits;
///
/// let mut headers = HeaderMap::new();
/// headers.insert(SERVER, HeaderValue::from_static("origin"));
/// let mut edits = HeaderEdits::default();
/// edits.remove(SERVER);
/// edits.set(HeaderName::from_static("x-id"), HeaderValue::from_static("7"));
/// edits.apply(&mut headers);
/// assert!(!headers.contains_key(SERVER));
/// assert_eq!(headers["x-id"], "7");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderEdits(Vec<Edit>);

impl HeaderEdits {
    /// Removes every value under `name`.
    pub fn remove(&mut self, name: HeaderName) {
        self.0.push(Edit::Remove(name));
    }

    /// Replaces every value under `name`.
    pub fn set(&mut self, name: HeaderName, value: HeaderValue) {
        self.0.push(Edit::Set(name, value));
    }

    /// Adds a value beside those under `name`.
    pub fn append(&mut self, name: HeaderName, value: HeaderValue) {
        self.0.push(Edit::Append(name, value));
    }

    /// Adds one change behind these.
    pub fn push(&mut self, edit: Edit) {
        self.0.push(edit);
    }

    /// Adds `later` behind these.
    pub fn extend(&mut self, later: &HeaderEdits) {
        self.0.extend(later.0.iter().cloned());
    }

    /// What these take away, without what they write.
    pub fn removals(&self) -> Self {
        Self(
            self.0
                .iter()
                .filter(|edit| matches!(edit, Edit::Remove(_)))
                .cloned()
                .collect(),
        )
    }

    /// The changes in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Edit> {
        self.0.iter()
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Carries the changes out.
    pub fn apply(&self, headers: &mut HeaderMap) {
        for edit in &self.0 {
            match edit {
                Edit::Remove(name) => {
                    headers.remove(name);
                }
                Edit::Set(name, value) => {
                    headers.insert(name.clone(), value.clone());
                }
                Edit::Append(name, value) => {
                    headers.append(name.clone(), value.clone());
                }
            }
        }
    }

    /// The first value under `name` once these changes are made to `base`.
    pub fn value<'a>(&'a self, name: &HeaderName, base: &'a HeaderMap) -> Option<&'a HeaderValue> {
        let mut value = base.get(name);
        for edit in &self.0 {
            match edit {
                Edit::Remove(removed) if removed == name => value = None,
                Edit::Set(written, to) if written == name => value = Some(to),
                Edit::Append(written, to) if written == name => value = value.or(Some(to)),
                _ => {}
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use http::header::{SERVER, VARY};

    use super::*;

    #[test]
    fn a_value_is_what_applying_would_leave() {
        let mut base = HeaderMap::new();
        base.insert(VARY, HeaderValue::from_static("a"));
        let mut edits = HeaderEdits::default();
        edits.append(VARY, HeaderValue::from_static("b"));
        edits.set(SERVER, HeaderValue::from_static("x"));
        edits.remove(SERVER);
        let mut applied = base.clone();
        edits.apply(&mut applied);
        for name in [VARY, SERVER] {
            assert_eq!(edits.value(&name, &base), applied.get(&name), "{name}");
        }
        assert_eq!(applied.get_all(VARY).iter().count(), 2);
    }
}
