//! The proxy's event, compared on the keys a case lists and on no others, at every depth.

use serde_json::{Map, Value};

use super::Difference;

pub(super) fn differences(
    expected: &Map<String, Value>,
    observed: Option<&Map<String, Value>>,
    differences: &mut Vec<Difference>,
) {
    match observed {
        Some(observed) => compare_fields("event", expected, observed, differences),
        None => differences.push(Difference::new("event", "one", "none")),
    }
}

fn compare_fields(
    path: &str,
    expected: &Map<String, Value>,
    observed: &Map<String, Value>,
    differences: &mut Vec<Difference>,
) {
    for (name, expected) in expected {
        let path = format!("{path}.{name}");
        match (expected, observed.get(name)) {
            (Value::Null, None) => {}
            (Value::Null, Some(observed)) => {
                differences.push(Difference::new(path, "no such field", observed));
            }
            (expected, None) => differences.push(Difference::new(path, expected, "no such field")),
            (Value::Object(expected), Some(Value::Object(observed))) => {
                compare_fields(&path, expected, observed, differences);
            }
            (expected, Some(observed)) if same(expected, observed) => {}
            (expected, Some(observed)) => {
                differences.push(Difference::new(path, expected, observed));
            }
        }
    }
}

/// JSON has one kind of number: 1 and 1.0 are the same.
fn same(expected: &Value, observed: &Value) -> bool {
    match (expected, observed) {
        (Value::Number(expected), Value::Number(observed)) => {
            expected.as_f64() == observed.as_f64()
        }
        _ => expected == observed,
    }
}
