//! Files and folders, conditions, and `xargs`.

use super::{Letters, find, usage};
use crate::kubectl::shell::files::HOME;
use crate::kubectl::shell::run::Run;
use crate::kubectl::{OpenRequest, Output};

pub(crate) fn pwd(run: &mut Run<'_>, _: &[String], _: &str) -> Output {
    Output::text(format!("{}\n", run.shell.folder))
}

pub(crate) fn cd(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let name = arguments.first().map_or(HOME, String::as_str);
    if !run.is_folder(name) {
        let why = if run.read(name).is_some() {
            "Not a directory"
        } else {
            "No such file or directory"
        };
        return Output::failure(&format!("bash: cd: {name}: {why}"), 1);
    }
    let path = run.path(name);
    run.shell.folder = match path.as_str() {
        "" => HOME.to_owned(),
        path if path.starts_with('/') => path.to_owned(),
        path => format!("{HOME}/{path}"),
    };
    Output::default()
}

pub(crate) fn mkdir(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let letters = match Letters::read(arguments, "pv", "m", &[("parents", 'p')]) {
        Ok(letters) => letters,
        Err(why) => return usage("mkdir", &why),
    };
    let mut output = Output::default();
    for name in &letters.words {
        let path = run.path(name);
        if run.is_folder(name) || run.read(name).is_some() {
            if !letters.has('p') {
                output.complain(format!(
                    "mkdir: cannot create directory '{name}': File exists"
                ));
            }
        } else {
            run.shell.folders.insert(path);
        }
    }
    output
}

pub(crate) fn ls(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let letters = match Letters::read(arguments, "la1hRtrA", "", &[("all", 'a')]) {
        Ok(letters) => letters,
        Err(why) => return usage("ls", &why),
    };
    let here = vec![".".to_owned()];
    let names = if letters.words.is_empty() {
        &here
    } else {
        &letters.words
    };
    let mut output = Output::default();
    for name in names {
        if run.is_folder(name) {
            for entry in run.entries(name) {
                output.say(entry);
            }
        } else if run.read(name).is_some() {
            output.say(name);
        } else {
            output.complain(format!(
                "ls: cannot access '{name}': No such file or directory"
            ));
            output.code = 2;
        }
    }
    output
}

pub(crate) fn rm(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let letters = match Letters::read(arguments, "rfRv", "", &[("force", 'f'), ("recursive", 'r')])
    {
        Ok(letters) => letters,
        Err(why) => return usage("rm", &why),
    };
    let recursive = letters.has('r') || letters.has('R');
    let mut output = Output::default();
    for name in &letters.words {
        let path = run.path(name);
        if run.cluster.remove_file(&path) {
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
            for file in run.cluster.files() {
                if file.starts_with(&inside) {
                    run.cluster.remove_file(&file);
                }
            }
            let folders = &mut run.shell.folders;
            folders.retain(|folder| *folder != path && !folder.starts_with(&inside));
        } else {
            output.complain(format!("rm: cannot remove '{name}': Is a directory"));
        }
    }
    output
}

/// `vi FILE`: the editor is asked for.
pub(crate) fn edit(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let file = arguments.iter().find(|it| !it.starts_with(['-', '+']));
    let Some(name) = file else {
        return Output::failure("name the file to edit: vi FILE", 1);
    };
    if run.is_folder(name) {
        return Output::failure(&format!("\"{name}\" is a directory"), 1);
    }
    Output {
        open: Some(OpenRequest::File {
            path: run.path(name),
            text: run.read(name).unwrap_or_default(),
        }),
        ..Output::default()
    }
}

/// `test` and `[`.
pub(crate) fn test(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let words = match words.as_slice() {
        [inner @ .., "]"] => inner,
        all => all,
    };
    let (words, negated) = match words {
        ["!", rest @ ..] => (rest, true),
        all => (all, false),
    };
    let number = |word: &str| word.trim().parse::<i64>();
    let is_so = match words {
        [] => false,
        [word] | ["-n", word] => !word.is_empty(),
        ["-z", word] => word.is_empty(),
        ["-f" | "-e" | "-s" | "-r", name] => run.read(name).is_some(),
        ["-d", name] => run.is_folder(name),
        [one, "=" | "==", other] => one == other,
        [one, "!=", other] => one != other,
        [one, operator, other] => {
            let (one, other) = match (number(one), number(other)) {
                (Ok(one), Ok(other)) => (one, other),
                (Err(_), _) => {
                    let complaint = format!("bash: [: {one}: integer expression expected");
                    return Output::failure(&complaint, 2);
                }
                (_, Err(_)) => {
                    let complaint = format!("bash: [: {other}: integer expression expected");
                    return Output::failure(&complaint, 2);
                }
            };
            match *operator {
                "-eq" => one == other,
                "-ne" => one != other,
                "-lt" => one < other,
                "-le" => one <= other,
                "-gt" => one > other,
                "-ge" => one >= other,
                operator => {
                    let complaint = format!("bash: [: {operator}: binary operator expected");
                    return Output::failure(&complaint, 2);
                }
            }
        }
        _ => return Output::failure("bash: [: too many arguments", 2),
    };
    Output {
        code: i32::from(is_so == negated),
        ..Output::default()
    }
}

/// Runs a program with the words of the input behind its own.
pub(crate) fn xargs(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let mut rest = arguments;
    let (mut each, mut replaced, mut only_some) = (None, None, false);
    while let [flag, behind @ ..] = rest {
        match (flag.as_str(), behind) {
            ("-r" | "--no-run-if-empty" | "-t", _) => {
                only_some = true;
                rest = behind;
            }
            ("-n", [count, behind @ ..]) => {
                each = count.parse::<usize>().ok().filter(|count| *count > 0);
                rest = behind;
            }
            ("-I", [word, behind @ ..]) => {
                replaced = Some(word.as_str());
                rest = behind;
            }
            (other, _) => {
                if let Some(count) = other.strip_prefix("-n") {
                    each = count.parse::<usize>().ok().filter(|count| *count > 0);
                } else if let Some(word) = other.strip_prefix("-I") {
                    replaced = Some(word);
                } else if other.starts_with('-') {
                    return usage("xargs", &format!("invalid option '{other}'"));
                } else {
                    break;
                }
                rest = behind;
            }
        }
    }
    let echo = vec!["echo".to_owned()];
    let command = if rest.is_empty() { &echo } else { rest };
    let Some((program, own)) = command.split_first() else {
        return Output::default();
    };
    let Some(program) = find(program) else {
        return Output::failure(&format!("xargs: {program}: No such file or directory"), 127);
    };
    let calls: Vec<Vec<String>> = if let Some(mark) = replaced.filter(|mark| !mark.is_empty()) {
        let lines = stdin.lines().map(str::trim).filter(|line| !line.is_empty());
        let call = |line: &str| own.iter().map(|it| it.replace(mark, line)).collect();
        lines.map(call).collect()
    } else {
        let words: Vec<String> = stdin.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() && only_some {
            return Output::default();
        }
        let size = each.unwrap_or(words.len()).max(1);
        let mut calls: Vec<Vec<String>> = words
            .chunks(size)
            .map(|chunk| own.iter().chain(chunk).cloned().collect())
            .collect();
        if calls.is_empty() {
            calls.push(own.to_vec());
        }
        calls
    };
    let mut output = Output::default();
    for call in calls {
        let ran = program(run, &call, "");
        output.stdout.push_str(&ran.stdout);
        output.stderr.push_str(&ran.stderr);
        if ran.code != 0 {
            output.code = 123;
        }
    }
    output
}
