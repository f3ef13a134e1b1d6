//! How large a document may be: bounds on what one document can cost, whoever wrote it. They are far above what a route
//! table needs.

use std::fmt;

use serde_json::Value;

use super::{Code, Issues, Path, Reported};

/// Bytes from which on a text is too large: 2 MB.
pub const SIZE_LIMIT: usize = 2_000_000;

/// Levels of lists and objects inside each other. The document itself needs seven.
pub const MAX_DEPTH: usize = 64;

/// Elements of one list and members of one object.
pub const MAX_LENGTH: usize = 10_000;

/// Values of the whole tree, whatever their size.
pub const MAX_VALUES: usize = 250_000;

/// Holds a tree that was not read from text to the same caps.
pub(super) fn measure(tree: &Value, issues: &mut Issues) -> Result<(), Reported> {
    let root = Path::root();
    let mut waiting = vec![(tree, 0)];
    let (mut values, mut bytes) = (0, 0);
    while let Some((value, depth)) = waiting.pop() {
        values += 1;
        let length = match value {
            Value::Array(elements) => {
                waiting.extend(elements.iter().map(|element| (element, depth + 1)));
                elements.len()
            }
            Value::Object(members) => {
                bytes += members.keys().map(String::len).sum::<usize>();
                waiting.extend(members.values().map(|member| (member, depth + 1)));
                members.len()
            }
            Value::String(text) => {
                bytes += text.len();
                continue;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => continue,
        };
        let over = if depth >= MAX_DEPTH {
            Over::Depth
        } else if length > MAX_LENGTH {
            Over::Length
        } else if values + waiting.len() > MAX_VALUES {
            Over::Values
        } else {
            continue;
        };
        return Err(too_large(&root, &over, issues));
    }
    if bytes >= SIZE_LIMIT {
        return Err(too_large(&root, &Over::Size, issues));
    }
    Ok(())
}

pub(super) fn too_large(at: &Path<'_>, over: &Over, issues: &mut Issues) -> Reported {
    issues.report(at, Code::TooLarge, over.to_string())
}

/// Which cap a document is over.
pub(super) enum Over {
    Size,
    Depth,
    Length,
    Values,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str(
                "expected a document of less than 2 MB; found a larger one. Divide the routes between several Workers, or shorten what is written into them",
            ),
            Self::Depth => write!(
                f,
                "expected lists and objects at most {MAX_DEPTH} levels deep inside each other; found more. A route table needs seven: look for brackets that are never closed"
            ),
            Self::Length => write!(
                f,
                "expected at most {MAX_LENGTH} entries in one list or object; found more. Divide them between several routes"
            ),
            Self::Values => write!(
                f,
                "expected at most {MAX_VALUES} values in one document; found more. Divide the routes between several Workers"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_from_elsewhere_is_held_to_the_same_caps() {
        let mut deep = Value::Null;
        for _ in 0..MAX_DEPTH + 1 {
            deep = Value::Array(vec![deep]);
        }
        let long = Value::Array(vec![Value::Null; MAX_LENGTH + 1]);
        let wide = Value::Array(vec![Value::Array(vec![Value::Null; 1_000]); 300]);
        let large = Value::String("x".repeat(SIZE_LIMIT));
        for (tree, expected) in [
            (deep, "levels deep"),
            (long, "entries"),
            (wide, "values"),
            (large, "less than 2 MB"),
        ] {
            let mut issues = Issues::default();
            assert!(measure(&tree, &mut issues).is_err(), "{expected}");
            assert!(issues.into_vec()[0].message.contains(expected));
        }
    }
}
