//! `test` and `[`.

use crate::run::Run;
use crate::{Failure, Output};

pub(crate) fn test(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let words = match words.as_slice() {
        [inner @ .., "]"] => inner,
        all => all,
    };
    let (words, negated) = match words {
        ["!", rest @ ..] => (rest, true),
        all => (all, false),
    };
    let holds = match words {
        [] => false,
        [word] | ["-n", word] => !word.is_empty(),
        ["-z", word] => word.is_empty(),
        ["-f", name] => run.read(name).is_some(),
        ["-e" | "-r", name] => run.read(name).is_some() || run.is_folder(name),
        ["-s", name] => run.read(name).is_some_and(|text| !text.is_empty()) || run.is_folder(name),
        ["-d", name] => run.is_folder(name),
        [one, "=" | "==", other] => one == other,
        [one, "!=", other] => one != other,
        [one, operator, other] => compare(number(one)?, operator, number(other)?)?,
        _ => return Err(wrong("too many arguments")),
    };
    Ok(Output::code(i32::from(holds == negated)))
}

fn compare(one: i64, operator: &str, other: i64) -> Result<bool, Failure> {
    Ok(match operator {
        "-eq" => one == other,
        "-ne" => one != other,
        "-lt" => one < other,
        "-le" => one <= other,
        "-gt" => one > other,
        "-ge" => one >= other,
        operator => return Err(wrong(&format!("{operator}: binary operator expected"))),
    })
}

fn number(word: &str) -> Result<i64, Failure> {
    let number = word.trim().parse::<i64>();
    number.map_err(|_| wrong(&format!("{word}: integer expression expected")))
}

fn wrong(why: &str) -> Failure {
    Failure::new(2, format!("bash: [: {why}"))
}
