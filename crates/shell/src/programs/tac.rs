//! `tac`.

use super::{Letters, all_text, joined};
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn tac(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Result<Output, Failure> {
    let letters = Letters::read("tac", arguments, "", "", &[])?;
    let text = all_text(run, "tac", &letters.words, stdin)?;
    Ok(joined(text.lines().rev()))
}
