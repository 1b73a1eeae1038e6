//! What the process in a container does: how long it runs, how it exits, how its probes answer, and what it uses.
//!
//! A real kubelet starts a process and observes it. The simulation reads annotations of the Pod, either for all of
//! its containers (`berth.dev/run-for`) or for one (`berth.dev/run-for.web`, which takes precedence):
//!
//! | `berth.dev/…` | value | meaning |
//! |---|---|---|
//! | `run-for` | `30s`, `1m30s`, `forever` | how long the process runs |
//! | `exit-code` | `1`, `1,1,0` | its exit code: one per start, the last one repeats; a process that would run forever exits after a second |
//! | `ready-after` | `5s`, `never` | when it becomes ready; replaces a readiness probe if the container has none |
//! | `readiness`, `liveness`, `startup` | `ok`, `fail`, `fail,ok@20s,fail@1m` | the probe's result, from the start and from later times on |
//! | `memory` | `200Mi`, `50Mi,300Mi@20s` | memory in use |
//! | `cpu` | `250m` | CPU in use, for `kubectl top` and autoscalers |
//! | `image` | `missing`, `present` | the image cannot be pulled, or can (see `images`) |
//! | `pull-time` | `10s` | how long pulling the image takes at the first start |
//! | `logs` | any text | what the container prints, for `kubectl logs` |
//! | `stop-after` | `2s`, `never` | how long it takes to exit after SIGTERM; `never`: it runs until it is killed |
//!
//! Without annotations, the command determines the behavior as far as it can be parsed (`command`, `shell`), in this
//! order:
//!
//! 1. `sh -c "…"`: the script is interpreted. Sleeps add up, `exit` sets the exit code, `while true` and `until …` run
//!    forever. An unknown program at its end counts as if it were the command itself (4. and 5.). `touch` and `rm` create and remove the files that probes such as `cat /tmp/healthy` check; no other
//!    files exist below `/tmp`.
//! 2. `sleep N`, `true`, `false`, `exit N`, `stress --vm … --vm-bytes … --cpu … --timeout …`: as they state.
//! 3. `tail`, `top`, `yes` and similar programs run forever; `echo`, `date`, `perl`, `cat` and similar ones exit with
//!    0 after a second.
//! 4. No command, or an unknown one: images of distributions and tools (`busybox`, `alpine`, `perl` …)
//!    exit with 0 after a second, as a shell without a terminal does.
//! 5. Otherwise, Pods of a Job and init containers exit with 0 after five seconds, and all others run forever.
//!
//! Shells, `sleep` and similar programs ignore SIGTERM, because they run as process 1 without a handler: they are
//! killed at the end of the grace period. All others exit after a second.

mod command;
mod known;
mod programs;
mod schedule;
mod shell;
mod tokens;

use k8s_openapi::api::core::v1::{Container, LifecycleHandler, Pod, Probe};

use crate::store::controller_of;
pub(crate) use known::Known;
pub(crate) use schedule::Schedule;
use schedule::{bytes, duration_ms, milli, outcome, schedule};

/// The prefix of all annotations.
const PREFIX: &str = "berth.dev/";
/// The names after the prefix, as in the table above.
const NAMES: [&str; 11] = [
    "run-for",
    "exit-code",
    "ready-after",
    "readiness",
    "liveness",
    "startup",
    "memory",
    "cpu",
    "image",
    "pull-time",
    "stop-after",
];
/// The name of the annotation for `kubectl logs`, which does not change what the process does.
const LOGS: &str = "logs";
/// Run time of a Job's or init container whose command is unknown.
const JOB_MS: i64 = 5_000;
/// How long a process that handles SIGTERM takes to exit.
const STOP_MS: i64 = 1_000;

/// What a container does after each start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Behavior {
    /// Milliseconds until the process exits on its own; `None` if it never does.
    pub runs_ms: Option<i64>,
    /// The exit code of the first start, the second, and so on; the last one repeats.
    pub exit_codes: Vec<i32>,
    pub readiness: Schedule<bool>,
    pub liveness: Schedule<bool>,
    pub startup: Schedule<bool>,
    /// Whether an annotation sets the readiness even without a readiness probe.
    pub sets_readiness: bool,
    /// Memory in use, in bytes; `None` if unknown, and then not counted.
    pub memory: Option<Schedule<i64>>,
    /// CPU in use; `None` if unknown.
    pub milli_cpu: Option<i64>,
    /// Whether the image cannot be pulled, if an annotation determines it.
    pub image_is_missing: Option<bool>,
    pub pull_ms: Option<i64>,
    /// Milliseconds from SIGTERM to the exit; `None` if the process ignores SIGTERM.
    pub stop_ms: Option<i64>,
}

impl Behavior {
    /// The exit code of the start with this index, counted from 0.
    pub fn exit_code(&self, start: usize) -> i32 {
        let code = self.exit_codes.get(start).or(self.exit_codes.last());
        code.copied().unwrap_or(0)
    }
}

