//! `cd` and `pwd`.

use crate::files::HOME;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn pwd(run: &mut Run<'_>, _: &[String], _: &str) -> Result<Output, Failure> {
    Ok(Output::text(format!("{}\n", run.shell.folder)))
}

pub(super) fn cd(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let name = arguments.first().map_or(HOME, String::as_str);
    if !run.is_folder(name) {
        let why = if run.read(name).is_some() {
            "Not a directory"
        } else {
            "No such file or directory"
        };
        return Err(Failure::new(1, format!("bash: cd: {name}: {why}")));
    }
    let path = run.path(name);
    run.shell.folder = match path.as_str() {
        "" => HOME.to_owned(),
        path if path.starts_with('/') => path.to_owned(),
        path => format!("{HOME}/{path}"),
    };
    Ok(Output::default())
}
