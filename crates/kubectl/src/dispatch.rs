//! `kubectl`: finds the command that words begin with, reads its flags, and runs it.

use crate::arguments::{Arguments, GLOBAL, parse};
use crate::call::{Call, Settings, Verb};
use crate::cmd::{help, in_full, not_kept, verbs};
use crate::global_flags;
use crate::suspended::Suspended;
use crate::{Cluster, Output};

/// The input of a command line.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// The words after `kubectl`.
    pub arguments: &'a [String],
    pub stdin: &'a str,
    /// The folder that relative file names refer to.
    pub folder: &'a str,
    /// Whether a waiting command is suspended.
    pub may_suspend: bool,
    /// Whether a person types: what a word processor has made of dashes is mended.
    pub is_typed: bool,
}

/// Runs a command line; returns its output, and the command if it is suspended.
pub fn invoke(
    invocation: Invocation<'_>,
    settings: &mut Settings,
    cluster: &mut dyn Cluster,
) -> (Output, Option<Box<dyn Suspended>>) {
    let given = invocation.arguments.iter();
    let arguments: Vec<String> = match invocation.is_typed {
        true => given.map(|it| dashed(it)).collect(),
        false => given.cloned().collect(),
    };
    let (verb, arguments) = match read(&arguments) {
        Ok(read) => read,
        Err(output) => return (*output, None),
    };
    let mut call = Call {
        verb,
        arguments,
        settings,
        stdin: invocation.stdin,
        folder: invocation.folder,
        may_suspend: invocation.may_suspend,
        suspended: None,
    };
    let named = call.arguments.word("field-manager");
    let manager = named.filter(|it| !it.is_empty());
    let manager = manager.map_or_else(|| manager_of(call.verb.name), str::to_owned);
    cluster.name_writer(&manager);
    let done = global_flags::check(&call, cluster)
        .and_then(|notes| Ok(notes.and((verb.run)(&mut call, cluster)?)));
    match done {
        Ok(mut output) => {
            cluster.settle();
            global_flags::judge(&call, &mut output);
            (output, call.suspended)
        }
        Err(complaint) => (Output::failure(&complaint, 1), None),
    }
}

/// A flag whose dashes a word processor has joined: `–record` for `--record`, `–o` for `-o`.
fn dashed(word: &str) -> String {
    match word.strip_prefix(['–', '—']) {
        Some(name) if name.chars().count() == 1 => format!("-{name}"),
        Some(name) => format!("--{name}"),
        None => word.to_owned(),
    }
}

/// The command of a line and its arguments, or the output of a help text or an error.
fn read(words: &[String]) -> Result<(&'static Verb, Arguments), Box<Output>> {
    let (leading, words) = leading_flags(words);
    let Some(first) = words.first() else {
        return Err(Box::new(Output::text(help::overview())));
    };
    let Some((verb, rest)) = find(words) else {
        return Err(Box::new(unknown(first, words)));
    };
    for group in ["create secret", "create service"] {
        let member = words.get(2).filter(|it| !it.starts_with('-'));
        let is_named = words.iter().take(2).eq(group.split(' '));
        if verb.name == "create" && is_named && member.is_some() {
            return Err(Box::new(no_member(group, words)));
        }
    }
    let rest: Vec<String> = leading.iter().chain(rest).cloned().collect();
    let mut flags = rest.iter().take_while(|it| *it != "--");
    if flags.any(|it| it == "--help" || it == "-h") {
        return Err(Box::new(Output::text(help::of(verb))));
    }
    // The flags of `create token` are unknown, so it is refused before they are parsed.
    if verb.name == "create"
        && let Some(complaint) = not_kept(&rest)
    {
        return Err(Box::new(Output::failure(&complaint, 1)));
    }
    let arguments = parse(&rest, &[verb.flags, GLOBAL]).map_err(|fault| {
        let name = in_full(verb.name);
        let complaint = format!("error: {fault}\nSee 'kubectl {name} --help' for usage.");
        Box::new(Output::failure(&complaint, 1))
    })?;
    Ok((verb, arguments))
}

/// The name by which a command's writes manage fields (kubectl's `GetFieldManagerFlag` defaults).
fn manager_of(verb: &str) -> String {
    let word = verb.split(' ').next().unwrap_or_default();
    match word {
        "apply" => "kubectl-client-side-apply".to_owned(),
        "scale" | "cordon" | "uncordon" | "drain" => "kubectl".to_owned(),
        word => format!("kubectl-{word}"),
    }
}

/// Splits off the flags before the command, with their values.
fn leading_flags(arguments: &[String]) -> (&[String], &[String]) {
    let mut at = 0;
    while let Some(flag) = arguments.get(at).filter(|it| it.starts_with('-')) {
        let takes_value = match flag.as_str() {
            "-n" | "--namespace" | "--context" | "--cluster" | "--user" | "--kubeconfig" | "-s"
            | "--server" | "--as" | "--as-group" | "--as-uid" | "--request-timeout" | "-v"
            | "--v" | "--cache-dir" => true,
            "-h" | "--help" => break,
            _ => false,
        };
        at += if takes_value { 2 } else { 1 };
    }
    arguments.split_at(at.min(arguments.len()))
}

/// The command with the longest name that words begin with, and the words after it.
fn find(words: &[String]) -> Option<(&'static Verb, &[String])> {
    let is_begun = |verb: &&'static Verb| {
        let mut names = verb.name.split(' ').enumerate();
        names.all(|(index, name)| words.get(index).is_some_and(|word| word == name))
    };
    let length = |verb: &&'static Verb| verb.name.split(' ').count();
    let verb = verbs().filter(is_begun).max_by_key(length)?;
    Some((verb, words.get(length(&verb)..)?))
}

/// The error of a group of commands about the words behind its name (cmdutil's `RequireNoArguments`).
fn no_member(group: &str, words: &[String]) -> Output {
    let behind = words.iter().skip(group.split(' ').count());
    let words: Vec<&str> = behind
        .map(String::as_str)
        .filter(|it| !it.starts_with('-'))
        .collect();
    let words = words.join(" ");
    let complaint =
        format!("error: unknown command {words:?}\nSee 'kubectl {group} -h' for help and examples");
    Output::failure(&complaint, 1)
}

/// kubectl's error about an unknown command.
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
            // A group of commands alone prints its help and fails.
            None => Output::failure(&help::group(first, &group), 1),
            Some(_) => no_member(first, words),
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
    berth_base::sort::sort(&mut near);
    if !near.is_empty() {
        complaint.push_str("\n\nDid you mean this?\n");
        for name in near {
            complaint.push_str(&format!("\t{name}\n"));
        }
    }
    Output::failure(&complaint, 1)
}

/// The Levenshtein distance between two words, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, letter) in a.to_lowercase().chars().enumerate() {
        let mut next = vec![index + 1];
        for (column, second) in b.iter().enumerate() {
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
