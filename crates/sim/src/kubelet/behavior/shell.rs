//! What a small shell script does over time, as far as it can be determined without running it.
//!
//! Supported are `;`, `&&`, `||`, `|`, `&`, quotes, comments, `sleep`, `exit`, `true`, `false`, `touch` and `rm`
//! (probes check for files), loops over words or `seq`, and endless loops. Every other program takes no time and
//! succeeds, unless it is the last command: then it is probably a server. The contents of `if` and `case` are
//! skipped.

use super::programs::{Program, is_builtin, program};
use super::tokens::{Token, behind, is_word, tokens};
use berth_shell::is_name;

/// The maximum number of iterations of all loops of a script.
const MAX_ROUNDS: usize = 10_000;

/// The outcome of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ScriptOutcome {
    /// Elapsed time in milliseconds.
    pub elapsed_ms: i64,
    /// Status of the last command.
    pub code: i32,
    /// Whether the script runs forever.
    pub forever: bool,
    /// Whether the script has exited, or runs forever.
    pub over: bool,
    /// Whether the last command is a program that is unknown.
    pub serves: bool,
    /// Whether the script contains anything that is understood.
    pub known: bool,
    /// Iterations of loops so far.
    rounds: usize,
    /// Times, in order, at which files were created (`true`) or removed.
    pub files: Vec<(i64, String, bool)>,
    /// Peak memory and CPU of the programs in the script.
    pub memory_bytes: Option<i64>,
    pub milli_cpu: Option<i64>,
}

/// Interprets a script.
pub(super) fn follow(script: &str) -> ScriptOutcome {
    let mut outcome = ScriptOutcome::default();
    match tokens(script) {
        Some(tokens) => walk(&tokens, &mut outcome, 0),
        // A shell does not run a script with a syntax error.
        None => {
            outcome.code = 2;
            outcome.known = true;
        }
    }
    outcome
}

/// Interprets commands; nested loops are followed to a depth of five.
fn walk(tokens: &[Token], outcome: &mut ScriptOutcome, depth: usize) {
    let mut index = 0;
    while let Some(token) = tokens.get(index)
        && !outcome.over
    {
        let Token::Word(word) = token else {
            index += 1;
            continue;
        };
        // A pipeline runs as long as any of its programs.
        let is_piped = index > 0 && tokens.get(index - 1) == Some(&Token::Operator("|"));
        outcome.serves &= is_piped;
        match word.as_str() {
            "while" | "until" | "for" if depth < 5 => {
                let end = behind(tokens, index, &["do"], "done");
                let body = tokens.get(index..end).unwrap_or_default();
                repeat(word, body, outcome, depth);
                index = end;
                outcome.serves = false;
            }
            "if" | "case" => {
                let (opens, closes) = if word == "if" {
                    ("if", "fi")
                } else {
                    ("case", "esac")
                };
                index = behind(tokens, index, &[opens], closes);
                outcome.known = true;
            }
            _ => {
                let rest = tokens.get(index..).unwrap_or_default();
                let words: Vec<&str> = rest
                    .iter()
                    .map_while(|token| match token {
                        Token::Word(word) => Some(word.as_str()),
                        Token::Operator(_) => None,
                    })
                    .collect();
                let operator = rest.get(words.len());
                let background = operator == Some(&Token::Operator("&"));
                command(&words, background, outcome);
                index += words.len() + 1;
                index += skipped(
                    tokens.get(index..).unwrap_or_default(),
                    operator,
                    outcome.code,
                );
            }
        }
    }
}

/// The number of tokens after `&&` or `||` that are skipped for this exit status.
fn skipped(rest: &[Token], operator: Option<&Token>, code: i32) -> usize {
    let runs = match operator {
        Some(Token::Operator("&&")) => code == 0,
        Some(Token::Operator("||")) => code != 0,
        _ => true,
    };
    if runs {
        return 0;
    }
    let Some(Token::Operator(passed)) = operator else {
        return 0;
    };
    // In `a && b || c`, the command after the other operator may run again.
    let ends = |token: &Token| matches!(token, Token::Operator(it) if it == &";" || it == &"&" || (it != passed && it != &"|"));
    rest.iter().position(ends).map_or(rest.len(), |at| at + 1)
}

