//! What bash does itself: `echo`, variables, aliases, options.

use super::{Letters, usage};
use crate::kubectl::Output;
use crate::kubectl::shell::parse::is_name;
use crate::kubectl::shell::run::Run;

pub(crate) fn echo(_: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let flags = arguments
        .iter()
        .take_while(|it| matches!(it.as_str(), "-n" | "-e" | "-ne" | "-en" | "-E"));
    let flags = flags.count();
    let has = |letter: char| arguments.iter().take(flags).any(|it| it.contains(letter));
    let words = arguments.get(flags..).unwrap_or_default();
    let mut text = words.join(" ");
    if has('e') {
        text = unescaped(&text);
    }
    if !has('n') {
        text.push('\n');
    }
    Output::text(text)
}

pub(crate) fn printf(_: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let Some((format, words)) = arguments.split_first() else {
        return usage("bash: printf", "usage: printf [-v var] format [arguments]");
    };
    let format = unescaped(format);
    let mut text = String::new();
    let mut words = words.iter();
    loop {
        let left = words.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            match letters.next() {
                Some('s' | 'd') => text.push_str(words.next().map_or("", String::as_str)),
                Some('%') => text.push('%'),
                Some(other) => {
                    text.push('%');
                    text.push(other);
                }
                None => text.push('%'),
            }
        }
        if words.len() == 0 || words.len() == left {
            return Output::text(text);
        }
    }
}

fn unescaped(text: &str) -> String {
    let mut made = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            made.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => made.push('\n'),
            Some('t') => made.push('\t'),
            Some('\\') | None => made.push('\\'),
            Some(other) => {
                made.push('\\');
                made.push(other);
            }
        }
    }
    made
}

/// `let`: ends well if the last value is not 0.
pub(crate) fn calculate(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut value = 0;
    for argument in arguments {
        match run.reckon(argument) {
            Ok(number) => value = number,
            Err(why) => return Output::failure(&format!("bash: let: {why}"), 1),
        }
    }
    if arguments.is_empty() {
        return Output::failure("bash: let: expression expected", 1);
    }
    Output {
        code: i32::from(value == 0),
        ..Output::default()
    }
}

pub(crate) fn seq(_: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let numbers: Option<Vec<i64>> = arguments.iter().map(|it| it.parse().ok()).collect();
    let (from, step, to) = match numbers.as_deref() {
        Some([to]) => (1, 1, *to),
        Some([from, to]) => (*from, 1, *to),
        Some([from, step, to]) if *step != 0 => (*from, *step, *to),
        _ => {
            return usage(
                "seq",
                "only integers are simulated: seq [FIRST [STEP]] LAST",
            );
        }
    };
    let mut output = Output::default();
    let mut at = from;
    for _ in 0..10_000 {
        if step > 0 && at > to || step < 0 && at < to {
            break;
        }
        output.say(at.to_string());
        at = at.saturating_add(step);
    }
    output
}

pub(crate) fn alias(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut output = Output::default();
    let told = |name: &str, text: &str| format!("alias {name}='{text}'");
    if arguments.is_empty() {
        for (name, text) in &run.shell.aliases {
            output.say(told(name, text));
        }
    }
    for argument in arguments {
        if let Some((name, text)) = argument.split_once('=') {
            let aliases = &mut run.shell.aliases;
            aliases.insert(name.to_owned(), text.to_owned());
        } else if let Some(text) = run.shell.aliases.get(argument) {
            output.say(told(argument, text));
        } else {
            output.complain(format!("bash: alias: {argument}: not found"));
        }
    }
    output
}

pub(crate) fn unalias(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut output = Output::default();
    for argument in arguments {
        if argument == "-a" {
            run.shell.aliases.clear();
        } else if run.shell.aliases.remove(argument).is_none() {
            output.complain(format!("bash: unalias: {argument}: not found"));
        }
    }
    output
}

pub(crate) fn export(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
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
            let variables = &mut run.shell.variables;
            variables.insert(name.to_owned(), value.to_owned());
        }
    }
    output
}

pub(crate) fn unset(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    for argument in arguments {
        run.shell.variables.remove(argument);
    }
    Output::default()
}

pub(crate) fn set(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut output = Output::default();
    if arguments.is_empty() {
        for (name, value) in &run.shell.variables {
            output.say(format!("{name}={value}"));
        }
    }
    for argument in arguments {
        if let Some(letters) = argument.strip_prefix('-') {
            if letters.contains('e') {
                run.shell.stops_on_failure = Some(true);
            }
        } else if let Some(letters) = argument.strip_prefix('+')
            && letters.contains('e')
        {
            run.shell.stops_on_failure = Some(false);
        }
    }
    output
}

pub(crate) fn exit(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let letters = Letters::read(arguments, "", "", &[]);
    let word = letters.ok().and_then(|it| it.words.into_iter().next());
    let code = match word {
        None => run.shell.status,
        Some(word) => match word.parse::<i32>() {
            Ok(code) => code.rem_euclid(256),
            Err(_) => {
                run.shell.exited = Some(2);
                return Output::failure(
                    &format!("bash: exit: {word}: numeric argument required"),
                    2,
                );
            }
        },
    };
    run.shell.exited = Some(code);
    Output {
        code,
        ..Output::default()
    }
}

/// Files that are there on every machine, and say nothing that matters here.
const PROFILES: [&str; 5] = [
    "/etc/bash_completion",
    "/etc/profile",
    "/home/berth/.bash_profile",
    "/home/berth/.bashrc",
    "/usr/share/bash-completion/bash_completion",
];

/// `source FILE`: its lines, run in this shell.
pub(crate) fn source(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let Some(name) = arguments.first() else {
        return Output::failure(
            "bash: source: filename argument required\nsource: usage: source filename [arguments]",
            2,
        );
    };
    match run.read(name) {
        Some(text) => run.line(&text, stdin),
        None if PROFILES.contains(&name.as_str()) => Output::default(),
        None => Output::failure(&format!("bash: {name}: No such file or directory"), 1),
    }
}

/// `read NAME…`: a line of the input, or of the loop's; what is left of it is the last name's.
pub(crate) fn read(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "rs", "p", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage("bash: read", &why),
    };
    let input = run.lines.take();
    let is_loop = input.is_some();
    let input = input.unwrap_or_else(|| stdin.to_owned());
    let (line, rest) = match input.split_once('\n') {
        Some((line, rest)) => (line, rest),
        None => (input.as_str(), ""),
    };
    let (is_over, line) = (input.is_empty(), line.trim().to_owned());
    if is_loop {
        run.lines = Some(rest.to_owned());
    }
    let reply = vec!["REPLY".to_owned()];
    let names = if letters.words.is_empty() {
        &reply
    } else {
        &letters.words
    };
    let mut left = line.as_str();
    for (place, name) in names.iter().enumerate() {
        let (word, behind) = left.split_once(char::is_whitespace).unwrap_or((left, ""));
        let value = if place + 1 == names.len() { left } else { word };
        let variables = &mut run.shell.variables;
        variables.insert(name.clone(), value.to_owned());
        left = behind.trim_start();
    }
    Output {
        code: i32::from(is_over),
        ..Output::default()
    }
}
