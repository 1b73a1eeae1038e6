//! `export` and `unset`.

use crate::parse::is_name;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn export(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut output = Output::default();
    for argument in arguments {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument.as_str(), None),
        };
        if !is_name(name) {
            output.complain(format!(
                "bash: export: `{argument}': not a valid identifier"
            ));
        } else if let Some(value) = value {
            let set = run.set_variables([(name.to_owned(), value.to_owned())]);
            if let Err(why) = set {
                output.complain(format!("bash: export: {why}"));
            }
        }
    }
    Ok(output)
}

pub(super) fn unset(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    for argument in arguments {
        run.shell.variables.remove(argument);
    }
    Ok(Output::default())
}
