//! `read NAME…`: reads a line of standard input, or of the enclosing loop's input.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn read(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let mut letters = Letters::read("bash: read", arguments, "rs", "p", &[])?;
    if letters.words.is_empty() {
        letters.words.push("REPLY".to_owned());
    }
    let of_loop = run.lines.take();
    let input = of_loop.as_deref().unwrap_or(stdin);
    let (line, rest) = input.split_once('\n').unwrap_or((input, ""));
    // The last name takes the rest of the line.
    let mut left = line.trim();
    for (place, name) in letters.words.iter().enumerate() {
        let (word, behind) = left.split_once(char::is_whitespace).unwrap_or((left, ""));
        let is_last = place + 1 == letters.words.len();
        let value = if is_last { left } else { word };
        let set = run.set_variables([(name.clone(), value.to_owned())]);
        set.map_err(|why| Failure::new(1, format!("bash: read: {why}")))?;
        left = behind.trim_start();
    }
    let code = i32::from(input.is_empty());
    if of_loop.is_some() {
        run.lines = Some(rest.to_owned());
    }
    Ok(Output::code(code))
}
