//! Programs that read lines and print lines.

use std::cmp::Ordering;

use super::{Letters, inputs, usage};
use crate::base::sort as order;
use crate::kubectl::Output;
use crate::kubectl::shell::run::Run;

/// Joins lines, each with its end.
fn joined<'a>(lines: impl IntoIterator<Item = &'a str>) -> Output {
    let mut output = Output::default();
    for line in lines {
        output.say(line);
    }
    output
}

/// All files' text together.
///
/// # Errors
/// The failure to read one.
fn all_text(
    run: &Run<'_>,
    program: &str,
    files: &[String],
    stdin: &str,
) -> Result<String, Box<Output>> {
    let files = inputs(run, program, files, stdin);
    let files = files.map_err(|why| Box::new(Output::failure(&why, 1)))?;
    Ok(files.into_iter().map(|(_, text)| text).collect())
}

pub(crate) fn cat(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "neATs", "", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage("cat", &why),
    };
    match all_text(run, "cat", &letters.words, stdin) {
        Ok(text) if letters.has('n') => {
            let lines = text.lines().enumerate();
            let lines = lines.map(|(index, line)| format!("{:>6}\t{line}\n", index + 1));
            Output::text(lines.collect::<String>())
        }
        Ok(text) => Output::text(text),
        Err(failure) => *failure,
    }
}

pub(crate) fn tee(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "a", "", &[("append", 'a')]) {
        Ok(letters) => letters,
        Err(why) => return usage("tee", &why),
    };
    for file in &letters.words {
        run.write(file, stdin.to_owned(), letters.has('a'));
    }
    Output::text(stdin)
}

/// `head -5` is `head -n 5`.
fn old_count(arguments: &[String]) -> Vec<String> {
    let spelled = arguments.iter().map(|argument| {
        let digits = argument.strip_prefix('-').unwrap_or_default();
        let is_count = !digits.is_empty() && digits.chars().all(|it| it.is_ascii_digit());
        if is_count {
            format!("-n{digits}")
        } else {
            argument.clone()
        }
    });
    spelled.collect()
}

pub(crate) fn head(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    ends(run, "head", arguments, stdin, |lines, count| {
        let count = match count.strip_prefix('-') {
            Some(but) => lines.len().saturating_sub(but.parse().ok()?),
            None => count.parse().ok()?,
        };
        Some(lines.get(..count.min(lines.len()))?.to_vec())
    })
}

pub(crate) fn tail(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    ends(run, "tail", arguments, stdin, |lines, count| {
        let start = match count.strip_prefix('+') {
            Some(from) => from.parse::<usize>().ok()?.saturating_sub(1),
            None => lines.len().saturating_sub(count.parse().ok()?),
        };
        Some(lines.get(start.min(lines.len())..)?.to_vec())
    })
}

fn ends(
    run: &Run<'_>,
    program: &str,
    arguments: &[String],
    stdin: &str,
    take: impl for<'t> Fn(&[&'t str], &str) -> Option<Vec<&'t str>>,
) -> Output {
    let letters = match Letters::read(&old_count(arguments), "qvf", "n", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage(program, &why),
    };
    let text = match all_text(run, program, &letters.words, stdin) {
        Ok(text) => text,
        Err(failure) => return *failure,
    };
    let lines: Vec<&str> = text.lines().collect();
    let count = letters.value('n').unwrap_or("10");
    match take(&lines, count) {
        Some(lines) => joined(lines),
        None => usage(program, &format!("invalid number of lines: '{count}'")),
    }
}

pub(crate) fn wc(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "lwcm", "", &[("lines", 'l')]) {
        Ok(letters) => letters,
        Err(why) => return usage("wc", &why),
    };
    let files = match inputs(run, "wc", &letters.words, stdin) {
        Ok(files) => files,
        Err(why) => return Output::failure(&why, 1),
    };
    let mut output = Output::default();
    for (name, text) in &files {
        let counts = [
            ('l', text.matches('\n').count()),
            ('w', text.split_whitespace().count()),
            ('m', text.chars().count()),
            ('c', text.len()),
        ];
        let wanted = counts.iter().filter(|(letter, _)| {
            letters.has(*letter) || letters.flags.is_empty() && *letter != 'm'
        });
        let wanted: Vec<usize> = wanted.map(|(_, count)| *count).collect();
        let told = match wanted.as_slice() {
            [one] => one.to_string(),
            more => {
                let columns = more.iter().map(|count| format!("{count:>7}"));
                columns.collect::<Vec<String>>().join(" ")
            }
        };
        output.say(format!("{told} {name}").trim_end());
    }
    output
}

pub(crate) fn sort(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "rnuVfbh", "kt", &[("reverse", 'r')]) {
        Ok(letters) => letters,
        Err(why) => return usage("sort", &why),
    };
    let text = match all_text(run, "sort", &letters.words, stdin) {
        Ok(text) => text,
        Err(failure) => return *failure,
    };
    let column = letters.value('k').and_then(|key| {
        let digits = key.trim_start_matches(|it: char| !it.is_ascii_digit());
        let end = digits
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(digits.len());
        digits.get(..end)?.parse::<usize>().ok()
    });
    let by_number = letters.has('n')
        || letters.has('h')
        || letters.value('k').is_some_and(|key| key.contains('n'));
    let separator = letters.value('t').and_then(|it| it.chars().next());
    let key = |line: &str| -> String {
        match (column, separator) {
            (None | Some(0), _) => line.to_owned(),
            (Some(column), Some(separator)) => {
                let field = line.split(separator).nth(column - 1);
                field.unwrap_or_default().to_owned()
            }
            (Some(column), None) => {
                let fields = line.split_whitespace().skip(column - 1);
                fields.collect::<Vec<&str>>().join(" ")
            }
        }
    };
    let mut lines: Vec<&str> = text.lines().collect();
    order::sort_by(&mut lines, |one, other| {
        let (first, second) = (key(one), key(other));
        let by_key = if by_number {
            number_of(&first).total_cmp(&number_of(&second))
        } else {
            first.cmp(&second)
        };
        by_key.then_with(|| one.cmp(other))
    });
    if letters.has('u') {
        lines.dedup();
    }
    if letters.has('r') {
        lines.reverse();
    }
    joined(lines)
}

