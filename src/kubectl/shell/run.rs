//! Runs what was read: pipelines, loops, redirection, variables.

use super::Shell;
use super::parse::{bare, parse};
use super::programs;
use super::syntax::{Command, Fault, Pipeline, Redirect, Script, Simple, Step, Stream, When, Word};
use crate::kubectl::{Cluster, Output};

/// Commands of one line, loops included.
const MAX_COMMANDS: u32 = 20_000;
/// Nesting of command substitutions and of loops within them.
const MAX_DEPTH: u32 = 20;
/// Bytes that one line may print; the rest is cut off.
const MAX_PRINTED: usize = 16 << 20;
const TOO_MANY: &str = "bash: stopped after too many commands";
/// The exit code of a program that there is not.
const NOT_FOUND: i32 = 127;

/// A line at work.
pub(crate) struct Run<'a> {
    pub shell: &'a mut Shell,
    pub cluster: &'a mut dyn Cluster,
    left: u32,
    depth: u32,
    /// What the next command prints is only shown: it may leave its waiting to who steps the cluster.
    leaves: bool,
    /// The input of the loop that is gone round, as far as `read` has not taken it.
    pub lines: Option<String>,
}

/// Where a stream goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sink {
    Out,
    Err,
    File(String),
}

impl<'a> Run<'a> {
    pub(crate) fn new(shell: &'a mut Shell, cluster: &'a mut dyn Cluster) -> Self {
        Run {
            shell,
            cluster,
            left: MAX_COMMANDS,
            depth: 0,
            leaves: false,
            lines: None,
        }
    }

    /// Runs a text.
    pub(crate) fn line(&mut self, text: &str, stdin: &str) -> Output {
        let parsed = match parse(text) {
            Ok(parsed) => parsed,
            Err(Fault::Incomplete(why) | Fault::Wrong(why)) => {
                self.shell.status = 2;
                return Output::failure(&why, 2);
            }
        };
        let mut output = Output::default();
        if let Some(end) = parsed.open_here {
            output.warn(format!(
                "bash: warning: here-document delimited by end-of-file (wanted `{end}')"
            ));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            output.complain("bash: commands are nested too deeply");
        } else {
            let is_outermost = self.depth == 1;
            self.steps(&parsed.script.steps, stdin, &mut output, is_outermost);
        }
        self.depth -= 1;
        output
    }

    /// What a command substitution stands for.
    pub(crate) fn substitute(&mut self, text: &str) -> String {
        let printed = self.substitute_whole(text);
        printed.trim_end_matches('\n').to_owned()
    }

