//! `rm`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

const LONG: &[(&str, char)] = &[("force", 'f'), ("recursive", 'r')];

pub(super) fn rm(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let letters = Letters::read("rm", arguments, "rfRv", "", LONG)?;
    let recursive = letters.has('r') || letters.has('R');
    let mut output = Output::default();
    for name in &letters.words {
        let path = run.path(name);
        if run.host.remove_file(&path) {
            continue;
        }
        if !run.is_folder(name) {
            if !letters.has('f') {
                output.complain(format!(
                    "rm: cannot remove '{name}': No such file or directory"
                ));
            }
        } else if recursive {
            let inside = format!("{path}/");
            for file in run.host.files() {
                if file.starts_with(&inside) {
                    run.host.remove_file(&file);
                }
            }
            let folders = &mut run.shell.folders;
            folders.retain(|folder| *folder != path && !folder.starts_with(&inside));
        } else {
            output.complain(format!("rm: cannot remove '{name}': Is a directory"));
        }
    }
    Ok(output)
}
