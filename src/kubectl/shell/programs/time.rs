//! Virtual time: `sleep`, `date`, `watch`.

use super::usage;
use crate::kubectl::arguments::duration_ms;
use crate::kubectl::shell::Shell;
use crate::kubectl::shell::run::Run;
use crate::kubectl::suspended::{Next, Waiting};
use crate::kubectl::{Cluster, Output, wait};
use crate::sim::server::time_at;

/// The longest sleep.
const MAX_SLEEP_MS: i64 = 24 * 3_600_000;
/// How long `watch` looks on, in all and without a change.
const WATCH_MS: i64 = 600_000;
const UNCHANGED_MS: i64 = 60_000;

pub(crate) fn sleep(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut total: i64 = 0;
    for word in arguments {
        let spelled = if word.ends_with(|it: char| it.is_ascii_digit()) {
            format!("{word}s")
        } else {
            word.clone()
        };
        let ms = match spelled.strip_suffix('d') {
            Some(days) => days
                .parse::<i64>()
                .ok()
                .and_then(|it| it.checked_mul(86_400_000)),
            None => duration_ms(&spelled),
        };
        let Some(ms) = ms.filter(|ms| *ms >= 0) else {
            return usage("sleep", &format!("invalid time interval '{word}'"));
        };
        total = total.saturating_add(ms);
    }
    if arguments.is_empty() {
        return usage("sleep", "missing operand");
    }
    if total > MAX_SLEEP_MS {
        return usage("sleep", "at most a day passes at once here");
    }
    let until = run.cluster.api().now_ms().saturating_add(total);
    wait(run.cluster, Sleep { until })
}

/// Somebody who sleeps until then.
struct Sleep {
    until: i64,
}

impl Waiting for Sleep {
    fn look(&mut self, _: bool, cluster: &mut dyn Cluster, _: &mut Output) -> Next {
        if cluster.api().now_ms() < self.until {
            Next::Until(self.until)
        } else {
            Next::Done
        }
    }
}

pub(crate) fn date(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let now = time_at(run.cluster.api().now_ms()).0;
    let format = arguments.iter().find_map(|it| it.strip_prefix('+'));
    let format = format.unwrap_or("%a %b %e %H:%M:%S UTC %Y");
    // jiff's formatting fails on letters that it does not know.
    match k8s_openapi::jiff::fmt::strtime::format(format, now) {
        Ok(text) => Output::text(format!("{text}\n")),
        Err(_) => usage("date", &format!("invalid format '+{format}'")),
    }
}

/// Runs a command again and again, and prints it when it says something new.
pub(crate) fn watch(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut rest = arguments;
    let mut interval = 2_000;
    while let [flag, behind @ ..] = rest {
        match (flag.as_str(), behind) {
            ("-n" | "--interval", [seconds, behind @ ..]) => {
                let ms = duration_ms(&format!("{seconds}s")).filter(|ms| *ms >= 100);
                let Some(ms) = ms else {
                    return usage("watch", &format!("failed to parse argument: '{seconds}'"));
                };
                interval = ms;
                rest = behind;
            }
            (flag, _) if flag.len() > 2 && flag.starts_with("-n") => {
                let ms = duration_ms(&format!("{}s", flag.get(2..).unwrap_or_default()));
                interval = ms.filter(|ms| *ms >= 100).unwrap_or(interval);
                rest = behind;
            }
            ("-d" | "-t" | "-c" | "--differences" | "--no-title" | "--color", _) => rest = behind,
            (flag, _) if flag.starts_with('-') => {
                return usage("watch", &format!("invalid option '{flag}'"));
            }
            _ => break,
        }
    }
    if rest.is_empty() {
        return usage("watch", "name the command to watch");
    }
    let now = run.cluster.api().now_ms();
    let watch = Watch {
        shell: run.shell.clone(),
        command: rest.join(" "),
        interval,
        start: now,
        next: now,
        last: Vec::new(),
        changed: now,
    };
    wait(run.cluster, watch)
}

/// A command that is run again and again.
struct Watch {
    shell: Shell,
    command: String,
    interval: i64,
    start: i64,
    /// When it is run again.
    next: i64,
    /// What it said last, and since when it says that.
    last: Vec<String>,
    changed: i64,
}

impl Waiting for Watch {
    fn look(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Next {
        let now = cluster.api().now_ms();
        if now < self.next {
            return Next::Until(self.next);
        }
        let shown = Run::new(&mut self.shell, cluster).line(&self.command, "");
        let text = shown.stdout + &shown.stderr;
        let words = words_without_ages(&text);
        if now == self.start || self.last != words {
            let (at, command) = ((now - self.start) / 1_000, &self.command);
            let every = seconds(self.interval);
            output.say(format!("Every {every}s: {command}    +{at}s\n"));
            output.stdout.push_str(&text);
            output.stdout.push('\n');
            self.last = words;
            self.changed = now;
        }
        if now - self.changed >= UNCHANGED_MS || now - self.start >= WATCH_MS {
            return Next::Done;
        }
        self.next = now + self.interval;
        Next::Until(self.next)
    }
}

/// The words of a table, without ages: these always change.
fn words_without_ages(text: &str) -> Vec<String> {
    let words = text.split_whitespace();
    let stays = words.filter(|word| {
        let word = word.trim_matches(['(', ')']);
        !(word.starts_with(|it: char| it.is_ascii_digit()) && duration_ms(word).is_some()
            || word.ends_with('d') && word.trim_end_matches('d').parse::<u32>().is_ok())
    });
    stays.map(str::to_owned).collect()
}

fn seconds(ms: i64) -> String {
    format!("{}.{}", ms / 1_000, ms % 1_000 / 100)
}
