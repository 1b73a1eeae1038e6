//! `tee`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn tee(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("tee", arguments, "a", "", &[("append", 'a')])?;
    let mut output = Output::text(stdin);
    for file in &letters.words {
        if let Err(why) = run.write(file, stdin, letters.has('a')) {
            output.complain(format!("tee: {why}"));
        }
    }
    Ok(output)
}
