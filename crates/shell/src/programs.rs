//! The builtins, one per file.

mod alias;
mod awk;
mod base64;
mod bash;
mod cat;
mod cd;
mod copy;
mod cut;
mod date;
mod echo;
mod env;
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
mod test;
mod touch;
mod tr;
mod uniq;
mod vi;
mod wc;

use super::limits::{MAX_HELD, TOO_LONG};
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
    ("bash", bash::bash),
    ("cat", cat::cat),
    ("cd", cd::cd),
    ("chmod", succeed),
    ("clear", clear),
    ("command", env::command),
    ("complete", succeed),
    ("cp", copy::cp),
    ("cut", cut::cut),
    ("date", date::date),
    ("echo", echo::echo),
    ("egrep", grep::egrep),
    ("env", env::env),
    ("exit", exit::exit),
    ("export", export::export),
    ("false", fail),
    ("fgrep", grep::fgrep),
    ("grep", grep::grep),
    ("head", head::head),
    ("less", cat::page),
    ("ls", ls::ls),
    ("mkdir", mkdir::mkdir),
    ("more", cat::page),
    ("mv", copy::mv),
    ("nano", vi::vi),
    ("printenv", env::printenv),
    ("printf", echo::printf),
    ("pwd", cd::pwd),
    ("read", read::read),
    ("rm", rm::rm),
    ("sed", sed::sed),
    ("seq", seq::seq),
    ("set", set::set),
    ("sh", bash::bash),
    ("shopt", succeed),
    ("sleep", sleep::sleep),
    ("sort", sort::sort),
    ("source", source::source),
    ("sudo", env::sudo),
    ("tail", head::tail),
    ("test", test::test),
    ("touch", touch::touch),
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
    ("which", env::which),
];

/// Commands of bash that are not simulated, and what to write instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("bg", ENDED),
    ("break", LOOPS),
    ("continue", LOOPS),
    ("declare", "write NAME=VALUE"),
    ("dirs", "cd FOLDER changes the folder"),
    ("disown", ENDED),
    ("eval", "type the line itself"),
    ("exec", "type the command itself"),
    ("fg", ENDED),
    ("getopts", "write NAME=VALUE"),
    ("help", "kubectl help lists the commands of kubectl"),
    ("history", "the arrow keys bring back earlier lines"),
    ("jobs", ENDED),
    ("kill", ENDED),
    ("let", "write NAME=$((…))"),
    ("local", "there are no functions; write NAME=VALUE"),
    ("mapfile", "read lines with while read"),
    ("popd", "cd FOLDER changes the folder"),
    ("pushd", "cd FOLDER changes the folder"),
    ("readarray", "read lines with while read"),
    ("readonly", "write NAME=VALUE"),
    ("return", "there are no functions; exit ends a script"),
    ("shift", "name the arguments: $1, $2"),
    ("trap", "there are no signals"),
    ("type", "which NAME finds a program"),
    ("typeset", "write NAME=VALUE"),
    ("ulimit", "nothing is limited"),
    ("umask", NO_MODES),
];
/// Programs that lessons use and that are not simulated, and what to use instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("apt", NO_PACKAGES),
    ("apt-get", NO_PACKAGES),
    ("aws", HAS_CLUSTER),
    ("az", HAS_CLUSTER),
    ("bc", "write $((…))"),
    ("brew", NO_PACKAGES),
    ("chown", NO_MODES),
    ("code", EDITOR),
    ("column", "-o custom-columns=… prints a table"),
    ("containerd", NO_CONTAINERS),
    ("crictl", NO_CONTAINERS),
    ("ctr", NO_CONTAINERS),
    ("curl", NO_NETWORK),
    ("df", NODES),
    ("diff", "print both files with cat"),
    ("dig", NO_NETWORK),
    ("dnf", NO_PACKAGES),
    ("docker", NO_CONTAINERS),
    ("eksctl", HAS_CLUSTER),
    ("emacs", EDITOR),
    ("etcdctl", "kubectl get shows what the API server stores"),
    ("expr", "write $((…))"),
    ("find", "ls FOLDER lists the files of a folder"),
    ("free", NODES),
    ("gcloud", HAS_CLUSTER),
    ("git", "type the files, or drop them onto the page"),
    ("go", "write loops and arithmetic of the shell"),
    ("gzip", NO_ARCHIVES),
    ("helm", "apply the rendered manifests with kubectl apply -f"),
    ("hey", NO_NETWORK),
    ("hostname", "kubectl get nodes lists the nodes"),
    (
        "htop",
        "kubectl top nodes and kubectl top pods show what is used",
    ),
    ("id", "there is only one user"),
    (
        "journalctl",
        "kubectl describe node tells what the kubelet reports",
    ),
    ("jq", "kubectl get -o jsonpath='{…}' selects fields"),
    ("k3d", HAS_CLUSTER),
    ("k3s", HAS_CLUSTER),
    ("k9s", "kubectl get pods -w shows changes"),
    ("kind", HAS_CLUSTER),
    ("kops", HAS_CLUSTER),
    ("krew", NO_PACKAGES),
    ("kubeadm", HAS_CLUSTER),
    ("kubectx", "there is only one cluster"),
    (
        "kubens",
        "kubectl config set-context --current --namespace=NAME changes the namespace",
    ),
    ("kustomize", "apply plain manifests with kubectl apply -f"),
    ("ln", "cp FILE COPY copies a file"),
    ("make", "type the commands themselves"),
    (
        "man",
        "kubectl help and kubectl explain describe commands and fields",
    ),
    ("minikube", HAS_CLUSTER),
    ("nc", NO_NETWORK),
    ("nerdctl", NO_CONTAINERS),
    ("nohup", ENDED),
    ("nslookup", NO_NETWORK),
    ("openssl", "kubectl create secret generic stores any text"),
    ("perl", "write loops and arithmetic of the shell"),
    ("ping", NO_NETWORK),
    ("pkill", ENDED),
    ("podman", NO_CONTAINERS),
    ("ps", "kubectl get pods lists what runs"),
    ("python", "write loops and arithmetic of the shell"),
    ("python3", "write loops and arithmetic of the shell"),
    ("rmdir", "rm -r FOLDER removes a folder"),
    ("scp", NO_NETWORK),
    ("stern", "kubectl logs prints what a container prints"),
    ("su", "there is only one user"),
    (
        "systemctl",
        "ssh NODE systemctl stop kubelet does it on a node",
    ),
    ("tac", "sort -r sorts backwards"),
    ("tar", NO_ARCHIVES),
    ("tee", "write > FILE, then cat FILE"),
    ("telnet", NO_NETWORK),
    ("timeout", "Ctrl+C ends a command that waits"),
    (
        "top",
        "kubectl top nodes and kubectl top pods show what is used",
    ),
    ("tree", "ls FOLDER lists the files of a folder"),
    ("uname", NODES),
    ("unzip", NO_ARCHIVES),
    ("wget", NO_NETWORK),
    ("whoami", "there is only one user"),
    ("xargs", "write COMMAND $(…), or for NAME in $(…)"),
    ("yes", "no command here asks for an answer"),
    ("yq", "kubectl get -o jsonpath='{…}' selects fields"),
    ("yum", NO_PACKAGES),
];
const EDITOR: &str = "vi FILE opens the editor";
const HAS_CLUSTER: &str = "the cluster is there already";
const LOOPS: &str = "a loop ends with its words or its condition";
const NODES: &str = "kubectl describe node shows what a node has";
const NO_ARCHIVES: &str = "type the files, or drop them onto the page";
const NO_CONTAINERS: &str = "containers do not really run here";
const NO_MODES: &str = "files have no owners and modes here";
const NO_NETWORK: &str = "there is no network here";
const NO_PACKAGES: &str = "nothing has to be installed";

