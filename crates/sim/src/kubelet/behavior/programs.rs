//! Known programs: how long they run, how they exit, what they use.

use super::command::SHELLS;
use super::schedule::bytes;
use super::shell::follow;

/// Programs that do one thing and exit.
const SHORT: [&str; 57] = [
    "[", "awk", "base64", "basename", "bpi", "cat", "chmod", "chown", "cp", "curl", "cut", "date",
    "df", "dirname", "du", "echo", "env", "expr", "find", "free", "git", "grep", "head",
    "hostname", "id", "kubectl", "ln", "ls", "mkdir", "mktemp", "mount", "mv", "nslookup", "perl",
    "ping", "printenv", "printf", "ps", "pwd", "rm", "sed", "seq", "set", "sort", "stat", "sysctl",
    "tar", "tee", "test", "touch", "tr", "uname", "uniq", "wc", "wget", "whoami", "xargs",
];

/// Interpreters: what they do in a line ends; a file that they run is usually a server.
const INTERPRETERS: [&str; 7] = [
    "java", "node", "php", "python", "python2", "python3", "ruby",
];

/// Programs that run until they are killed, and ignore SIGTERM as process 1.
const ENDLESS: [&str; 5] = ["pause", "tail", "top", "watch", "yes"];

/// Further programs that end: installers, clients and tools that scripts end with.
const TOOLS: [&str; 63] = [
    "adduser",
    "addgroup",
    "apk",
    "apt",
    "apt-get",
    "aws",
    "bc",
    "bzip2",
    "chgrp",
    "cmp",
    "comm",
    "dd",
    "diff",
    "dig",
    "dnf",
    "egrep",
    "etcdctl",
    "fallocate",
    "fgrep",
    "fold",
    "getent",
    "groupadd",
    "gunzip",
    "gzip",
    "helm",
    "host",
    "hexdump",
    "install",
    "ip",
    "iptables",
    "jq",
    "kill",
    "killall",
    "logger",
    "md5sum",
    "mkfifo",
    "mknod",
    "mysqladmin",
    "mysqldump",
    "netstat",
    "nproc",
    "od",
    "openssl",
    "paste",
    "pg_dump",
    "pg_isready",
    "pip",
    "pip3",
    "readlink",
    "realpath",
    "redis-cli",
    "rev",
    "rsync",
    "sha256sum",
    "shuf",
    "ss",
    "sync",
    "tac",
    "truncate",
    "unzip",
    "useradd",
    "which",
    "yum",
];

/// Commands of the shell itself: none of them is a server.
const BUILTINS: [&str; 27] = [
    ".", "[[", "alias", "break", "cd", "continue", "declare", "done", "esac", "eval", "export",
    "fi", "hash", "let", "local", "read", "readonly", "return", "shift", "source", "trap", "type",
    "ulimit", "umask", "unset", "}", "!",
];

/// Whether the shell runs it without a program.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name) || name.starts_with('$') || name.contains("()")
}

/// What is known about a program with its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    /// Run time in milliseconds; 0 for programs that are known only by name.
    pub runs_ms: i64,
    pub forever: bool,
    pub code: i32,
    pub memory_bytes: Option<i64>,
    pub milli_cpu: Option<i64>,
    /// Whether the program is known.
    pub known: bool,
    /// Whether it exits on SIGTERM as process 1 of a container.
    pub heeds_term: bool,
}

/// What is known about a program with these arguments.
pub(super) fn program(name: &str, arguments: &[&str]) -> Program {
    let known = Program {
        known: true,
        ..Program::default()
    };
    match basename(name) {
        "sleep" => sleep(arguments),
        "true" | ":" => known,
        "false" => Program { code: 1, ..known },
        "exit" => Program {
            code: arguments
                .first()
                .and_then(|code| code.parse().ok())
                .unwrap_or(0),
            ..known
        },
        "stress" | "stress-ng" => stress(arguments),
        "timeout" => timeout(arguments),
        name if ENDLESS.contains(&name) => Program {
            forever: true,
            ..known
        },
        name if SHORT.contains(&name) || TOOLS.contains(&name) => known,
        name if INTERPRETERS.contains(&name) && is_one_liner(arguments) => known,
        _ => Program::default(),
    }
}

/// Whether an interpreter is given its program in the line, or asked for its version.
fn is_one_liner(arguments: &[&str]) -> bool {
    let first = arguments.first().copied().unwrap_or_default();
    matches!(
        first,
        "-c" | "-e" | "-p" | "-r" | "--eval" | "-V" | "-v" | "-version" | "--version"
    )
}

