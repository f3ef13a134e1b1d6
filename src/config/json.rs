//! JSON as the reader takes it apart: one tree in one arena. Texts borrow from the document where they can, and the
//! members of an object are a list, because objects are small and each of their members is looked for once.

use std::cell::Cell;

use bumpalo::Bump;
use serde_json::{Number, Value};

/// A JSON value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Json<'t> {
    Null,
    Bool(bool),
    Number(&'t Number),
    Text(&'t str),
    List(&'t [Json<'t>]),
    Object(&'t [Member<'t>]),
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(crate) struct Member<'t> {
    pub(crate) name: &'t str,
    pub(crate) value: Json<'t>,
    /// Whether somebody has asked for it; an object is read once.
    pub(crate) taken: Cell<bool>,
}

impl<'t> Member<'t> {
    pub(crate) fn new(name: &'t str, value: Json<'t>) -> Self {
        Self {
            name,
            value,
            taken: Cell::new(false),
        }
    }
}

impl<'t> Json<'t> {
    /// Recurses as deep as the value is, which has to be measured before.
    pub(crate) fn of(value: &'t Value, arena: &'t Bump) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(switch) => Self::Bool(*switch),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::Array(elements) => {
                let elements = elements.iter().map(|element| Self::of(element, arena));
                Self::List(arena.alloc_slice_fill_iter(elements))
            }
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, member)| Member::new(name, Self::of(member, arena)));
                Self::Object(arena.alloc_slice_fill_iter(members))
            }
        }
    }
}
