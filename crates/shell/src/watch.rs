//! `watch`: runs a command periodically, and prints its output when it changes.

use super::programs::usage;
use super::run::Run;
use super::{Failure, Host, Output, Poll, Shell, Waiting, duration_ms};

/// How long `watch` runs at most, and how long without a change.
const LONGEST_MS: i64 = 600_000;
const UNCHANGED_MS: i64 = 60_000;

pub(super) fn watch(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut rest = arguments;
    let mut interval_ms = 2_000;
    while let [flag, behind @ ..] = rest {
        if !flag.starts_with('-') {
            break;
        }
        rest = behind;
        if matches!(
            flag.as_str(),
            "-d" | "-t" | "-c" | "--differences" | "--no-title" | "--color"
        ) {
            continue;
        }
        let seconds = match (flag.strip_prefix("-n"), rest) {
            (Some(""), [seconds, behind @ ..]) => {
                rest = behind;
                seconds
            }
            (Some(seconds), _) => seconds,
            (None, [seconds, behind @ ..]) if flag == "--interval" => {
                rest = behind;
                seconds
            }
            _ => return Err(usage("watch", &format!("invalid option '{flag}'"))),
        };
        let ms = duration_ms(&format!("{seconds}s")).filter(|ms| *ms >= 100);
        let why = || usage("watch", &format!("failed to parse argument: '{seconds}'"));
        interval_ms = ms.ok_or_else(why)?;
    }
    if rest.is_empty() {
        return Err(usage("watch", "name the command to watch"));
    }
    let now_ms = run.host.now_ms();
    let watch = Watch {
        shell: run.shell.clone(),
        command: rest.join(" "),
        interval_ms,
        start_ms: now_ms,
        next_ms: now_ms,
        last: Vec::new(),
        changed_ms: now_ms,
    };
    Ok(run.wait(Waiting::Watch(Box::new(watch))))
}

/// A command that is run periodically.
#[derive(Clone, Debug)]
pub struct Watch {
    shell: Shell,
    command: String,
    interval_ms: i64,
    start_ms: i64,
    /// When the command runs next.
    next_ms: i64,
    /// The words that the command printed last; `changed_ms` is when they last changed.
    last: Vec<String>,
    changed_ms: i64,
}

impl Watch {
    pub(super) fn poll(&mut self, host: &mut dyn Host, output: &mut Output) -> Poll {
        let now_ms = host.now_ms();
        if now_ms < self.next_ms {
            return Poll::Pending(self.next_ms);
        }
        let shown = Run::new(&mut self.shell, host).line(&self.command, "");
        let text = shown.stdout + &shown.stderr;
        let words = words_without_ages(&text);
        if now_ms == self.start_ms || self.last != words {
            let (at, command) = ((now_ms - self.start_ms) / 1_000, &self.command);
            let (seconds, tenths) = (self.interval_ms / 1_000, self.interval_ms % 1_000 / 100);
            output.line(format!("Every {seconds}.{tenths}s: {command}    +{at}s\n"));
            output.stdout.push_str(&text);
            output.stdout.push('\n');
            self.last = words;
            self.changed_ms = now_ms;
        }
        if now_ms - self.changed_ms >= UNCHANGED_MS || now_ms - self.start_ms >= LONGEST_MS {
            return Poll::Ready;
        }
        self.next_ms = now_ms + self.interval_ms;
        Poll::Pending(self.next_ms)
    }
}

/// The words of a text without ages, which change with every run.
fn words_without_ages(text: &str) -> Vec<String> {
    text.split_whitespace()
        .filter(|word| {
            let word = word.trim_matches(['(', ')']);
            !(word.starts_with(|it: char| it.is_ascii_digit()) && duration_ms(word).is_some()
                || word.ends_with('d') && word.trim_end_matches('d').parse::<u32>().is_ok())
        })
        .map(str::to_owned)
        .collect()
}
