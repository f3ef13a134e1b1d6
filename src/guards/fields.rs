//! Checks that the fields of several guards share.

use std::{borrow::Borrow, ops::RangeInclusive};

use http::Method;

use crate::config::{Code, Issues, Path, Reported};

/// Compiles every element of a list, which must have at least one, and reports all that are wrong.
pub(super) fn each<T, B, C>(
    list: &[T],
    at: &Path<'_>,
    issues: &mut Issues,
    mut compile: impl FnMut(&B, &Path<'_>, &mut Issues) -> Result<C, Reported>,
) -> Result<Vec<C>, Reported>
where
    T: Borrow<B>,
    B: ?Sized,
{
    if list.is_empty() {
        return Err(issues.report(
            at,
            Code::Required,
            "expected at least one entry; found none. Leave out what is to list nothing",
        ));
    }
    let compiled: Vec<_> = list
        .iter()
        .enumerate()
        .map(|(index, element)| compile(element.borrow(), &at.index(index), issues))
        .collect();
    compiled.into_iter().collect()
}

/// A number within its bounds.
pub(super) fn within(
    number: u64,
    bounds: RangeInclusive<u64>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<u64, Reported> {
    if bounds.contains(&number) {
        return Ok(number);
    }
    let (least, most) = bounds.into_inner();
    Err(issues.report(
        at,
        Code::Range,
        format!("expected a whole number from {least} to {most}; found {number}"),
    ))
}

/// A text that must be there; `example` shows what one looks like.
pub(super) fn text(
    text: Option<&String>,
    example: &str,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<String, Reported> {
    match text {
        Some(text) if !text.is_empty() => Ok(text.clone()),
        found => Err(issues.report(
            at,
            Code::Required,
            format!(
                "expected a text such as {example:?}; found {}",
                if found.is_some() {
                    "an empty one"
                } else {
                    "none"
                }
            ),
        )),
    }
}

/// A switch that can only be turned on: `false` would say what its absence says, and read as if it did something.
pub(super) fn only_true(
    switch: Option<bool>,
    at: &Path<'_>,
    issues: &mut Issues,
) -> Result<bool, Reported> {
    if switch == Some(false) {
        return Err(issues.report(
            at,
            Code::Value,
            "expected true, or no such field; found false, which is what leaving it out means",
        ));
    }
    Ok(switch.is_some())
}

/// A method, folded to upper case.
pub(super) fn method(text: &str, at: &Path<'_>, issues: &mut Issues) -> Result<Method, Reported> {
    // The empty text is refused by the parser.
    if text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && let Ok(method) = Method::from_bytes(text.to_ascii_uppercase().as_bytes())
    {
        return Ok(method);
    }
    Err(issues.report(
        at,
        Code::Value,
        format!("expected a method such as \"GET\", of letters only; found {text:?}"),
    ))
}
