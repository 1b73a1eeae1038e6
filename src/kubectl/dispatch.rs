//! `kubectl`: finds the command that words begin with, reads its flags, and runs it.

use crate::kubectl::arguments::{GLOBAL, parse};
use crate::kubectl::call::{Call, Settings, Verb};
use crate::kubectl::cmd::{help, not_kept, verbs};
use crate::kubectl::{Cluster, Output};

/// Runs a command line; `arguments` are the words behind `kubectl`, `folder` is where files are looked for.
pub fn kubectl(
    arguments: &[String],
    settings: &mut Settings,
    stdin: &str,
    folder: &str,
    cluster: &mut dyn Cluster,
) -> Output {
    let (leading, words) = leading_flags(arguments);
    let Some(first) = words.first() else {
        return Output::text(help::overview());
    };
    let Some((verb, rest)) = find(words) else {
        return unknown(first, words);
    };
    let rest: Vec<String> = leading.iter().chain(rest).cloned().collect();
    if rest
        .iter()
        .take_while(|it| *it != "--")
        .any(|it| it == "--help" || it == "-h")
    {
        return Output::text(help::of(verb));
    }
    // Their flags are not known here.
    if verb.name == "create"
        && let Some(complaint) = not_kept(&rest)
    {
        return Output::failure(&complaint, 1);
    }
    let arguments = match parse(&rest, &[verb.flags, GLOBAL]) {
        Ok(arguments) => arguments,
        Err(fault) => {
            let name = verb.name;
            return Output::failure(
                &format!("error: {fault}\nSee 'kubectl {name} --help' for usage."),
                1,
            );
        }
    };
    let mut call = Call {
        verb,
        arguments,
        settings,
        stdin,
        folder,
    };
    if let Some(complaint) = call.wrong_context() {
        return Output::failure(&complaint, 1);
    }
    match (verb.run)(&mut call, cluster) {
        Ok(output) => {
            cluster.settle();
            output
        }
        Err(complaint) => Output::failure(&complaint, 1),
    }
}

/// Flags before the command, with their values.
fn leading_flags(arguments: &[String]) -> (&[String], &[String]) {
    let mut at = 0;
    while let Some(flag) = arguments.get(at).filter(|it| it.starts_with('-')) {
        let takes_value = match flag.as_str() {
            "-n" | "--namespace" | "--context" | "--cluster" | "--user" | "--kubeconfig" | "-s"
            | "--server" | "--as" | "--request-timeout" | "-v" | "--v" | "--cache-dir" => true,
            "-h" | "--help" => break,
            _ => false,
        };
        at += if takes_value { 2 } else { 1 };
    }
    arguments.split_at(at.min(arguments.len()))
}

/// The command that words begin with: the longest name counts. What is left of the words.
fn find(words: &[String]) -> Option<(&'static Verb, &[String])> {
    let is_begun = |verb: &&'static Verb| {
        let mut names = verb.name.split(' ').enumerate();
        names.all(|(index, name)| words.get(index).is_some_and(|word| word == name))
    };
    let length = |verb: &&'static Verb| verb.name.split(' ').count();
    let verb = verbs().filter(is_begun).max_by_key(length)?;
    Some((verb, words.get(length(&verb)..)?))
}

/// What kubectl says of a command that it does not have.
fn unknown(first: &str, words: &[String]) -> Output {
    if first == "--help" || first == "-h" {
        return Output::text(help::overview());
    }
    let inside = format!("{first} ");
    let group: Vec<&Verb> = verbs()
        .filter(|verb| verb.name.starts_with(&inside))
        .collect();
    if !group.is_empty() {
        let second = words.get(1).filter(|it| !it.starts_with('-'));
        return match second {
            None if words.len() > 1 => Output::text(help::group(first, &group)),
            // Alone it does nothing.
            None => Output::failure(&help::group(first, &group), 1),
            Some(second) => Output::failure(
                &format!(
                    "error: unknown command {second:?}\nSee 'kubectl {first} -h' for help and examples"
                ),
                1,
            ),
        };
    }
    let mut complaint = format!("error: unknown command {first:?} for \"kubectl\"");
    let mut near: Vec<&str> = Vec::new();
    for verb in verbs() {
        let name = verb.name.split(' ').next().unwrap_or_default();
        if !near.contains(&name) && (name.starts_with(first) || distance(first, name) <= 2) {
            near.push(name);
        }
    }
    crate::base::sort::sort(&mut near);
    if !near.is_empty() {
        complaint.push_str("\n\nDid you mean this?\n");
        for name in near {
            complaint.push_str(&format!("\t{name}\n"));
        }
    }
    Output::failure(&complaint, 1)
}

/// Letters to insert, remove or exchange between two words.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.to_lowercase().chars().enumerate() {
        let mut next = vec![index + 1];
        for (column, second) in other.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX);
            let exchanged = at(&row, column) + usize::from(letter != *second);
            let best = (at(&row, column + 1) + 1)
                .min(at(&next, column) + 1)
                .min(exchanged);
            next.push(best);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