/// The number that a text begins with; 0 if there is none.
fn number_of(text: &str) -> f64 {
    let text = text.trim_start();
    let end = text
        .find(|it: char| !it.is_ascii_digit() && !"-.".contains(it))
        .unwrap_or(text.len());
    let number = text.get(..end).and_then(|it| it.parse().ok());
    number.unwrap_or(0.0)
}

pub(crate) fn uniq(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "cdui", "", &[("count", 'c')]) {
        Ok(letters) => letters,
        Err(why) => return usage("uniq", &why),
    };
    let text = match all_text(run, "uniq", &letters.words, stdin) {
        Ok(text) => text,
        Err(failure) => return *failure,
    };
    let mut groups: Vec<(&str, usize)> = Vec::new();
    for line in text.lines() {
        match groups.last_mut() {
            Some((last, count)) if *last == line => *count += 1,
            _ => groups.push((line, 1)),
        }
    }
    let mut output = Output::default();
    for (line, count) in groups {
        let is_left_out = letters.has('d') && count == 1 || letters.has('u') && count > 1;
        if is_left_out {
            continue;
        }
        if letters.has('c') {
            output.say(format!("{count:>7} {line}"));
        } else {
            output.say(line);
        }
    }
    output
}

pub(crate) fn cut(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "s", "dfc", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage("cut", &why),
    };
    let text = match all_text(run, "cut", &letters.words, stdin) {
        Ok(text) => text,
        Err(failure) => return *failure,
    };
    let (list, by_letter) = match (letters.value('f'), letters.value('c')) {
        (Some(list), _) => (list, false),
        (None, Some(list)) => (list, true),
        (None, None) => {
            return usage(
                "cut",
                "you must specify a list of bytes, characters, or fields",
            );
        }
    };
    let Some(ranges) = ranges(list) else {
        return usage("cut", &format!("invalid field value '{list}'"));
    };
    let takes = |index: usize| {
        let number = index + 1;
        ranges
            .iter()
            .any(|(from, to)| (*from..=*to).contains(&number))
    };
    let separator = letters.value('d').and_then(|it| it.chars().next());
    let separator = separator.unwrap_or('\t');
    let line = |line: &str| -> String {
        if by_letter {
            let chosen = line.chars().enumerate().filter(|(index, _)| takes(*index));
            return chosen.map(|(_, letter)| letter).collect();
        }
        if !line.contains(separator) {
            return line.to_owned();
        }
        let chosen = line.split(separator).enumerate();
        let chosen = chosen.filter(|(index, _)| takes(*index)).map(|(_, it)| it);
        chosen.collect::<Vec<&str>>().join(&separator.to_string())
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    joined(lines.iter().map(String::as_str))
}

/// `1,3-5,7-`.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    let range = |part: &str| match part.split_once('-') {
        None => part.parse().ok().map(|number: usize| (number, number)),
        Some(("", to)) => Some((1, to.parse().ok()?)),
        Some((from, "")) => Some((from.parse().ok()?, usize::MAX)),
        Some((from, to)) => Some((from.parse().ok()?, to.parse().ok()?)),
    };
    let ranges: Option<Vec<(usize, usize)>> = list.split(',').map(range).collect();
    ranges.filter(|ranges| {
        ranges
            .iter()
            .all(|(from, to)| *from > 0 && from.cmp(to) != Ordering::Greater)
    })
}

pub(crate) fn tr(_: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let letters = match Letters::read(arguments, "ds", "", &[]) {
        Ok(letters) => letters,
        Err(why) => return usage("tr", &why),
    };
    let set = |index: usize| -> Vec<char> {
        let word = letters.words.get(index).map_or("", String::as_str);
        let word = word.replace("\\n", "\n").replace("\\t", "\t");
        let word = word.replace("[:space:]", " \t\n\r");
        let word = word.replace("[:lower:]", "a-z").replace("[:upper:]", "A-Z");
        let mut set = Vec::new();
        let all: Vec<char> = word.chars().collect();
        let mut at = 0;
        while let Some(letter) = all.get(at) {
            if all.get(at + 1) == Some(&'-')
                && let Some(last) = all.get(at + 2)
            {
                set.extend((*letter..=*last).take(1_000));
                at += 3;
            } else {
                set.push(*letter);
                at += 1;
            }
        }
        set
    };
    let (from, to) = (set(0), set(1));
    let mut text = String::new();
    for letter in stdin.chars() {
        let place = from.iter().position(|it| *it == letter);
        let made = match place {
            None => Some(letter),
            Some(_) if letters.has('d') => None,
            Some(index) => to.get(index).or(to.last()).copied().or(Some(letter)),
        };
        let squeezed = letters.has('s')
            && made.is_some()
            && text.chars().last() == made
            && (to.is_empty() && place.is_some() || made.is_some_and(|it| to.contains(&it)));
        if let Some(made) = made.filter(|_| !squeezed) {
            text.push(made);
        }
    }
    Output::text(text)
}
