//! `ls`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn ls(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut letters = Letters::read("ls", arguments, "la1hrA", "", &[("all", 'a')])?;
    if letters.words.is_empty() {
        letters.words.push(".".to_owned());
    }
    let mut output = Output::default();
    for name in &letters.words {
        if run.is_folder(name) {
            let mut entries = run.entries(name);
            if letters.has('r') {
                entries.reverse();
            }
            for entry in entries {
                output.line(entry);
            }
        } else if run.read(name).is_some() {
            output.line(name);
        } else {
            output.complain(format!(
                "ls: cannot access '{name}': No such file or directory"
            ));
            output.code = 2;
        }
    }
    Ok(output)
}
