//! The line something stands in, with a mark below it.

use std::{
    io::{self, Write},
    ops::Range,
};

use unicode_width::UnicodeWidthStr;

use crate::{
    line::Lines,
    style::{Look, PLACE, harmless},
};

/// Writes the line in which `span` begins, and marks what of the span is in it.
pub(crate) fn write(
    out: &mut impl Write,
    lines: &Lines<'_>,
    span: &Range<usize>,
    look: Look,
) -> io::Result<()> {
    let (number, start, line) = lines.around(span.start);
    let Cut {
        before,
        marked,
        after,
    } = cut(line, span.start - start, span.len());
    let number = number.to_string();
    let margin = " ".repeat(number.len());
    let bar = PLACE.on("|");
    let indent = " ".repeat(before.width());
    let marks = "^".repeat(marked.width().max(1));
    writeln!(out, "{margin} {bar}")?;
    writeln!(out, "{} {bar} {before}{marked}{after}", PLACE.on(&number))?;
    writeln!(out, "{margin} {bar} {indent}{}", look.on(marks))
}

/// A line in three parts, short enough for a screen.
struct Cut {
    before: String,
    marked: String,
    after: String,
}

/// Cuts a line around the `length` bytes from `start` on.
fn cut(line: &str, start: usize, length: usize) -> Cut {
    let start = start.min(line.len());
    let end = (start + length).min(line.len());
    let part = |range: Range<usize>| line.get(range).unwrap_or_default();
    let (before, marked, after) = (part(0..start), part(start..end), part(end..line.len()));
    let is_short = line.chars().nth(MOST_WHOLE).is_none();
    let most = |most: usize| if is_short { usize::MAX } else { most };
    Cut {
        before: harmless(&last(before, most(MOST_BEFORE))),
        marked: harmless(&first(marked, most(MOST_MARKED))),
        after: harmless(&first(after, most(MOST_AFTER))),
    }
}

fn first(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}{DOTS}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn last(text: &str, most: usize) -> String {
    let mut from_the_end = text.char_indices().rev().skip(most.saturating_sub(1));
    match (from_the_end.next(), from_the_end.next()) {
        (Some((start, _)), Some(_)) => format!("{DOTS}{}", text.get(start..).unwrap_or_default()),
        _ => text.to_owned(),
    }
}

const DOTS: &str = "...";

/// Characters of a line that is shown whole.
const MOST_WHOLE: usize = 100;

/// Characters of a longer one that are shown before what is marked, of that, and behind it.
const MOST_BEFORE: usize = 48;
const MOST_MARKED: usize = 60;
const MOST_AFTER: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style;

    #[track_caller]
    fn check(text: &str, marked: &str, expected: &str) {
        let start = text.find(marked).unwrap();
        let span = start..start + marked.len();
        let mut out = anstream::StripStream::new(Vec::new());
        write(&mut out, &Lines::new(text), &span, style::ERROR).unwrap();
        assert_eq!(String::from_utf8(out.into_inner()).unwrap(), expected);
    }

    #[test]
    fn the_mark_is_below_what_it_marks() {
        check(
            "{\n  \"a\": true,\r\n",
            "true",
            "  |\n2 |   \"a\": true,\n  |        ^^^^\n",
        );
        check(
            "{\t\"名前\": x}",
            "x",
            "  |\n1 | { \"名前\": x}\n  |           ^\n",
        );
    }

    #[test]
    fn what_goes_on_in_the_next_line_is_marked_in_the_first() {
        check("[{\n}]", "{\n}", "  |\n1 | [{\n  |  ^\n");
    }

    #[test]
    fn a_long_line_is_cut_around_the_mark() {
        let text = format!("{}MARK{}", "b".repeat(100), "a".repeat(100));
        let cut = cut(&text, 100, 4);
        assert_eq!(cut.before, format!("...{}", "b".repeat(MOST_BEFORE)));
        assert_eq!(cut.marked, "MARK");
        assert_eq!(cut.after, format!("{}...", "a".repeat(MOST_AFTER)));
        let whole = super::cut("bMa", 1, 1);
        assert_eq!(
            (whole.before, whole.marked, whole.after),
            ("b".into(), "M".into(), "a".into())
        );
    }
}
