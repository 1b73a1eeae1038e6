//! What a container's command does, as far as its words determine it.

use k8s_openapi::api::core::v1::Container;

use super::programs::{Program, basename, program, stress};
use super::shell::{ScriptOutcome, follow};

/// Run time of a program that does its work and exits.
pub(super) const SHORT_MS: i64 = 1_000;

/// Shells, which take their script after `-c`.
pub(super) const SHELLS: [&str; 5] = ["sh", "bash", "ash", "dash", "zsh"];

/// Images of languages: without a program to run, their interpreter reads end-of-file and exits.
const LANGUAGES: [&str; 5] = ["golang", "node", "openjdk", "python", "ruby"];

/// Images of distributions and tools: without a command, or with an unknown one, they exit.
const TOOLS: [&str; 12] = [
    "alpine",
    "amazonlinux",
    "bash",
    "busybox",
    "centos",
    "curl",
    "debian",
    "fedora",
    "hello-world",
    "perl",
    "pi",
    "ubuntu",
];

/// What a container does according to its command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandBehavior {
    /// Milliseconds until the process exits; `None` if it runs forever.
    pub runs_ms: Option<i64>,
    /// Milliseconds until an unknown program starts.
    pub before_ms: i64,
    pub code: i32,
    /// Whether the command or the image is known; an unknown one runs forever.
    pub known: bool,
    pub heeds_term: bool,
    pub memory_bytes: Option<i64>,
    pub milli_cpu: Option<i64>,
    pub files: Vec<(i64, String, bool)>,
}

/// Reads a container's command and arguments, or its image if there are none.
pub(super) fn behavior_of(container: &Container) -> CommandBehavior {
    let command = container.command.iter().flatten();
    let words: Vec<&str> = command
        .chain(container.args.iter().flatten())
        .map(String::as_str)
        .collect();
    let image = short_image(container.image.as_deref().unwrap_or_default());
    let is_tool = TOOLS.contains(&image);
    let is_interactive = is_tool || LANGUAGES.contains(&image);
    let Some((first, rest)) = words.split_first() else {
        return by_image(container, is_interactive);
    };
    let name = basename(first);
    if SHELLS.contains(&name) {
        let is_script =
            |word: &&&str| word.starts_with('-') && word.trim_start_matches('-').contains('c');
        let at = rest.iter().position(|word| is_script(&word));
        return match at.and_then(|at| rest.get(at + 1)) {
            Some(script) => by_outcome(follow(script), is_tool),
            None => by_image(container, is_interactive),
        };
    }
    let has_command = container
        .command
        .as_ref()
        .is_some_and(|words| !words.is_empty());
    // Arguments without a command are passed to the image's entrypoint: `stress`, or usually a server.
    let program = if !has_command && name.starts_with('-') {
        match short_image(container.image.as_deref().unwrap_or_default()) {
            image if image.contains("stress") => stress(&words),
            _ => Program::default(),
        }
    } else {
        program(first, rest)
    };
    by_program(program, is_tool)
}

fn by_image(container: &Container, is_interactive: bool) -> CommandBehavior {
    // Without a terminal, a shell reads end-of-file and exits.
    let ends = is_interactive && !(container.stdin == Some(true) && container.tty == Some(true));
    CommandBehavior {
        runs_ms: ends.then_some(SHORT_MS),
        known: ends,
        heeds_term: !is_interactive,
        ..CommandBehavior::default()
    }
}

fn by_outcome(outcome: ScriptOutcome, is_tool: bool) -> CommandBehavior {
    // As if the last program were the command itself.
    if outcome.serves && !is_tool {
        return CommandBehavior {
            before_ms: outcome.elapsed_ms,
            memory_bytes: outcome.memory_bytes,
            milli_cpu: outcome.milli_cpu,
            files: outcome.files,
            ..CommandBehavior::default()
        };
    }
    CommandBehavior {
        before_ms: 0,
        // A script that takes no time still runs long enough to be observed.
        runs_ms: (!outcome.forever).then_some(outcome.elapsed_ms.max(SHORT_MS)),
        code: outcome.code,
        known: true,
        heeds_term: false,
        memory_bytes: outcome.memory_bytes,
        milli_cpu: outcome.milli_cpu,
        files: outcome.files,
    }
}

fn by_program(program: Program, is_tool: bool) -> CommandBehavior {
    let ends = if program.known {
        !program.forever
    } else {
        is_tool
    };
    CommandBehavior {
        before_ms: 0,
        runs_ms: ends.then_some(program.runs_ms.max(SHORT_MS)),
        code: program.code,
        known: program.known || is_tool,
        heeds_term: program.heeds_term || !program.known,
        memory_bytes: program.memory_bytes,
        milli_cpu: program.milli_cpu,
        files: Vec::new(),
    }
}

