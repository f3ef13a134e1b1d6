//! Objects that are put together member by member.

use serde_json::{Map, Value};

/// A JSON object on its way to somebody.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Body(Map<String, Value>);

impl Body {
    /// One with the members of `value`, which is an object.
    pub(crate) fn of(value: Value) -> Self {
        Self::default().with_all(value)
    }

    /// The same with one more member.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The same with one more member, where there is a value.
    #[must_use]
    pub(crate) fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same with the members of another object.
    #[must_use]
    pub(crate) fn with_all(mut self, value: impl Into<Value>) -> Self {
        if let Value::Object(members) = value.into() {
            self.0.extend(members);
        }
        self
    }
}

impl From<Body> for Value {
    fn from(Body(members): Body) -> Self {
        Self::Object(members)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_come_one_by_one_and_together() {
        let body = Body::of(json!({ "a": 1 }))
            .with("b", true)
            .with_some("c", None::<u64>)
            .with_some("d", Some("x"))
            .with_all(json!({ "a": 2 }))
            .with_all(json!([1]));
        assert_eq!(Value::from(body), json!({ "a": 2, "b": true, "d": "x" }));
    }
}