/// A loop, from its keyword to `done`.
fn repeat(kind: &str, tokens: &[Token], outcome: &mut ScriptOutcome, depth: usize) {
    outcome.known = true;
    let body_at = tokens.iter().position(|token| is_word(token, "do"));
    let body_at = body_at.unwrap_or(tokens.len());
    let head = tokens.get(1..body_at).unwrap_or_default();
    let end = tokens.len().saturating_sub(1).max(body_at);
    let body = tokens.get(body_at + 1..end).unwrap_or_default();
    let rounds = match kind {
        "for" => rounds_of(head),
        // Other conditions cannot be evaluated.
        _ => {
            let endless = if kind == "while" {
                ["true", ":"]
            } else {
                ["false", "false"]
            };
            let is_endless = head
                .first()
                .is_some_and(|first| endless.iter().any(|word| is_word(first, word)));
            if is_endless || kind == "until" {
                let mut once = ScriptOutcome {
                    elapsed_ms: outcome.elapsed_ms,
                    rounds: outcome.rounds,
                    ..ScriptOutcome::default()
                };
                walk(body, &mut once, depth + 1);
                outcome.files.append(&mut once.files);
                outcome.forever = true;
                outcome.over = true;
                if once.over && !once.forever {
                    // The loop body exits.
                    (outcome.forever, outcome.code) = (false, once.code);
                    outcome.elapsed_ms = once.elapsed_ms;
                }
                return;
            }
            1
        }
    };
    for _ in 0..rounds {
        if outcome.over || outcome.elapsed_ms == i64::MAX || outcome.rounds == MAX_ROUNDS {
            return;
        }
        outcome.rounds += 1;
        walk(body, outcome, depth + 1);
    }
}

/// The number of iterations of `for x in …`.
fn rounds_of(head: &[Token]) -> usize {
    let words = head.iter().filter_map(|token| match token {
        Token::Word(word) => Some(word.as_str()),
        Token::Operator(_) => None,
    });
    words
        .skip_while(|word| *word != "in")
        .skip(1)
        .take(MAX_ROUNDS)
        .count()
}

