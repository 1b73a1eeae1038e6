//! Scripts: lines as typed, each followed by its expected output.
//!
//! ```text
//! kubectl get nodes -o name
//! #= node/n1
//! #= node/n2
//! kubectl cordon n9
//! #~ …nodes "n9" not found
//! #! 1
//! ```

use berth_kubectl::shell::Shell;
use berth_kubectl::{Output, Printed};
use berth_protocol::due::passed;

use super::Terminal;

/// The result of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Commands after `$`, and their output.
    pub transcript: String,
    /// The expectations that were not met.
    pub failures: Vec<Failure>,
    /// The exit code of the command that ended the script, or of the last one.
    pub code: i32,
}

/// An expectation that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The line of the expectation, counted from 1.
    pub line: usize,
    pub message: String,
}

/// The expectations of a command.
#[derive(Clone, Debug, Default)]
struct Expected {
    /// `#=`: all lines of its output.
    exact: Vec<String>,
    /// `#~`: patterns of lines that its output contains; `…` matches any text.
    among: Vec<(usize, String)>,
    /// `#!`: its exit code.
    code: Option<i32>,
    /// The line of the first expectation.
    line: usize,
}

/// The error of `vi` and `kubectl edit` in a script.
const NO_EDITOR: &str = "error: a script has no editor: use sed -i, kubectl patch, or kubectl edit with KUBE_EDITOR='sed -i …'";

impl Terminal {
    /// Plays a script to its end, or to the first command that fails, unless the failure is expected or the script runs
    /// `set +e`.
    pub fn play_script(&mut self, text: &str) -> Played {
        let mut played = Played::default();
        let lines: Vec<&str> = text.lines().collect();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                played.transcript.push_str(line);
                played.transcript.push('\n');
                at += 1;
                continue;
            }
            let first = at;
            let mut unit = (*line).to_owned();
            at += 1;
            while let Some(lacks) = Shell::lacks(&unit)
                && at < lines.len()
            {
                // Up to the next line that may be the last: a here-document has thousands.
                let rest = lines.iter().skip(at);
                let until = rest.clone().position(|line| lacks.may_end_with(line));
                let count = until.map_or(lines.len() - at, |until| until + 1);
                for more in rest.take(count) {
                    unit.push('\n');
                    unit.push_str(more);
                }
                at += count;
            }
            let (expected, behind) = expectations(&lines, at);
            at = behind;
            let (mut output, passed_ms) = self.run_timed(&unit);
            if output.open.take().is_some() {
                output.complain(NO_EDITOR);
            }
            played.tell(&unit, &output, passed_ms);
            let was_expected = expected.is_some();
            let wanted_code = expected.as_ref().and_then(|it| it.code);
            if let Some(expected) = expected {
                played.failures.extend(expected.hold(&output));
            }
            played.code = output.code;
            let stops = self.shell.stops_on_failure().unwrap_or(true);
            if let Some(code) = self.shell.exited() {
                played.code = code;
                break;
            }
            if wanted_code == Some(output.code) {
                played.code = 0;
            } else if output.code != 0 && stops {
                if was_expected && wanted_code.is_none() {
                    played.failures.push(Failure {
                        line: first + 1,
                        message: format!(
                            "exit code {}; if that is right, say `#! {0}`",
                            output.code
                        ),
                    });
                }
                break;
            }
        }
        played
    }
}

impl Played {
    /// Writes a command and its output. The time that it took is a comment on its first line: the output is kubectl's,
    /// word for word.
    fn tell(&mut self, unit: &str, output: &Output, passed_ms: i64) {
        for (index, line) in unit.lines().enumerate() {
            let prompt = if index == 0 { "$ " } else { "> " };
            self.transcript.push_str(prompt);
            self.transcript.push_str(line);
            if index == 0 && passed_ms > 0 {
                self.transcript
                    .push_str(&format!("  # {}", passed(passed_ms)));
            }
            self.transcript.push('\n');
        }
        for part in output.printed() {
            let (Printed::Out(text) | Printed::Err(text)) = part;
            self.transcript.push_str(text);
            if !text.is_empty() && !text.ends_with('\n') {
                self.transcript.push('\n');
            }
        }
    }
}

/// The expectations that start at a line, and the index of the line after them.
fn expectations(lines: &[&str], from: usize) -> (Option<Expected>, usize) {
    let mut expected = Expected {
        line: from + 1,
        ..Expected::default()
    };
    let mut at = from;
    while let Some(line) = lines.get(at) {
        let text = |rest: &str| rest.strip_prefix(' ').unwrap_or(rest).trim_end().to_owned();
        if let Some(rest) = line.strip_prefix("#=") {
            expected.exact.push(text(rest));
        } else if let Some(rest) = line.strip_prefix("#~") {
            expected.among.push((at + 1, text(rest)));
        } else if let Some(code) = line
            .strip_prefix("#!")
            .and_then(|it| it.trim().parse().ok())
        {
            expected.code = Some(code);
        } else {
            break;
        }
        at += 1;
    }
    ((at > from).then_some(expected), at)
}

impl Expected {
    /// The expectations that the output does not meet.
    fn hold(&self, output: &Output) -> Vec<Failure> {
        let mut failures = Vec::new();
        let all = output.all();
        let all: Vec<&str> = all.lines().map(str::trim_end).collect();
        if !self.exact.is_empty() && all != self.exact {
            failures.push(Failure {
                line: self.line,
                message: format!(
                    "expected exactly\n  {}\nbut it printed\n  {}",
                    self.exact.join("\n  "),
                    all.join("\n  ")
                ),
            });
        }
        for (line, pattern) in &self.among {
            if !all.iter().any(|own| fits(pattern, own)) {
                failures.push(Failure {
                    line: *line,
                    message: format!("no line is like {pattern:?}"),
                });
            }
        }
        if let Some(code) = self.code.filter(|code| *code != output.code) {
            failures.push(Failure {
                line: self.line,
                message: format!("expected exit code {code}, but it was {}", output.code),
            });
        }
        failures
    }
}

/// Whether a line matches a pattern, in which `…` matches any text.
fn fits(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(place) => rest = rest.get(place + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_match_whole_lines() {
        for (pattern, line, does) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a…", "ab", true),
            ("…b", "ab", true),
            ("a…c…e", "abcde", true),
            ("a…e…c", "abcde", false),
            ("ab…ba", "aba", false),
        ] {
            assert_eq!(fits(pattern, line), does, "{pattern} {line}");
        }
    }
}
