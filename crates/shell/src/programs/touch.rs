//! `touch`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

/// Creates files that do not exist yet; files have no times here.
pub(super) fn touch(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let letters = Letters::read("touch", arguments, "am", "", &[])?;
    if letters.words.is_empty() {
        return Err(Failure::new(1, "touch: missing file operand"));
    }
    for name in &letters.words {
        if !run.is_folder(name) {
            let _ = run.write(name, "", true);
        }
    }
    Ok(Output::default())
}