    /// The same with the ends of its last lines.
    pub(crate) fn substitute_whole(&mut self, text: &str) -> String {
        let folder = self.shell.folder.clone();
        let output = self.line(text, "");
        self.shell.folder = folder;
        self.shell.noise.push_str(&output.stderr);
        output.stdout
    }

    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        match name {
            "?" => Some(self.shell.status.to_string()),
            "HOME" => Some(super::files::HOME.to_owned()),
            "PWD" => Some(self.shell.folder.clone()),
            "0" => Some("bash".to_owned()),
            "!" => self.shell.jobs.last(),
            "#" => Some("0".to_owned()),
            name => self.shell.variables.get(name).cloned(),
        }
    }

    fn script(&mut self, script: &Script, stdin: &str) -> Output {
        let mut output = Output::default();
        self.steps(&script.steps, stdin, &mut output, false);
        output
    }

    /// One step after the other. If one leaves its waiting, where it may, the others are kept for later.
    fn steps(&mut self, steps: &[Step], stdin: &str, output: &mut Output, may_leave: bool) {
        for (number, (when, pipeline)) in steps.iter().enumerate() {
            let runs = match when {
                When::Always => true,
                When::AndIf => output.code == 0,
                When::OrElse => output.code != 0,
            };
            if !runs {
                continue;
            }
            if self.shell.exited.is_some() || output.stdout.len() > MAX_PRINTED {
                break;
            }
            self.leaves = may_leave && is_only_shown(pipeline);
            if pipeline.is_job {
                output.warn(self.shell.jobs.begin());
            }
            let mut ran = self.pipeline(pipeline, stdin);
            if pipeline.is_job {
                self.shell.jobs.end(ran.code);
                ran.code = 0;
            }
            self.leaves = false;
            self.shell.status = ran.code;
            append(output, ran);
            if may_leave && self.cluster.has_left() {
                self.shell.later = steps.get(number + 1..).unwrap_or_default().to_vec();
                return;
            }
        }
    }

    /// What was kept for after a waiting, now that it ended with this exit code.
    pub(crate) fn later(&mut self, code: i32) -> Output {
        let steps = std::mem::take(&mut self.shell.later);
        let mut output = Output {
            code,
            ..Output::default()
        };
        self.shell.status = code;
        self.depth += 1;
        self.steps(&steps, "", &mut output, true);
        self.depth -= 1;
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: &str) -> Output {
        let mut output = Output::default();
        let mut input = stdin.to_owned();
        let last = pipeline.commands.len().saturating_sub(1);
        for (index, (command, redirects)) in pipeline.commands.iter().enumerate() {
            let mut ran = self.redirected(command, redirects, &input);
            if index < last {
                input = std::mem::take(&mut ran.stdout);
            }
            append(&mut output, ran);
        }
        if pipeline.negated {
            output.code = i32::from(output.code == 0);
        }
        output
    }

    /// Runs a command with the redirections behind it.
    fn redirected(&mut self, command: &Command, redirects: &[Redirect], stdin: &str) -> Output {
        let empty = Vec::new();
        let own = match command {
            Command::Simple(simple) => &simple.redirects,
            _ => &empty,
        };
        let mut input = None;
        let mut sinks = (Sink::Out, Sink::Err);
        for redirect in own.iter().chain(redirects) {
            if let Err(complaint) = self.redirect(redirect, &mut input, &mut sinks) {
                return Output::failure(&complaint, 1);
            }
        }
        let stdin = input.as_deref().unwrap_or(stdin);
        let ran = if self.left == 0 {
            self.shell.exited = Some(1);
            Output::failure(TOO_MANY, 1)
        } else {
            self.left -= 1;
            self.command(command, stdin)
        };
        self.deliver(ran, &sinks)
    }

    fn redirect(
        &mut self,
        redirect: &Redirect,
        input: &mut Option<String>,
        sinks: &mut (Sink, Sink),
    ) -> Result<(), String> {
        match redirect {
            Redirect::Input(word) => {
                let name = self.text(word);
                let text = self.read(&name);
                let missing = || format!("bash: {name}: No such file or directory");
                *input = Some(text.ok_or_else(missing)?);
            }
            Redirect::Text(word) => *input = Some(self.text(word)),
            Redirect::Output {
                stream,
                file,
                append,
            } => {
                let name = self.text(file);
                let sink = match name.as_str() {
                    "/dev/stdout" => Sink::Out,
                    "/dev/stderr" => Sink::Err,
                    "" => return Err("bash: : No such file or directory".to_owned()),
                    name if name != "/dev/null" && self.is_folder(name) => {
                        return Err(format!("bash: {name}: Is a directory"));
                    }
                    _ => Sink::File(name.clone()),
                };
                if matches!(sink, Sink::File(_)) && !append {
                    self.write(&name, String::new(), false);
                }
                if *stream != Stream::Err {
                    sinks.0 = sink.clone();
                }
                if *stream != Stream::Out {
                    sinks.1 = sink;
                }
            }
            Redirect::Duplicate { from, to } => {
                let sink = match to {
                    Stream::Err => sinks.1.clone(),
                    Stream::Out | Stream::Both => sinks.0.clone(),
                };
                match from {
                    Stream::Err => sinks.1 = sink,
                    Stream::Out | Stream::Both => sinks.0 = sink,
                }
            }
        }
        Ok(())
    }

    /// Sends what a command printed to where it is to go.
    fn deliver(&mut self, ran: Output, sinks: &(Sink, Sink)) -> Output {
        if *sinks == (Sink::Out, Sink::Err) {
            return ran;
        }
        let mut output = Output {
            code: ran.code,
            open: ran.open,
            ..Output::default()
        };
        for (text, sink) in [(ran.stdout, &sinks.0), (ran.stderr, &sinks.1)] {
            match sink {
                Sink::Out => output.stdout.push_str(&text),
                Sink::Err => output.stderr.push_str(&text),
                Sink::File(name) => self.write(name, text, true),
            }
        }
        output
    }

    fn command(&mut self, command: &Command, stdin: &str) -> Output {
        match command {
            Command::Simple(simple) => self.simple(simple, stdin),
            Command::Group { body, apart: false } => self.script(body, stdin),
            Command::Group { body, apart: true } => {
                let before = self.shell.clone();
                let output = self.script(body, stdin);
                let status = self.shell.status;
                *self.shell = Shell { status, ..before };
                output
            }
            Command::For { name, words, body } => {
                let mut output = Output::default();
                for word in self.words(words) {
                    if !self.goes_on(&output) {
                        break;
                    }
                    self.shell.variables.insert(name.clone(), word);
                    let ran = self.script(body, stdin);
                    append(&mut output, ran);
                }
                output
            }
            Command::Count {
                first,
                condition,
                step,
                body,
            } => self.count([first, condition, step], body, stdin),
            Command::Arithmetic(text) => self.reckoned(text),
            Command::While {
                wanted,
                condition,
                body,
            } => self.as_long_as(*wanted, condition, body, stdin),
            Command::Condition(words) => self.condition(words),
            Command::If {
                branches,
                otherwise,
            } => {
                let mut output = Output::default();
                for (condition, body) in branches {
                    let asked = self.script(condition, stdin);
                    let is_so = asked.code == 0;
                    append(&mut output, asked);
                    if is_so {
                        let ran = self.script(body, stdin);
                        append(&mut output, ran);
                        return output;
                    }
                }
                let ran = self.script(otherwise, stdin);
                append(&mut output, ran);
                output
            }
        }
    }

    /// `while`, and `until` if `wanted` is false.
    fn as_long_as(
        &mut self,
        wanted: bool,
        condition: &Script,
        body: &Script,
        stdin: &str,
    ) -> Output {
        let mut output = Output::default();
        let mut code = 0;
        // `read` takes one line of it after the other.
        let outer = self.lines.replace(stdin.to_owned());
        while self.goes_on(&output) {
            let asked = self.script(condition, stdin);
            let is_so = (asked.code == 0) == wanted;
            append(&mut output, asked);
            if !is_so {
                break;
            }
            let ran = self.script(body, stdin);
            code = ran.code;
            append(&mut output, ran);
        }
        self.lines = outer;
        output.code = code;
        output
    }

    /// `for ((first; condition; step))`; without a condition it goes on.
    fn count(&mut self, parts: [&str; 3], body: &Script, stdin: &str) -> Output {
        let [first, condition, step] = parts;
        let mut output = Output::default();
        let mut code = 0;
        let mut next = first;
        while self.goes_on(&output) {
            let condition = if condition.trim().is_empty() {
                "1"
            } else {
                condition
            };
            let reckoned = self.reckon(next).and_then(|_| self.reckon(condition));
            match reckoned {
                Ok(0) => break,
                Ok(_) => {}
                Err(why) => {
                    output.warn(format!("bash: ((: {why}"));
                    code = 1;
                    break;
                }
            }
            let ran = self.script(body, stdin);
            code = ran.code;
            append(&mut output, ran);
            next = step;
        }
        output.code = code;
        if self.left == 0 && self.shell.exited.is_none() {
            self.shell.exited = Some(1);
            output.complain(TOO_MANY);
        }
        output
    }

    /// Whether a loop may go round once more.
    fn goes_on(&mut self, output: &Output) -> bool {
        self.left > 0 && self.shell.exited.is_none() && output.stdout.len() < MAX_PRINTED
    }

    fn simple(&mut self, simple: &Simple, stdin: &str) -> Output {
        // Not those that words are made of.
        let may_leave = std::mem::take(&mut self.leaves);
        let mut values = Vec::new();
        for (name, word) in &simple.assignments {
            let value = self.text(word);
            values.push((name.clone(), value));
        }
        let words = self.without_aliases(&simple.words);
        let words = match words {
            Ok(words) => self.words(&words),
            Err(fault) => return Output::failure(&fault, 2),
        };
        let noise = std::mem::take(&mut self.shell.noise);
        let mut output = Output::default();
        output.stderr.push_str(&noise);
        let Some((program, arguments)) = words.split_first() else {
            self.shell.variables.extend(values);
            return output;
        };
        // Assignments before a command are its own.
        let before = self.shell.variables.clone();
        let has_own = !values.is_empty();
        self.shell.variables.extend(values);
        let ran = match programs::find(program) {
            Some(run) => {
                // Others run commands of their own.
                let waits_itself = matches!(program.as_str(), "kubectl" | "sleep" | "watch");
                self.cluster.let_leave(may_leave && waits_itself);
                let ran = run(self, arguments, stdin);
                self.cluster.let_leave(false);
                ran
            }
            None => {
                let complaint = format!("bash: {program}: command not found");
                Output::failure(&complaint, NOT_FOUND)
            }
        };
        if has_own {
            self.shell.variables = before;
        }
        append(&mut output, ran);
        output
    }

    /// Words whose first is no alias any more.
    fn without_aliases(&mut self, words: &[Word]) -> Result<Vec<Word>, String> {
        let mut words = words.to_vec();
        let mut used: Vec<String> = Vec::new();
        while let Some(name) = words.first().and_then(bare) {
            let Some(text) = self.shell.aliases.get(name) else {
                break;
            };
            if used.iter().any(|it| it == name) {
                break;
            }
            used.push(name.to_owned());
            let parsed = parse(text).map_err(|fault| match fault {
                Fault::Incomplete(why) | Fault::Wrong(why) => why,
            })?;
            let simple = match parsed.script.steps.as_slice() {
                [
                    (
                        _,
                        Pipeline {
                            commands,
                            negated: false,
                            ..
                        },
                    ),
                ] => match commands.as_slice() {
                    [(Command::Simple(simple), _)] => simple.clone(),
                    _ => break,
                },
                _ => break,
            };
            words.splice(..1, simple.words);
        }
        Ok(words)
    }
}

/// Whether nothing is done with what it prints, and nothing with how it ends: it is one command.
fn is_only_shown(pipeline: &Pipeline) -> bool {
    match pipeline.commands.as_slice() {
        [(Command::Simple(simple), redirects)] => {
            redirects.is_empty() && simple.redirects.is_empty() && !pipeline.negated
        }
        _ => false,
    }
}

/// Adds what a command printed; its exit code is the one that counts from here on.
fn append(output: &mut Output, ran: Output) {
    output.stdout.push_str(&ran.stdout);
    output.stderr.push_str(&ran.stderr);
    output.code = ran.code;
    output.open = ran.open.or(output.open.take());
}
