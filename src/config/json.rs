//! JSON as the reader takes it apart: texts borrow from the document where they can, and the members of an object are a
//! list, because objects are small and each of their members is looked for once.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    List(Vec<Json<'t>>),
    Object(Vec<(Cow<'t, str>, Json<'t>)>),
}

/// Recurses as deep as the value is, which has to be measured before.
impl From<Value> for Json<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(switch) => Self::Bool(switch),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(Cow::Owned(text)),
            Value::Array(elements) => Self::List(elements.into_iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(name, member)| (Cow::Owned(name), Self::from(member)))
                    .collect(),
            ),
        }
    }
}