/// The last path segment of an image's name, without tag and digest.
fn short_image(image: &str) -> &str {
    let name = basename(image);
    name.split([':', '@']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(image: &str, command: &[&str], args: &[&str]) -> Container {
        let words = |all: &[&str]| {
            (!all.is_empty()).then(|| all.iter().map(|word| (*word).to_owned()).collect())
        };
        Container {
            image: Some(image.to_owned()),
            command: words(command),
            args: words(args),
            ..Container::default()
        }
    }

    /// When a container ends, in milliseconds (`None`: never), and its exit code.
    fn ends(image: &str, command: &[&str], args: &[&str]) -> (Option<i64>, i32) {
        let behavior = behavior_of(&container(image, command, args));
        (behavior.runs_ms, behavior.code)
    }

    #[test]
    fn commands_determine_run_time_and_exit_code() {
        for (image, command, args, expected) in [
            ("nginx", &[][..], &[][..], (None, 0)),
            (
                "nginx:1.27",
                &["nginx", "-g", "daemon off;"],
                &[],
                (None, 0),
            ),
            ("busybox", &[], &[], (Some(SHORT_MS), 0)),
            ("busybox", &["sleep", "3600"], &[], (Some(3_600_000), 0)),
            ("busybox:1.28", &[], &["sleep", "0.5m"], (Some(30_000), 0)),
            (
                "busybox",
                &["/bin/sh", "-c", "echo hi; sleep 7; exit 2"],
                &[],
                (Some(7_000), 2),
            ),
            ("busybox", &["sh", "-c"], &["sleep 5"], (Some(5_000), 0)),
            ("busybox", &["false"], &[], (Some(SHORT_MS), 1)),
            ("alpine", &["tail", "-f", "/dev/null"], &[], (None, 0)),
            (
                "busybox",
                &["timeout", "60", "sleep", "5"],
                &[],
                (Some(5_000), 0),
            ),
            (
                "team/app",
                &["timeout", "60", "./serve"],
                &[],
                (Some(60_000), 124),
            ),
            (
                "perl:5.34",
                &["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"],
                &[],
                (Some(SHORT_MS), 0),
            ),
            ("registry:5000/team/app:v1", &["./serve"], &[], (None, 0)),
            ("registry.k8s.io/pause:3.9", &[], &[], (None, 0)),
            (
                "polinux/stress",
                &["stress"],
                &["--vm", "1", "--vm-bytes", "150M"],
                (None, 0),
            ),
            (
                "polinux/stress",
                &["stress", "--cpu", "2", "-t", "20s"],
                &[],
                (Some(20_000), 0),
            ),
        ] {
            assert_eq!(
                ends(image, command, args),
                expected,
                "{image} {command:?} {args:?}"
            );
        }
    }

    #[test]
    fn programs_of_language_images_are_servers_unless_they_evaluate_or_print() {
        for (image, command, expected) in [
            ("openjdk:17", &[][..], (Some(SHORT_MS), 0)),
            ("openjdk:17", &["java", "-jar", "app.jar"], (None, 0)),
            (
                "openjdk:17",
                &["sh", "-c", "exec java -jar app.jar"],
                (None, 0),
            ),
            ("python:3.12", &["python", "app.py"], (None, 0)),
            (
                "python:3.12",
                &["python3", "-c", "print(1)"],
                (Some(SHORT_MS), 0),
            ),
            ("node:22", &["node", "--version"], (Some(SHORT_MS), 0)),
        ] {
            assert_eq!(ends(image, command, &[]), expected, "{image} {command:?}");
        }
    }

    #[test]
    fn a_shell_with_a_terminal_waits() {
        let mut shell = container("busybox", &[], &[]);
        shell.stdin = Some(true);
        shell.tty = Some(true);
        assert_eq!(behavior_of(&shell).runs_ms, None);
    }

    #[test]
    fn stress_arguments_determine_usage() {
        for (command, args) in [
            (
                &["stress"][..],
                &["--vm", "2", "--vm-bytes=100M", "--cpu", "3"][..],
            ),
            (&["sh", "-c", "stress --vm 2 --vm-bytes 100M --cpu 3"], &[]),
            (&[], &["--vm", "2", "--vm-bytes", "100M", "-c", "3"]),
        ] {
            let behavior = behavior_of(&container("polinux/stress", command, args));
            assert_eq!(behavior.memory_bytes, Some(200 << 20), "{command:?}");
            assert_eq!(behavior.milli_cpu, Some(5_000), "{command:?}");
        }
        let rests = ["--vm", "1", "--vm-bytes", "150M", "--vm-hang", "1"];
        let behavior = behavior_of(&container("polinux/stress", &["stress"], &rests));
        assert_eq!(
            (behavior.memory_bytes, behavior.milli_cpu),
            (Some(150 << 20), None)
        );
    }
}
