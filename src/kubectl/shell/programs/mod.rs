//! The programs of the terminal, as far as people use them around kubectl.

mod awk;
mod grep;
mod lines;
mod own;
mod sed;
mod ssh;
mod system;
mod time;

use super::jobs;
use super::run::Run;
use crate::kubectl::{Output, dispatch, files_here};

/// A program: its arguments and its input.
pub(crate) type Program = fn(&mut Run<'_>, &[String], &str) -> Output;

const PROGRAMS: &[(&str, Program)] = &[
    ("kubectl", kubectl),
    (".", own::source),
    (":", succeed),
    ("[", system::test),
    ("alias", own::alias),
    ("awk", awk::awk),
    ("cat", lines::cat),
    ("cd", system::cd),
    ("clear", clear),
    ("complete", succeed),
    ("cut", lines::cut),
    ("date", time::date),
    ("echo", own::echo),
    ("egrep", grep::egrep),
    ("exit", own::exit),
    ("export", own::export),
    ("false", fail),
    ("fgrep", grep::fgrep),
    ("fg", jobs::bring),
    ("grep", grep::grep),
    ("head", lines::head),
    ("jobs", succeed),
    ("kill", jobs::kill),
    ("let", own::calculate),
    ("ls", system::ls),
    ("mkdir", system::mkdir),
    ("nano", system::edit),
    ("printf", own::printf),
    ("pwd", system::pwd),
    ("read", own::read),
    ("rm", system::rm),
    ("sed", sed::sed),
    ("seq", own::seq),
    ("set", own::set),
    ("sleep", time::sleep),
    ("sort", lines::sort),
    ("shopt", succeed),
    ("source", own::source),
    ("ssh", ssh::ssh),
    ("tail", lines::tail),
    ("tee", lines::tee),
    ("test", system::test),
    ("tr", lines::tr),
    ("true", succeed),
    ("unalias", own::unalias),
    ("uniq", lines::uniq),
    ("unset", own::unset),
    ("vi", system::edit),
    ("vim", system::edit),
    ("wait", jobs::wait),
    ("watch", time::watch),
    ("wc", lines::wc),
    ("xargs", system::xargs),
];

/// What `clear` prints: an empty screen, also above what is seen of it.
const CLEARED: &str = "\x1b[H\x1b[2J\x1b[3J";

/// `test` with these words.
pub(crate) fn test(run: &mut Run<'_>, words: &[String]) -> Output {
    system::test(run, words, "")
}

/// The program of a name.
pub(crate) fn find(name: &str) -> Option<Program> {
    let found = PROGRAMS.iter().find(|(own, _)| *own == name);
    found.map(|(_, program)| *program)
}

/// All names, for completion.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|(name, _)| *name)
}

fn clear(_: &mut Run<'_>, _: &[String], _: &str) -> Output {
    Output::text(CLEARED.to_owned())
}

fn kubectl(run: &mut Run<'_>, arguments: &[String], stdin: &str) -> Output {
    let folder = run.path("");
    dispatch::kubectl(
        arguments,
        &mut run.shell.settings,
        stdin,
        &folder,
        run.cluster,
    )
}

fn succeed(_: &mut Run<'_>, _: &[String], _: &str) -> Output {
    Output::default()
}

fn fail(_: &mut Run<'_>, _: &[String], _: &str) -> Output {
    Output {
        code: 1,
        ..Output::default()
    }
}

/// Arguments taken apart: letters of flags with their values, and the words.
struct Letters {
    flags: Vec<(char, String)>,
    words: Vec<String>,
}

impl Letters {
    /// Reads `-abc`, `-n5`, `-n 5`; letters of `with_value` take one. Long flags stand for a letter.
    ///
    /// # Errors
    /// The first that is unknown.
    fn read(
        arguments: &[String],
        plain: &str,
        with_value: &str,
        long: &[(&str, char)],
    ) -> Result<Letters, String> {
        let mut letters = Letters {
            flags: Vec::new(),
            words: Vec::new(),
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "--" {
                letters.words.extend(rest.cloned());
                break;
            }
            if let Some(name) = argument.strip_prefix("--") {
                let (name, value) = name.split_once('=').unwrap_or((name, ""));
                let letter = long.iter().find(|(long, _)| *long == name);
                let letter = letter.ok_or_else(|| format!("unrecognized option '--{name}'"))?;
                letters.flags.push((letter.1, value.to_owned()));
                continue;
            }
            let Some(flags) = argument.strip_prefix('-').filter(|it| !it.is_empty()) else {
                letters.words.push(argument.clone());
                continue;
            };
            let mut behind = flags.chars();
            while let Some(letter) = behind.next() {
                if with_value.contains(letter) {
                    let value = match behind.as_str() {
                        "" => rest.next().cloned(),
                        value => Some(value.to_owned()),
                    };
                    let missing = || format!("option requires an argument -- '{letter}'");
                    letters.flags.push((letter, value.ok_or_else(missing)?));
                    break;
                }
                if !plain.contains(letter) {
                    return Err(format!("invalid option -- '{letter}'"));
                }
                letters.flags.push((letter, String::new()));
            }
        }
        Ok(letters)
    }

    fn has(&self, letter: char) -> bool {
        self.flags.iter().any(|(own, _)| *own == letter)
    }

    /// All values of a letter, in their order.
    fn values(&self, letter: char) -> impl Iterator<Item = &str> {
        let own = self.flags.iter().filter(move |(own, _)| *own == letter);
        own.map(|(_, value)| value.as_str())
    }

    fn value(&self, letter: char) -> Option<&str> {
        let mut flags = self.flags.iter().rev();
        let found = flags.find(|(own, _)| *own == letter);
        found.map(|(_, value)| value.as_str())
    }
}

/// The texts of files, or the input if there are none; with the name of each.
///
/// # Errors
/// `PROGRAM: FILE: No such file or directory`.
fn inputs(
    run: &Run<'_>,
    program: &str,
    files: &[String],
    stdin: &str,
) -> Result<Vec<(String, String)>, String> {
    if files.is_empty() {
        return Ok(vec![(String::new(), stdin.to_owned())]);
    }
    let read = |name: &String| {
        if name == "-" {
            return Ok((String::new(), stdin.to_owned()));
        }
        if run.read(name).is_none() && run.is_folder(name) {
            return Err(format!("{program}: {name}: Is a directory"));
        }
        let text = run.read(name);
        let missing = || {
            let here = files_here(run.cluster);
            format!("{program}: {name}: No such file or directory\n({here})")
        };
        Ok((name.clone(), text.ok_or_else(missing)?))
    };
    files.iter().map(read).collect()
}

/// A program's complaint about its arguments.
fn usage(program: &str, why: &str) -> Output {
    Output::failure(&format!("{program}: {why}"), 2)
}
