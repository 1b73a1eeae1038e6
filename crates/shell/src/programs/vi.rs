//! `vi`, `vim` and `nano`: the caller opens its editor.

use crate::run::Run;
use crate::{Failure, OpenRequest, Output};

pub(super) fn vi(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let file = arguments.iter().find(|it| !it.starts_with(['-', '+']));
    let Some(name) = file else {
        return Err(Failure::new(1, "name the file to edit: vi FILE"));
    };
    if run.is_folder(name) {
        return Err(Failure::new(1, format!("\"{name}\" is a directory")));
    }
    Ok(Output {
        open: Some(OpenRequest::File {
            path: run.path(name),
            text: run.read(name).unwrap_or_default(),
        }),
        ..Output::default()
    })
}
