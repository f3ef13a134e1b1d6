//! Colours. They are always written here and taken out by the stream where they do not belong.

use std::fmt;

use anstyle::{AnsiColor, Style};

/// How one kind of text looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look(Style);

/// What makes a table refused.
pub(crate) const ERROR: Look = bold(AnsiColor::Red);
/// What is most likely a mistake.
pub(crate) const WARNING: Look = bold(AnsiColor::Yellow);
/// What does much harm where it is not meant.
pub(crate) const DANGER: Look = bold(AnsiColor::Magenta);
/// What is good to know.
pub(crate) const NOTE: Look = bold(AnsiColor::Cyan);
/// What is as it should be.
pub(crate) const GOOD: Look = bold(AnsiColor::Green);
/// Where something stands.
pub(crate) const PLACE: Look =
    Look(Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Blue))));

impl Look {
    /// The text in this look.
    pub(crate) fn on<T: fmt::Display>(self, text: T) -> Styled<T> {
        Styled { look: self, text }
    }
}

/// A text with a look.
#[derive(Debug)]
pub(crate) struct Styled<T> {
    look: Look,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Look(style) = self.look;
        write!(f, "{style}{}{style:#}", self.text)
    }
}

/// A text from outside, without anything that could steer a terminal.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            // Characters that turn the direction of what follows (Unicode Standard Annex 9) show a line as it is not.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                char::REPLACEMENT_CHARACTER
            }
            c => c,
        })
        .collect()
}

const fn bold(color: AnsiColor) -> Look {
    Look(
        Style::new()
            .bold()
            .fg_color(Some(anstyle::Color::Ansi(color))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_taken_out() {
        assert_eq!(
            harmless("a\tb\u{1b}[31m\u{202e}ü\r"),
            "a b\u{fffd}[31m\u{fffd}ü\u{fffd}"
        );
    }
}
