//! Where in a JSON text each value stands.

use std::ops::Range;

use jouska::config::caps::MAX_DEPTH;

/// A value and where it stands, in bytes.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) inside: Inside,
}

/// What a value holds.
#[derive(Debug)]
pub(crate) enum Inside {
    /// Nothing further.
    Scalar,
    /// Elements.
    List(Vec<Node>),
    /// Members, in the order they are written.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    /// The key with its quotation marks.
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node,
}

/// Reads a text that is known to be JSON. `None` where it is none after all, or deeper than a document can be.
pub(crate) fn scan(text: &str) -> Option<Node> {
    let mut scanner = Scanner { text, at: 0 };
    let root = scanner.value(0)?;
    scanner.blank();
    (scanner.at == text.len()).then_some(root)
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    fn value(&mut self, depth: usize) -> Option<Node> {
        self.blank();
        let start = self.at;
        let inside = match self.peek()? {
            b'{' | b'[' if depth > MAX_DEPTH => return None,
            b'{' => Inside::Object(self.list(b'}', |scanner| scanner.member(depth + 1))?),
            b'[' => Inside::List(self.list(b']', |scanner| scanner.value(depth + 1))?),
            b'"' => {
                self.string()?;
                Inside::Scalar
            }
            _ => {
                self.word()?;
                Inside::Scalar
            }
        };
        Some(Node {
            span: start..self.at,
            inside,
        })
    }

    fn member(&mut self, depth: usize) -> Option<Member> {
        self.blank();
        let start = self.at;
        self.string()?;
        let key_span = start..self.at;
        let key = serde_json::from_str(self.text.get(key_span.clone())?).ok()?;
        self.blank();
        self.expect(b':')?;
        Some(Member {
            key,
            key_span,
            value: self.value(depth)?,
        })
    }

    /// What stands between brackets, with commas between.
    fn list<T>(
        &mut self,
        end: u8,
        mut entry: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.at += 1;
        let mut entries = Vec::new();
        self.blank();
        if self.peek()? == end {
            self.at += 1;
            return Some(entries);
        }
        loop {
            entries.push(entry(self)?);
            self.blank();
            match self.peek()? {
                b',' => self.at += 1,
                other if other == end => {
                    self.at += 1;
                    return Some(entries);
                }
                _ => return None,
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.expect(b'"')?;
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<()> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        if self.peek()? != byte {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn blank(&mut self) {
        while self
            .peek()
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// The tree that a scanned text stands for, each scalar read from its own place.
    fn tree(text: &str, node: &Node) -> Value {
        match &node.inside {
            Inside::Scalar => serde_json::from_str(&text[node.span.clone()]).unwrap(),
            Inside::List(elements) => elements.iter().map(|element| tree(text, element)).collect(),
            Inside::Object(members) => members
                .iter()
                .map(|member| (member.key.clone(), tree(text, &member.value)))
                .collect(),
        }
    }

    fn any_tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            // Eighths, which are read back exactly.
            any::<i16>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_found_where_it_stands(value in any_tree(), pretty in any::<bool>()) {
            let text = if pretty {
                serde_json::to_string_pretty(&value).unwrap()
            } else {
                value.to_string()
            };
            let root = scan(&text).unwrap();
            prop_assert_eq!(tree(&text, &root), value);
        }

        #[test]
        fn nothing_that_is_no_json_is_a_reason_to_panic(text in "[\\[\\]{}\",:\\\\ a1é]{0,24}") {
            let _ = scan(&text);
        }
    }

    #[test]
    fn a_number_may_be_written_in_any_way() {
        let text = " [ -1.5E+3 , 0 ,1e-7] ";
        let root = scan(text).unwrap();
        assert_eq!(tree(text, &root), serde_json::json!([-1500.0, 0, 1e-7]));
    }

    #[test]
    fn a_text_deeper_than_a_document_is_left_alone() {
        assert!(scan(&"[".repeat(100_000)).is_none());
        let deep = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(scan(&deep).is_some());
    }
}
