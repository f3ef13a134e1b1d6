//! Lines and columns of a text. Both count from 1; columns count characters.

use jouska::config::Position;

/// A text and where its lines begin.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self { text, starts }
    }

    /// The line and column of a byte.
    pub(crate) fn position(&self, byte: usize) -> Position {
        let (line, start, _) = self.around(byte);
        let before = self.text.get(start..byte).unwrap_or_default();
        Position {
            line,
            column: before.chars().count() + 1,
        }
    }

    /// The line a byte stands in: its number, where it begins, and the line itself without its end.
    pub(crate) fn around(&self, byte: usize) -> (usize, usize, &'t str) {
        let number = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts.get(number - 1).copied().unwrap_or_default();
        (number, start, self.line(number))
    }

    /// The byte at a line and column; the line's end where the column is past it.
    pub(crate) fn byte(&self, position: Position) -> usize {
        let start = self
            .starts
            .get(position.line.saturating_sub(1))
            .copied()
            .unwrap_or(self.text.len());
        let line = self.line(position.line);
        line.char_indices()
            .nth(position.column.saturating_sub(1))
            .map_or(start + line.len(), |(at, _)| start + at)
    }

    fn line(&self, number: usize) -> &'t str {
        self.starts
            .get(number.saturating_sub(1))
            .and_then(|start| self.text.get(*start..)?.split('\n').next())
            .map_or("", |line| line.strip_suffix('\r').unwrap_or(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\r\n  \"é\": 1\n}";

    #[track_caller]
    fn check(found: &str, line: usize, column: usize) {
        let lines = Lines::new(TEXT);
        let byte = TEXT.find(found).unwrap();
        assert_eq!(lines.position(byte), Position { line, column });
        assert_eq!(lines.byte(Position { line, column }), byte);
    }

    #[test]
    fn a_byte_has_a_line_and_a_column() {
        check("{", 1, 1);
        check("\"é\"", 2, 3);
        check("1", 2, 8);
        check("}", 3, 1);
    }

    #[test]
    fn what_is_past_the_end_is_at_the_end() {
        let lines = Lines::new(TEXT);
        assert_eq!(lines.position(TEXT.len()), Position { line: 3, column: 2 });
        assert_eq!(lines.byte(Position { line: 1, column: 9 }), 1);
        assert_eq!(lines.byte(Position { line: 9, column: 1 }), TEXT.len());
        assert_eq!(lines.line(1), "{");
        assert_eq!(lines.line(9), "");
        assert_eq!(Lines::new("").position(0), Position { line: 1, column: 1 });
    }
}
