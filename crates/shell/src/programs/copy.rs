//! `cp` and `mv`.

use super::Letters;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn cp(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let long = [("recursive", 'r'), ("force", 'f')];
    let letters = Letters::read("cp", arguments, "rRafpv", "", &long)?;
    let recursive = ['r', 'R', 'a'].iter().any(|letter| letters.has(*letter));
    copy(run, "cp", &letters.words, recursive)
}

pub(super) fn mv(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let letters = Letters::read("mv", arguments, "fv", "", &[("force", 'f')])?;
    copy(run, "mv", &letters.words, true)
}

/// Copies files and, if `recursive`, folders; `mv` then removes them.
fn copy(
    run: &mut Run<'_>,
    program: &str,
    words: &[String],
    recursive: bool,
) -> Result<Output, Failure> {
    let fail = |why: String| Err(Failure::new(1, format!("{program}: {why}")));
    let (target, sources) = match words.split_last() {
        None => return fail("missing file operand".to_owned()),
        Some((only, [])) => {
            return fail(format!("missing destination file operand after '{only}'"));
        }
        Some(words) => words,
    };
    let into = run.is_folder(target);
    if sources.len() > 1 && !into {
        return fail(format!("target '{target}' is not a directory"));
    }
    let mut output = Output::default();
    for source in sources {
        let name = source.trim_end_matches('/').rsplit('/').next();
        let to = if into {
            format!("{target}/{}", name.unwrap_or_default())
        } else {
            target.clone()
        };
        let (old, new) = (run.path(source), run.path(&to));
        let inside = format!("{old}/");
        if let Some(text) = run.read(source) {
            if old == new {
                output.complain(format!(
                    "{program}: '{source}' and '{to}' are the same file"
                ));
            } else {
                match run.store(&new, text) {
                    Err(why) => output.complain(format!("{program}: {to}: {why}")),
                    Ok(()) if program == "mv" => drop(run.host.remove_file(&old)),
                    Ok(()) => {}
                }
            }
        } else if !run.is_folder(source) {
            output.complain(format!(
                "{program}: cannot stat '{source}': No such file or directory"
            ));
        } else if !recursive {
            output.complain(format!(
                "cp: -r not specified; omitting directory '{source}'"
            ));
        } else if run.read(&to).is_some() {
            output.complain(format!(
                "{program}: cannot overwrite non-directory '{to}' with directory '{source}'"
            ));
        } else if old.is_empty() || old == new || new.starts_with(&inside) {
            output.complain(format!(
                "{program}: cannot copy a directory, '{source}', into itself, '{to}'"
            ));
        } else if let Err(why) = copy_folder(run, &old, &new, program == "mv") {
            output.complain(format!("{program}: {to}: {why}"));
        }
    }
    Ok(output)
}

/// Copies the files and folders in a folder; both names are paths of the host.
fn copy_folder(run: &mut Run<'_>, old: &str, new: &str, moves: bool) -> Result<(), String> {
    let inside = |path: &str| {
        let rest = path.strip_prefix(old)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{new}{rest}"))
    };
    for file in run.host.files() {
        if let Some(copied) = inside(&file) {
            let text = run.host.file(&file).unwrap_or_default();
            run.store(&copied, text)?;
            if moves {
                run.host.remove_file(&file);
            }
        }
    }
    let folders = &mut run.shell.folders;
    let copied: Vec<String> = folders.iter().filter_map(|folder| inside(folder)).collect();
    if moves {
        folders.retain(|folder| inside(folder).is_none());
    }
    folders.extend(copied);
    Ok(())
}