/// Determines the behavior of a Pod's container. Invalid annotations are reported in `problems` and ignored.
pub(crate) fn of(
    pod: &Pod,
    container: &Container,
    known: Known,
    problems: &mut Vec<String>,
) -> Behavior {
    let by_command = command::behavior_of(container);
    let runs_ms = if !by_command.known && has_to_end(pod, container) {
        Some(by_command.before_ms.saturating_add(JOB_MS))
    } else {
        by_command.runs_ms
    };
    let mut files = files_after_start(container);
    files.extend(by_command.files.iter().cloned());
    let probed = |probe: &Option<Probe>| match check_of(probe.as_ref()) {
        Check::File(file) => presence(&file, &files, container),
        Check::Fails => Schedule::always(false),
        Check::Unknown => Schedule::always(true),
    };
    let mut behavior = Behavior {
        runs_ms,
        exit_codes: vec![by_command.code],
        readiness: probed(&container.readiness_probe),
        liveness: probed(&container.liveness_probe),
        startup: probed(&container.startup_probe),
        sets_readiness: false,
        memory: by_command.memory_bytes.map(Schedule::always),
        milli_cpu: by_command.milli_cpu,
        image_is_missing: None,
        pull_ms: None,
        stop_ms: by_command.heeds_term.then_some(STOP_MS),
    };
    if known != Known::Command && !is_init(pod, container) {
        behavior.serve(known == Known::Serves, container.readiness_probe.is_some());
    }
    if has_any(pod) {
        let mut ends_somehow = false;
        let mut says_when = false;
        for name in NAMES {
            let Some((key, text)) = annotation(pod, name, &container.name) else {
                continue;
            };
            match behavior.set(name, text.trim()) {
                Ok(()) => {
                    ends_somehow |= name == "exit-code";
                    says_when |= name == "run-for";
                }
                Err(wrong) => problems.push(format!("annotation {key:?} is ignored: {wrong}")),
            }
        }
        if ends_somehow && !says_when {
            behavior.runs_ms.get_or_insert(command::SHORT_MS);
        }
    }
    behavior
}

impl Behavior {
    /// Applies the value of an annotation.
    fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        match name {
            "run-for" => self.runs_ms = or_never(text, "forever")?,
            "exit-code" => {
                let codes: Result<Vec<i32>, String> = text.split(',').map(exit_code).collect();
                self.exit_codes = codes?;
            }
            "ready-after" => {
                self.readiness = match or_never(text, "never")? {
                    Some(ms) if ms > 0 => Schedule::changing(false, ms, true),
                    Some(_) => Schedule::always(true),
                    None => Schedule::always(false),
                };
                self.sets_readiness = true;
            }
            "readiness" => {
                self.readiness = schedule(text, outcome)?;
                self.sets_readiness = true;
            }
            "liveness" => self.liveness = schedule(text, outcome)?,
            "startup" => self.startup = schedule(text, outcome)?,
            "memory" => self.memory = Some(schedule(text, bytes)?),
            "cpu" => self.milli_cpu = Some(milli(text)?),
            "image" => match text {
                "missing" => self.image_is_missing = Some(true),
                "present" => self.image_is_missing = Some(false),
                _ => return Err(format!("{text:?} is neither \"missing\" nor \"present\"")),
            },
            "pull-time" => self.pull_ms = Some(duration_ms(text)?),
            "stop-after" => self.stop_ms = or_never(text, "never")?,
            _ => {}
        }
        Ok(())
    }
}

/// Whether the container is one of a Job, or an init container that others wait for.
fn has_to_end(pod: &Pod, container: &Container) -> bool {
    let owner = controller_of(&pod.metadata);
    owner.is_some_and(|owner| owner.kind == "Job") || is_init(pod, container)
}

/// Whether it is an init container that others wait for.
fn is_init(pod: &Pod, container: &Container) -> bool {
    let mut init = pod
        .spec
        .iter()
        .flat_map(|spec| spec.init_containers.iter().flatten())
        .filter(|own| own.restart_policy.as_deref() != Some("Always"));
    init.any(|own| own.name == container.name)
}

/// What a lifecycle hook does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hook {
    /// How long it takes, in milliseconds; `i64::MAX` if it never ends.
    pub takes_ms: i64,
    /// Whether its command exits with an error. Requests always succeed.
    pub fails: bool,
}

/// Reads a `postStart` or `preStop` hook. Programs that are unknown succeed at once.
pub(crate) fn hook_of(handler: Option<&LifecycleHandler>) -> Hook {
    let Some(handler) = handler else {
        return Hook::default();
    };
    if let Some(sleep) = &handler.sleep {
        return Hook {
            takes_ms: sleep.seconds.max(0).saturating_mul(1_000),
            fails: false,
        };
    }
    let Some(words) = handler.exec.as_ref().and_then(|exec| exec.command.as_ref()) else {
        return Hook::default();
    };
    let container = Container {
        command: Some(words.clone()),
        ..Container::default()
    };
    let by_command = command::behavior_of(&container);
    if !by_command.known {
        // Its last program is unknown, or the server itself: only what comes before takes time.
        return Hook {
            takes_ms: by_command.before_ms,
            fails: false,
        };
    }
    // A container's command takes at least `SHORT_MS`; a hook does not.
    let takes_ms = match by_command.runs_ms {
        Some(ms) if ms <= command::SHORT_MS => 0,
        Some(ms) => ms,
        None => i64::MAX,
    };
    Hook {
        takes_ms,
        fails: by_command.code != 0,
    }
}

