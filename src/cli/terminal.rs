//! The output's properties: color, width, progress.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
// Only progress reads the clock; no decision and no result depends on it.
#[allow(clippy::disallowed_types)]
use std::time::{Duration, Instant};

use super::args::Color;
use super::messages::{self, Messages};

/// Columns if the width is unknown.
const DEFAULT_WIDTH: usize = 80;

/// A style of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Warn,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Warn => "33",
        }
    }
}

/// The properties of the output streams.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    color: bool,
    color_problems: bool,
    /// Columns of text.
    pub width: usize,
    /// Standard output is a terminal.
    pub is_interactive: bool,
}

impl Terminal {
    /// Inspects the standard streams and the environment.
    pub fn new(color: Color) -> Self {
        let is_interactive = io::stdout().is_terminal();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|value| value != "dumb");
        let on = |is_terminal: bool| match color {
            Color::Auto => is_terminal && wanted,
            Color::Always => true,
            Color::Never => false,
        };
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self {
            color: on(is_interactive),
            color_problems: on(messages::are_watched()),
            width: match width {
                Some(width) if is_interactive => width.max(40),
                _ => DEFAULT_WIDTH,
            },
            is_interactive,
        }
    }

    /// A text of this width without color.
    pub fn plain(width: usize) -> Self {
        Self {
            color: false,
            color_problems: false,
            width,
            is_interactive: false,
        }
    }

    /// Text for standard output, in color if it is on.
    pub fn paint<'a>(&self, style: Style, text: &'a str) -> Cow<'a, str> {
        painted(self.color, style, text)
    }

    /// Text for standard error, in color if it is on.
    pub fn paint_problem<'a>(&self, style: Style, text: &'a str) -> Cow<'a, str> {
        painted(self.color_problems, style, text)
    }
}

fn painted(color: bool, style: Style, text: &str) -> Cow<'_, str> {
    if color && style != Style::Plain && !text.is_empty() {
        Cow::Owned(format!("\u{1b}[{}m{text}\u{1b}[0m", style.code()))
    } else {
        Cow::Borrowed(text)
    }
}

/// The progress of a long run, on one line of standard error that is erased at the end.
#[allow(clippy::disallowed_types)]
pub struct Progress {
    /// When to print next; `None` if standard error is not a terminal.
    next: Option<Instant>,
    shown: bool,
}

#[allow(clippy::disallowed_types)]
impl Progress {
    /// Prints nothing during the first second.
    pub fn new() -> Self {
        let next = messages::are_watched().then(|| Instant::now() + Duration::from_secs(1));
        Self { next, shown: false }
    }

    /// Prints `line()`, at most every 200 ms. Cheap enough to be called for every attempt.
    pub fn tick(&mut self, line: impl FnOnce() -> String) {
        let Some(next) = self.next else { return };
        let now = Instant::now();
        if now < next {
            return;
        }
        self.next = Some(now + Duration::from_millis(200));
        self.shown = true;
        let _ = write!(Messages, "\r\u{1b}[K{}", line());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(Messages, "\r\u{1b}[K");
        }
    }
}
