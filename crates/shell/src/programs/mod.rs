//! The builtins, one per file.

mod alias;
mod awk;
mod base64;
mod cat;
mod cd;
mod cut;
mod date;
mod echo;
mod exit;
mod export;
mod grep;
mod head;
mod ls;
mod mkdir;
mod read;
mod rm;
mod sed;
mod seq;
mod set;
mod sleep;
mod sort;
mod source;
mod tee;
mod test;
mod tr;
mod uniq;
mod vi;
mod wc;
mod xargs;

use super::run::Run;
use super::{Failure, Output, files_here, jobs, watch};

pub use seq::seq_numbers;
pub(super) use test::test;

/// A builtin, called with its arguments and its standard input.
pub(super) type Program = fn(&mut Run<'_>, &[String], &str) -> Result<Output, Failure>;

const PROGRAMS: &[(&str, Program)] = &[
    (".", source::source),
    (":", succeed),
    ("[", test::test),
    ("alias", alias::alias),
    ("awk", awk::awk),
    ("base64", base64::base64),
    ("cat", cat::cat),
    ("cd", cd::cd),
    ("clear", clear),
    ("complete", succeed),
    ("cut", cut::cut),
    ("date", date::date),
    ("echo", echo::echo),
    ("egrep", grep::egrep),
    ("exit", exit::exit),
    ("export", export::export),
    ("false", fail),
    ("fgrep", grep::fgrep),
    ("grep", grep::grep),
    ("head", head::head),
    ("ls", ls::ls),
    ("mkdir", mkdir::mkdir),
    ("nano", vi::vi),
    ("printf", echo::printf),
    ("pwd", cd::pwd),
    ("read", read::read),
    ("rm", rm::rm),
    ("sed", sed::sed),
    ("seq", seq::seq),
    ("set", set::set),
    ("shopt", succeed),
    ("sleep", sleep::sleep),
    ("sort", sort::sort),
    ("source", source::source),
    ("tail", head::tail),
    ("tee", tee::tee),
    ("test", test::test),
    ("tr", tr::tr),
    ("true", succeed),
    ("unalias", alias::unalias),
    ("uniq", uniq::uniq),
    ("unset", export::unset),
    ("vi", vi::vi),
    ("vim", vi::vi),
    ("wait", jobs::wait),
    ("watch", watch::watch),
    ("wc", wc::wc),
    ("xargs", xargs::xargs),
];

/// Commands of bash that are not simulated, and what to write instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("bg", ENDED),
    ("declare", "write NAME=VALUE"),
    ("eval", "type the line itself"),
    ("exec", "type the command itself"),
    ("fg", ENDED),
    ("jobs", ENDED),
    ("kill", ENDED),
    ("let", "write NAME=$((…))"),
    ("local", "there are no functions; write NAME=VALUE"),
    ("mapfile", "read lines with while read"),
    ("trap", "there are no signals"),
];
/// Programs that lessons use and that are not simulated, and what to use instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("crictl", NO_CONTAINERS),
    ("curl", NO_NETWORK),
    ("docker", NO_CONTAINERS),
    ("git", "type the files, or drop them onto the page"),
    ("helm", "apply the rendered manifests with kubectl apply -f"),
    (
        "journalctl",
        "kubectl describe node tells what the kubelet reports",
    ),
    ("jq", "kubectl get -o jsonpath='{…}' selects fields"),
    ("kind", HAS_CLUSTER),
    ("kubeadm", HAS_CLUSTER),
    ("kustomize", "apply plain manifests with kubectl apply -f"),
    ("minikube", HAS_CLUSTER),
    ("nerdctl", NO_CONTAINERS),
    ("ping", NO_NETWORK),
    ("podman", NO_CONTAINERS),
    ("python", "write loops and arithmetic of the shell"),
    ("python3", "write loops and arithmetic of the shell"),
    (
        "systemctl",
        "ssh NODE systemctl stop kubelet does it on a node",
    ),
    ("wget", NO_NETWORK),
    ("yq", "kubectl get -o jsonpath='{…}' selects fields"),
];
const NO_CONTAINERS: &str = "containers do not really run here";
const NO_NETWORK: &str = "there is no network here";
const HAS_CLUSTER: &str = "the cluster is there already";

const ENDED: &str = "a command with & has ended before the next one begins";

/// The control sequence that clears the screen and the scrollback.
const CLEARED: &str = "\x1b[H\x1b[2J\x1b[3J";

/// The builtin of a name.
pub(super) fn find(name: &str) -> Option<Program> {
    let found = PROGRAMS.iter().find(|(own, _)| *own == name);
    found.map(|(_, program)| *program)
}

/// The error for a command of bash that is not simulated.
pub(super) fn unsupported(name: &str) -> Option<String> {
    let (_, instead) = UNSUPPORTED.iter().find(|(own, _)| *own == name)?;
    Some(format!("bash: {name}: not simulated here: {instead}"))
}

