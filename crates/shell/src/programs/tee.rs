//! `tee`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn tee(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("tee", arguments, "a", "", &[("append", 'a')])?;
    for file in &letters.words {
        run.write(file, stdin.to_owned(), letters.has('a'));
    }
    Ok(Output::text(stdin))
}
