//! `cat`, `less` and `more`.

use super::{Letters, all_text};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn cat(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("cat", arguments, "n", "", &[])?;
    let text = all_text(run, "cat", &letters.words, stdin)?;
    if !letters.has('n') {
        return Ok(Output::text(text));
    }
    let mut output = Output::default();
    for (index, line) in text.lines().enumerate() {
        output.line(format!("{:>6}\t{line}", index + 1));
    }
    Ok(output)
}

/// `less` and `more`: the whole text, which the terminal scrolls.
pub(super) fn page(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let files = arguments.iter().filter(|it| !it.starts_with(['-', '+']));
    let files: Vec<String> = files.cloned().collect();
    Ok(Output::text(all_text(run, "less", &files, stdin)?))
}