/// The lines that a container prints, if an annotation gives them.
pub fn logs_of<'a>(pod: &'a Pod, container: &str) -> Option<&'a str> {
    annotation(pod, LOGS, container).map(|(_, text)| text)
}

/// A duration, or `None` for the given word.
fn or_never(text: &str, word: &str) -> Result<Option<i64>, String> {
    if text == word {
        return Ok(None);
    }
    duration_ms(text)
        .map(Some)
        .map_err(|wrong| format!("{wrong}, nor {word:?}"))
}

fn exit_code(text: &str) -> Result<i32, String> {
    let code = text
        .trim()
        .parse()
        .ok()
        .filter(|code| (0..=255).contains(code));
    code.ok_or_else(|| format!("{text:?} is not an exit code from 0 to 255"))
}

fn has_any(pod: &Pod) -> bool {
    pod.metadata
        .annotations
        .iter()
        .flatten()
        .into_iter()
        .any(|(key, _)| key.starts_with(PREFIX))
}

/// The key and value of the annotation for the container or, without one, for the whole Pod.
fn annotation<'a>(pod: &'a Pod, name: &str, container: &str) -> Option<(String, &'a str)> {
    let annotations = pod.metadata.annotations.as_ref()?;
    let keys = [
        format!("{PREFIX}{name}.{container}"),
        format!("{PREFIX}{name}"),
    ];
    keys.into_iter().find_map(|key| {
        let text = annotations.get(&key)?;
        Some((key, text.as_str()))
    })
}

/// What an exec probe checks, as far as its command determines it.
enum Check {
    /// The probe succeeds while this file exists.
    File(String),
    /// The probe's script has a syntax error.
    Fails,
    /// The result is unknown; the probe succeeds.
    Unknown,
}

/// Reads a probe: `cat FILE`, `ls FILE`, `test -f FILE`, `[ -f FILE ]` and `stat FILE`, also in a shell.
fn check_of(probe: Option<&Probe>) -> Check {
    let exec = probe.and_then(|probe| probe.exec.as_ref());
    let words = exec.and_then(|exec| exec.command.as_deref());
    let file = match words.unwrap_or_default() {
        [shell, flag, script] if flag == "-c" && programs::basename(shell).ends_with("sh") => {
            let Some(tokens) = tokens::tokens(script) else {
                return Check::Fails;
            };
            // The values of variables and commands are unknown.
            let words = tokens::single_command(&tokens);
            let words = words.filter(|words| !words.iter().any(|word| word.contains('$')));
            words.and_then(|words| file_of(&words))
        }
        words => file_of(&words.iter().map(String::as_str).collect::<Vec<_>>()),
    };
    file.map_or(Check::Unknown, Check::File)
}

/// The file whose existence decides whether a command succeeds.
fn file_of(words: &[&str]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let asks = matches!(
        programs::basename(program),
        "cat" | "ls" | "test" | "stat" | "["
    );
    // Negations and comparisons do not check for a file.
    let other = |word: &&str| word.starts_with('!') || word.contains('=');
    if !asks || arguments.iter().any(other) {
        return None;
    }
    let mut files = arguments.iter().filter(|word| !word.starts_with('-'));
    files.next().map(|file| (*file).to_owned())
}

/// When the file exists. A file that the command does not touch is missing only below `/tmp`, where images have none,
/// unless a volume is mounted there.
fn presence(file: &str, files: &[(i64, String, bool)], container: &Container) -> Schedule<bool> {
    let mut own = files.iter().filter(|(_, name, _)| name == file).peekable();
    if own.peek().is_none() {
        let mut folders = container
            .volume_mounts
            .iter()
            .flatten()
            .map(|mount| mount.mount_path.trim_end_matches('/'));
        let is_inside = |path: &str| path.is_empty() || path.starts_with('/');
        let is_kept = folders.any(|folder| file.strip_prefix(folder).is_some_and(is_inside));
        return Schedule::always(is_kept || !file.starts_with("/tmp/"));
    }
    let mut presence = Schedule::always(false);
    for (at, _, comes) in own {
        presence.push(*at, *comes);
    }
    presence
}

/// The files that the `postStart` hook creates.
fn files_after_start(container: &Container) -> Vec<(i64, String, bool)> {
    let hook = container
        .lifecycle
        .as_ref()
        .and_then(|it| it.post_start.as_ref());
    let exec = hook.and_then(|hook| hook.exec.as_ref());
    let words = exec.and_then(|exec| exec.command.clone());
    if let Some(["touch", names @ ..]) = words
        .as_ref()
        .map(|words| words.iter().map(String::as_str).collect::<Vec<_>>())
        .as_deref()
    {
        return names
            .iter()
            .map(|name| (0, (*name).to_owned(), true))
            .collect();
    }
    let container = Container {
        command: words.filter(|words| !words.is_empty()),
        ..Container::default()
    };
    command::behavior_of(&container).files
}

#[cfg(test)]
mod tests;