/// Interprets one command. In the background it takes no time.
fn command(words: &[&str], background: bool, outcome: &mut ScriptOutcome) {
    let mut words = words;
    while let Some((first, rest)) = words.split_first()
        && (matches!(
            *first,
            "exec" | "time" | "nohup" | "sudo" | "(" | "{" | "then" | "do"
        ) || is_assignment(first))
    {
        words = rest;
    }
    let Some((&name, arguments)) = words.split_first() else {
        return;
    };
    let file = |outcome: &mut ScriptOutcome, comes: bool| {
        let names = arguments.iter().filter(|word| !word.starts_with('-'));
        for name in names {
            outcome
                .files
                .push((outcome.elapsed_ms, (*name).to_owned(), comes));
        }
    };
    outcome.code = 0;
    match name {
        "exit" => {
            let code = arguments.first().and_then(|code| code.parse().ok());
            outcome.code = code.unwrap_or(0);
            outcome.over = true;
            outcome.known = true;
        }
        "touch" => file(outcome, true),
        "rm" => file(outcome, false),
        _ => {
            let Program {
                runs_ms,
                forever,
                code,
                memory_bytes,
                milli_cpu,
                known,
                ..
            } = program(name, arguments);
            outcome.known |= known;
            outcome.serves |= !known && !background && !is_builtin(name);
            outcome.memory_bytes = outcome.memory_bytes.max(memory_bytes);
            outcome.milli_cpu = outcome.milli_cpu.max(milli_cpu);
            if background {
                return;
            }
            outcome.code = code;
            outcome.elapsed_ms = outcome.elapsed_ms.saturating_add(runs_ms);
            outcome.forever = forever;
            outcome.over = forever;
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(script: &str) -> (i64, i32, bool) {
        let outcome = follow(script);
        (outcome.elapsed_ms, outcome.code, outcome.forever)
    }

    #[test]
    fn nested_loops_share_the_maximum_number_of_iterations() {
        let inner = "for j in {1..1000}; do sleep 1; done";
        let script = format!("for i in {{1..1000}}; do {inner}; done; exit 3");
        assert_eq!(summary(&script), (9_990_000, 3, false));
    }

    #[test]
    fn sleeps_add_up_and_exit_decides() {
        for (script, expected) in [
            ("echo hello; sleep 5; exit 3; sleep 9", (5_000, 3, false)),
            ("sleep 2 && sleep 3", (5_000, 0, false)),
            ("false && sleep 3", (0, 1, false)),
            ("false || sleep 3", (3_000, 0, false)),
            ("true || sleep 3; sleep 1", (1_000, 0, false)),
            ("false && sleep 3 || sleep 4", (4_000, 0, false)),
            ("sleep 100 & sleep 1", (1_000, 0, false)),
            (
                "echo \"a; sleep 9\" 'b; sleep 9' # sleep 9\nsleep 1",
                (1_000, 0, false),
            ),
            (
                "for i in 1 2 3; do echo $i; sleep 2; done",
                (6_000, 0, false),
            ),
            ("for i in $(seq 1 10); do sleep 1; done", (10_000, 0, false)),
            ("for i in $(seq 2 4); do sleep 1; done", (3_000, 0, false)),
            (
                "for i in $(seq 1 3 10); do sleep 1; done",
                (4_000, 0, false),
            ),
            (
                "for i in $(seq 5 -2 1); do sleep 1; done",
                (3_000, 0, false),
            ),
            ("for i in $(seq 5 1); do sleep 1; done", (0, 0, false)),
            ("for i in $(seq 1 0 5); do sleep 1; done", (0, 0, false)),
            ("timeout 10 sleep 3; exit $?", (3_000, 0, false)),
            ("timeout -s KILL 1m sleep 90", (60_000, 124, false)),
            ("timeout 5 sh -c 'sleep 2; exit 3'", (2_000, 3, false)),
            ("timeout 5 tail -f log || sleep 1", (6_000, 0, false)),
            (
                "for i in {1..4}; do sleep 1; done; exit 2",
                (4_000, 2, false),
            ),
            ("for i in {9..1}; do sleep 1; done", (9_000, 0, false)),
            ("for i in '{1..4}'; do sleep 1; done", (1_000, 0, false)),
            (
                "for i in a{1..3} {x,y} z; do sleep 1; done",
                (6_000, 0, false),
            ),
            (
                "for i in $(seq '1' \"3\") `seq 2`; do sleep 1; done",
                (5_000, 0, false),
            ),
            ("for i in $(seq $N) 2; do sleep 1; done", (2_000, 0, false)),
            ("9=1 sleep 2", (0, 0, false)),
            (
                "sleep 1; while true; do date; sleep 5; done",
                (1_000, 0, true),
            ),
            ("while :; do sleep 1; exit 4; done", (1_000, 4, false)),
            ("if [ -f x ]; then sleep 50; fi; sleep 1", (1_000, 0, false)),
            ("date 2>&1 | tee log; exec sleep infinity", (0, 0, true)),
            ("X=1 sleep 2", (2_000, 0, false)),
        ] {
            assert_eq!(summary(script), expected, "{script}");
        }
    }

    #[test]
    fn files_come_and_go() {
        let outcome = follow("touch /tmp/healthy; sleep 30; rm -rf /tmp/healthy; sleep 600");
        assert_eq!(
            outcome.files,
            [
                (0, "/tmp/healthy".to_owned(), true),
                (30_000, "/tmp/healthy".to_owned(), false)
            ]
        );
        assert_eq!(outcome.elapsed_ms, 630_000);
    }

    #[test]
    fn malformed_scripts_terminate() {
        for script in [
            "",
            "do do done",
            "for",
            "while",
            "if",
            "fi fi",
            "\"",
            "'",
            "\\",
            "a &&",
            "|| |",
            "for i in {1..99999999}; do sleep 1; done",
            "for i in {1..9999}{1..9999}; do :; done",
        ] {
            let outcome = follow(script);
            assert!(outcome.elapsed_ms <= 1_000, "{script}");
        }
    }
}