fn sleep(arguments: &[&str]) -> Program {
    let mut program = Program {
        known: true,
        ..Program::default()
    };
    for word in arguments {
        match sleep_ms(word) {
            Some(ms) => program.runs_ms = program.runs_ms.saturating_add(ms),
            None => program.forever |= matches!(*word, "inf" | "infinity"),
        }
    }
    program
}

/// `timeout [OPTION]… DURATION COMMAND`: the command, ended with status 124 if it runs longer. A duration of 0 sets no
/// limit. An unknown program runs until it is ended.
fn timeout(arguments: &[&str]) -> Program {
    let known = Program {
        known: true,
        heeds_term: true,
        ..Program::default()
    };
    let mut limit_ms = i64::MAX;
    let mut words = arguments;
    loop {
        while let [flag, rest @ ..] = words
            && flag.starts_with('-')
        {
            let has_value = matches!(*flag, "-s" | "-k" | "--signal" | "--kill-after");
            words = rest.get(usize::from(has_value)..).unwrap_or_default();
        }
        let [limit, rest @ ..] = words else {
            return Program { code: 125, ..known };
        };
        let Some(ms) = sleep_ms(limit) else {
            return Program { code: 125, ..known };
        };
        if ms > 0 {
            limit_ms = limit_ms.min(ms);
        }
        words = rest;
        match words {
            [name, rest @ ..] if basename(name) == "timeout" => words = rest,
            _ => break,
        }
    }
    let Some((name, rest)) = words.split_first() else {
        return Program { code: 125, ..known };
    };
    let inner = match rest {
        [flag, script, ..] if SHELLS.contains(&basename(name)) && *flag == "-c" => {
            let course = follow(script);
            Program {
                runs_ms: course.elapsed_ms,
                forever: course.forever,
                code: course.code,
                memory_bytes: course.memory_bytes,
                milli_cpu: course.milli_cpu,
                ..known
            }
        }
        _ => program(name, rest),
    };
    let ends_itself = inner.known && !inner.forever && inner.runs_ms < limit_ms;
    if ends_itself || limit_ms == i64::MAX {
        return Program {
            heeds_term: true,
            ..inner
        };
    }
    Program {
        runs_ms: limit_ms,
        code: 124,
        memory_bytes: inner.memory_bytes,
        milli_cpu: inner.milli_cpu,
        ..known
    }
}

/// A duration of `sleep`; the last word of a subshell, `(sleep 5)`, keeps its parenthesis.
fn sleep_ms(word: &str) -> Option<i64> {
    berth_shell::sleep_ms(word.trim_end_matches(')'))
}

/// `stress`: `--vm N` workers of `--vm-bytes` each and `--cpu N` workers, forever or until `--timeout`. Each worker
/// keeps one core busy, except `--vm` workers that hold their memory and sleep (`--vm-hang`).
pub(super) fn stress(arguments: &[&str]) -> Program {
    let value = |names: &[&str]| {
        let mut pairs = arguments
            .iter()
            .zip(arguments.iter().skip(1).map(Some).chain([None]));
        pairs.find_map(|(word, next)| match word.split_once('=') {
            Some((name, value)) if names.contains(&name) => Some(value.to_owned()),
            _ if names.contains(word) => next.map(|value| (*value).to_owned()),
            _ => None,
        })
    };
    let count = |names: &[&str]| value(names).and_then(|text| text.parse::<i64>().ok());
    let workers = count(&["--vm", "-m"]);
    let busy = workers.filter(|_| value(&["--vm-hang"]).is_none());
    let cores = [count(&["--cpu", "-c"]), busy].into_iter().flatten();
    let cores = cores.reduce(|some, more| some.max(0).saturating_add(more.max(0)));
    let each = value(&["--vm-bytes"]).and_then(|text| stress_bytes(&text));
    // The default of each worker is 256 MB.
    let each = each.unwrap_or(256 << 20);
    let timeout = value(&["--timeout", "-t"]).and_then(|text| sleep_ms(&text));
    Program {
        known: true,
        forever: timeout.is_none(),
        runs_ms: timeout.unwrap_or(0),
        memory_bytes: workers.map(|workers| workers.max(0).saturating_mul(each)),
        milli_cpu: cores.map(|cores| cores.max(0).saturating_mul(1_000)),
        heeds_term: true,
        ..Program::default()
    }
}

/// Parses a size of `stress`, in powers of 1024: `150M`.
fn stress_bytes(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['B', 'b']);
    let letter = text.chars().last()?.to_ascii_uppercase();
    if matches!(letter, 'K' | 'M' | 'G' | 'T') {
        let number = text.get(..text.len() - 1)?;
        return bytes(&format!("{number}{letter}i")).ok();
    }
    bytes(text).ok()
}

/// The name of a program or image without its path.
pub(super) fn basename(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}
