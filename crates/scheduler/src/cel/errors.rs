//! Errors of a text with their places, printed as cel-go prints them.

use std::fmt::Write as _;

/// An error at a position, in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    pub at: usize,
    pub message: String,
}

/// All errors, in the order of their places, each with its line and a caret.
pub fn render(text: &str, issues: &[Issue]) -> String {
    let mut sorted: Vec<&Issue> = issues.iter().collect();
    sorted.sort_by_key(|issue| issue.at);
    let shown: Vec<String> = sorted.iter().map(|issue| render_one(text, issue)).collect();
    shown.join("\n")
}

fn render_one(text: &str, issue: &Issue) -> String {
    let mut line = 1;
    let mut start = 0;
    for (at, letter) in text.chars().enumerate().take(issue.at) {
        if letter == '\n' {
            line += 1;
            start = at + 1;
        }
    }
    let column = issue.at - start;
    let content: String = text
        .chars()
        .skip(start)
        .take_while(|letter| *letter != '\n')
        .map(|letter| if letter == '\t' { ' ' } else { letter })
        .collect();
    let mut shown = format!(
        "ERROR: <input>:{line}:{}: {}\n | {content}\n | ",
        column + 1,
        issue.message
    );
    let mut letters = content.chars();
    for _ in 0..column {
        let wide = letters.next().is_some_and(|letter| letter.len_utf8() > 1);
        shown.push(if wide { '．' } else { '.' });
    }
    let wide = letters.next().is_some_and(|letter| letter.len_utf8() > 1);
    let _ = write!(shown, "{}", if wide { '＾' } else { '^' });
    shown
}
