//! `mkdir`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn mkdir(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let letters = Letters::read("mkdir", arguments, "pv", "m", &[("parents", 'p')])?;
    let mut output = Output::default();
    for name in &letters.words {
        let path = run.path(name);
        if !run.is_folder(name) && run.read(name).is_none() {
            run.shell.folders.insert(path);
        } else if !letters.has('p') {
            output.complain(format!(
                "mkdir: cannot create directory '{name}': File exists"
            ));
        }
    }
    Ok(output)
}