const ENDED: &str = "a command with & has ended before the next one begins";

/// The exit code of a program that does not exist.
const NOT_FOUND: i32 = 127;

/// The control sequence that clears the screen and the scrollback.
const CLEARED: &str = "\x1b[H\x1b[2J\x1b[3J";

/// The builtin of a name.
pub(super) fn find(name: &str) -> Option<Program> {
    let found = PROGRAMS.iter().find(|(own, _)| *own == name);
    found.map(|(_, program)| *program)
}

/// The error for a command that is neither a builtin nor a program of the host.
pub(super) fn not_found(name: &str) -> Output {
    let instead = |rows: &[(&str, &'static str)]| {
        let row = rows.iter().find(|(own, _)| *own == name);
        row.map(|(_, instead)| *instead)
    };
    if let Some(instead) = instead(UNSUPPORTED) {
        let why = format!("bash: {name}: not simulated here: {instead}");
        return Output::failure(&why, 1);
    }
    let why = match instead(ELSEWHERE) {
        Some(instead) => {
            format!("bash: {name}: command not found: it is not simulated here; {instead}")
        }
        None => format!("bash: {name}: command not found"),
    };
    Output::failure(&why, NOT_FOUND)
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
    let mut bytes = 0;
    let mut all = Vec::new();
    for name in files {
        let file = read(name)?;
        bytes += file.1.len();
        if bytes > MAX_HELD {
            return Err(Failure::new(1, format!("{program}: {TOO_LONG}")));
        }
        all.push(file);
    }
    Ok(all)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_are_left_out_name_a_way() {
        let ways = UNSUPPORTED.iter().chain(ELSEWHERE);
        for (name, instead) in ways {
            assert!(find(name).is_none(), "{name} is a builtin");
            let output = not_found(name);
            assert!(output.code == 1 || output.code == NOT_FOUND, "{name}");
            let (why, end) = (output.stderr.as_str(), format!("{instead}\n"));
            assert!(why.starts_with(&format!("bash: {name}: ")), "{why}");
            assert!(
                why.contains("not simulated here") && why.ends_with(&end),
                "{why}"
            );
        }
    }

    #[test]
    fn tables_are_sorted_and_name_each_program_once() {
        let names = |rows: &[(&'static str, &str)]| -> Vec<&str> {
            rows.iter().map(|(name, _)| *name).collect()
        };
        let builtins: Vec<&str> = self::names().collect();
        for names in [builtins, names(UNSUPPORTED), names(ELSEWHERE)] {
            assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
        }
    }
}