/// The error for a program that there is none of.
pub(super) fn missing(name: &str) -> String {
    match ELSEWHERE.iter().find(|(own, _)| *own == name) {
        Some((_, instead)) => {
            format!("bash: {name}: command not found: it is not simulated here; {instead}")
        }
        None => format!("bash: {name}: command not found"),
    }
}

/// Whether a program is an editor that the caller opens.
pub(super) fn is_editor(name: &str) -> bool {
    matches!(name, "vi" | "vim" | "nano")
}

/// All names, for completion.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
    PROGRAMS.iter().map(|(name, _)| *name)
}

fn clear(_: &mut Run<'_>, _: &[String], _: &str) -> Result<Output, Failure> {
    Ok(Output::text(CLEARED))
}

fn succeed(_: &mut Run<'_>, _: &[String], _: &str) -> Result<Output, Failure> {
    Ok(Output::default())
}

fn fail(_: &mut Run<'_>, _: &[String], _: &str) -> Result<Output, Failure> {
    Ok(Output::code(1))
}

/// Parsed arguments: the letters of flags with their values, and the words.
pub(super) struct Letters {
    flags: Vec<(char, String)>,
    pub(super) words: Vec<String>,
}

impl Letters {
    /// Parses `-abc`, `-n5` and `-n 5`; the letters in `with_value` take a value. `long` maps long flags to letters.
    pub(super) fn read(
        program: &str,
        arguments: &[String],
        plain: &str,
        with_value: &str,
        long: &[(&str, char)],
    ) -> Result<Letters, Failure> {
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
                let (name, value) = match name.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (name, None),
                };
                let Some((_, letter)) = long.iter().find(|(long, _)| *long == name) else {
                    return Err(usage(program, &format!("unrecognized option '--{name}'")));
                };
                let value = match value {
                    None if with_value.contains(*letter) => {
                        let why =
                            || usage(program, &format!("option '--{name}' requires an argument"));
                        rest.next().cloned().ok_or_else(why)?
                    }
                    value => value.unwrap_or_default(),
                };
                letters.flags.push((*letter, value));
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
                    let Some(value) = value else {
                        let why = format!("option requires an argument -- '{letter}'");
                        return Err(usage(program, &why));
                    };
                    letters.flags.push((letter, value));
                    break;
                }
                if !plain.contains(letter) {
                    return Err(not_simulated(program, letter));
                }
                letters.flags.push((letter, String::new()));
            }
        }
        Ok(letters)
    }

    pub(super) fn has(&self, letter: char) -> bool {
        self.flags.iter().any(|(own, _)| *own == letter)
    }

    /// All values of a letter, in their order.
    pub(super) fn values(&self, letter: char) -> impl Iterator<Item = &str> {
        let own = self.flags.iter().filter(move |(own, _)| *own == letter);
        own.map(|(_, value)| value.as_str())
    }

    /// The last value of a letter.
    pub(super) fn value(&self, letter: char) -> Option<&str> {
        self.values(letter).last()
    }
}

/// The names and texts of files, or standard input if there are no files.
fn inputs(
    run: &Run<'_>,
    program: &str,
    files: &[String],
    stdin: &str,
) -> Result<Vec<(String, String)>, Failure> {
    if files.is_empty() {
        return Ok(vec![(String::new(), stdin.to_owned())]);
    }
    let read = |name: &String| {
        if name == "-" {
            return Ok((String::new(), stdin.to_owned()));
        }
        match run.read(name) {
            Some(text) => Ok((name.clone(), text)),
            None if run.is_folder(name) => Err(Failure::new(
                1,
                format!("{program}: {name}: Is a directory"),
            )),
            None => Err(Failure::new(
                1,
                format!(
                    "{program}: {name}: No such file or directory\n({})",
                    files_here(&run.host.files())
                ),
            )),
        }
    };
    files.iter().map(read).collect()
}

/// The concatenated texts of all files.
fn all_text(
    run: &Run<'_>,
    program: &str,
    files: &[String],
    stdin: &str,
) -> Result<String, Failure> {
    let files = inputs(run, program, files, stdin)?;
    Ok(files.into_iter().map(|(_, text)| text).collect())
}

/// Joins lines, each ended by a newline.
fn joined<'a>(lines: impl IntoIterator<Item = &'a str>) -> Output {
    let mut output = Output::default();
    for line in lines {
        output.line(line);
    }
    output
}

/// The refusal of a flag: of one that the real program has, and of one that it lacks as well.
fn not_simulated(program: &str, letter: char) -> Failure {
    usage(program, &format!("option -{letter} is not simulated here"))
}

/// A program's error about its arguments.
pub(super) fn usage(program: &str, why: &str) -> Failure {
    Failure::new(2, format!("{program}: {why}"))
}
