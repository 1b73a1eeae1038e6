//! `wc`.

use super::{Letters, inputs};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn wc(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("wc", arguments, "lwcm", "", &[("lines", 'l')])?;
    let mut output = Output::default();
    for (name, text) in inputs(run, "wc", &letters.words, stdin)? {
        let counts = [
            ('l', text.matches('\n').count()),
            ('w', text.split_whitespace().count()),
            ('m', text.chars().count()),
            ('c', text.len()),
        ];
        let shown: Vec<usize> = counts
            .iter()
            .filter(|(letter, _)| {
                letters.has(*letter) || letters.flags.is_empty() && *letter != 'm'
            })
            .map(|(_, count)| *count)
            .collect();
        let line = match shown.as_slice() {
            [one] => one.to_string(),
            more => {
                let columns: Vec<String> = more.iter().map(|it| format!("{it:>7}")).collect();
                columns.join(" ")
            }
        };
        output.line(format!("{line} {name}").trim_end());
    }
    Ok(output)
}
