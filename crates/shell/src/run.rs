//! Runs parsed scripts: pipelines, loops, redirections, variables.

use super::files::fits;
use super::limits::{Allowance, MAX_BYTES, TOO_MUCH};
use super::parse::{bare, parse};
use super::programs;
use super::redirect::Sinks;
use super::syntax::{Command, Fault, Pipeline, Redirect, Script, Simple, Step, When, Word};
use super::{Call, Host, OpenRequest, Output, Ran, Shell, Waiting};

/// The file that `$EDITOR` edits.
const EDITED: &str = "/tmp/kubectl-edit.yaml";

/// Maximum commands of one line, including those of loop iterations.
const MAX_COMMANDS: u32 = 20_000;
/// Maximum nesting of command substitutions and sourced files.
const MAX_DEPTH: u32 = 20;
const TOO_MANY: &str = "bash: stopped after too many commands";
const TOO_DEEP: &str = "bash: commands are nested too deeply";

/// A running line.
pub(super) struct Run<'a> {
    pub shell: &'a mut Shell,
    pub host: &'a mut dyn Host,
    left: u32,
    pub allowance: Allowance,
    depth: u32,
    /// Whether the next command's output goes straight to the terminal, so that the host may suspend it.
    pub may_suspend: bool,
    /// Whether the host has suspended a command.
    is_suspended: bool,
    /// Why a word could not be expanded.
    failed: Option<String>,
    /// The part of the running loop's input that `read` has not consumed.
    pub lines: Option<String>,
}

impl<'a> Run<'a> {
    pub(super) fn new(shell: &'a mut Shell, host: &'a mut dyn Host) -> Self {
        Run {
            shell,
            host,
            left: MAX_COMMANDS,
            allowance: Allowance::default(),
            depth: 0,
            may_suspend: false,
            is_suspended: false,
            failed: None,
            lines: None,
        }
    }

    /// Parses and runs a text.
    pub(super) fn line(&mut self, text: &str, stdin: &str) -> Output {
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
            output.complain(TOO_DEEP);
        } else {
            let is_outermost = self.depth == 1;
            self.steps(&parsed.script.steps, stdin, &mut output, is_outermost);
        }
        self.depth -= 1;
        output
    }

    /// The value of a command substitution.
    pub(super) fn substitute(&mut self, text: &str) -> String {
        let printed = self.substitute_whole(text);
        printed.trim_end_matches('\n').to_owned()
    }

    /// The same, including trailing newlines.
    pub(super) fn substitute_whole(&mut self, text: &str) -> String {
        let folder = self.shell.folder.clone();
        let output = self.line(text, "");
        self.allowance.spend(output.stdout.len());
        self.shell.folder = folder;
        self.shell.noise.push_str(&output.stderr);
        output.stdout
    }

    pub(super) fn variable(&self, name: &str) -> Option<String> {
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

    /// Runs steps in order. If one is suspended, which `may_suspend` allows, the remaining ones are kept for later.
    fn steps(&mut self, steps: &[Step], stdin: &str, output: &mut Output, may_suspend: bool) {
        for (number, (when, pipeline)) in steps.iter().enumerate() {
            let runs = match when {
                When::Always => true,
                When::AndIf => output.code == 0,
                When::OrElse => output.code != 0,
            };
            if !runs {
                continue;
            }
            if self.shell.exited.is_some() || is_full(output) {
                break;
            }
            self.may_suspend = may_suspend && is_only_shown(pipeline);
            if pipeline.is_job {
                output.warn(self.shell.jobs.begin());
            }
            let mut ran = self.pipeline(pipeline, stdin);
            if pipeline.is_job {
                self.shell.jobs.end(ran.code);
                ran.code = 0;
            }
            self.may_suspend = false;
            self.shell.status = ran.code;
            append(output, ran);
            if may_suspend && self.is_suspended {
                self.shell.later = steps.get(number + 1..).unwrap_or_default().to_vec();
                return;
            }
        }
    }

    /// Runs the steps that were kept for after the suspended command, which ended with this exit code.
    pub(super) fn later(&mut self, code: i32) -> Output {
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
        let start_ms = self.host.now_ms();
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
        if pipeline.timed {
            // Programs take no time of their own; only waiting does.
            let ms = self.host.now_ms().saturating_sub(start_ms);
            let (minutes, seconds, ms) = (ms / 60_000, ms / 1_000 % 60, ms % 1_000);
            output.warn(format!(
                "\nreal\t{minutes}m{seconds}.{ms:03}s\nuser\t0m0.000s\nsys\t0m0.000s"
            ));
        }
        output
    }

    /// Records why a word could not be expanded; the command that contains it does not run.
    pub(super) fn fail(&mut self, why: String) {
        self.failed.get_or_insert(why);
    }

    fn failure(&mut self) -> Option<Output> {
        let why = self.failed.take()?;
        Some(Output::failure(&format!("bash: {why}"), 1))
    }

    /// Runs a command with the redirections after it.
    fn redirected(&mut self, command: &Command, redirects: &[Redirect], stdin: &str) -> Output {
        let empty = Vec::new();
        let own = match command {
            Command::Simple(simple) => &simple.redirects,
            _ => &empty,
        };
        let mut sinks = Sinks::default();
        for redirect in own.iter().chain(redirects) {
            if let Err(complaint) = self.redirect(redirect, &mut sinks) {
                return Output::failure(&complaint, 1);
            }
        }
        if let Some(failure) = self.failure() {
            return failure;
        }
        let input = sinks.input.take();
        let stdin = input.as_deref().unwrap_or(stdin);
        self.allowance.spend(stdin.len());
        let ran = match self.stops() {
            Some(stopped) => stopped,
            None => self.command(command, stdin),
        };
        self.allowance.spend(ran.stdout.len() + ran.stderr.len());
        self.deliver(ran, &sinks)
    }

    /// Counts a command; the output of a line that may run no more.
    fn stops(&mut self) -> Option<Output> {
        let why = match self.left {
            0 => TOO_MANY,
            _ if self.allowance.is_spent() => TOO_MUCH,
            _ => {
                self.left -= 1;
                return None;
            }
        };
        self.shell.exited = Some(1);
        Some(Output::failure(why, 1))
    }

    fn command(&mut self, command: &Command, stdin: &str) -> Output {
        match command {
            Command::Simple(simple) => self.simple(simple, stdin),
            Command::Group { body, apart: false } => self.script(body, stdin),
            Command::Group { body, apart: true } => {
                self.spend_copy();
                let before = self.shell.clone();
                let output = self.script(body, stdin);
                let status = self.shell.status;
                *self.shell = Shell { status, ..before };
                output
            }
            Command::For { name, words, body } => {
                let mut output = Output::default();
                let words = self.words(words);
                if let Some(failure) = self.failure() {
                    return failure;
                }
                for word in words {
                    if !self.goes_on(&output) {
                        break;
                    }
                    if let Err(why) = self.set_variables([(name.clone(), word)]) {
                        return Output::failure(&format!("bash: {why}"), 1);
                    }
                    let ran = self.script(body, stdin);
                    append(&mut output, ran);
                }
                output
            }
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
        // `read` consumes it line by line.
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

    /// `[[ … ]]`: like `[ … ]`, with patterns after `==` and `!=`, and regular expressions after `=~`.
    fn condition(&mut self, words: &[Word]) -> Output {
        let texts: Vec<String> = words.iter().map(|word| self.text(word)).collect();
        if let Some(failure) = self.failure() {
            return failure;
        }
        let (negated, place) = match texts.first() {
            Some(first) if first == "!" => (true, 1),
            _ => (false, 0),
        };
        let is_pattern = words.get(place + 2).and_then(bare).is_some();
        let is_so = match texts.get(place..).unwrap_or_default() {
            [text, operator, pattern] if operator == "=~" => {
                match regex_lite::Regex::new(pattern) {
                    Ok(regex) => regex.is_match(text),
                    Err(_) => {
                        let why = format!("bash: [[: invalid regular expression `{pattern}'");
                        return Output::failure(&why, 2);
                    }
                }
            }
            [text, operator, pattern] if is_pattern && matches!(operator.as_str(), "=" | "==") => {
                fits(pattern, text)
            }
            [text, operator, pattern] if is_pattern && operator == "!=" => !fits(pattern, text),
            words => match programs::test(self, words, "") {
                Ok(output) => output.code == 0,
                Err(failure) => return failure.into(),
            },
        };
        Output::code(i32::from(is_so == negated))
    }

    /// Whether a loop may run another iteration.
    fn goes_on(&mut self, output: &Output) -> bool {
        self.left > 0 && self.shell.exited.is_none() && !is_full(output)
    }

    fn simple(&mut self, simple: &Simple, stdin: &str) -> Output {
        // Commands within words must not suspend.
        let may_suspend = std::mem::take(&mut self.may_suspend);
        let mut values = Vec::new();
        for (name, word) in &simple.assignments {
            let value = self.text(word);
            self.allowance.spend(value.len());
            if self.allowance.is_spent() {
                self.shell.exited = Some(1);
                return Output::failure(TOO_MUCH, 1);
            }
            values.push((name.clone(), value));
        }
        let words = self.without_aliases(&simple.words);
        let words = match words {
            Ok(words) => self.words(&words),
            Err(fault) => return Output::failure(&fault, 2),
        };
        let mut output = Output {
            stderr: std::mem::take(&mut self.shell.noise),
            ..Output::default()
        };
        if let Some(failure) = self.failure() {
            append(&mut output, failure);
            return output;
        }
        let Some((program, arguments)) = words.split_first() else {
            if let Err(why) = self.set_variables(values) {
                append(&mut output, Output::failure(&format!("bash: {why}"), 1));
            }
            return output;
        };
        // Assignments before a command apply only to it.
        let before = (!values.is_empty()).then(|| {
            self.spend_copy();
            self.shell.variables.clone()
        });
        self.shell.variables.extend(values);
        let ran = match self.program(program, arguments, stdin, may_suspend) {
            Some(ran) => ran,
            None => programs::not_found(program),
        };
        let ran = self.edit(ran);
        if let Some(before) = before {
            self.shell.variables = before;
        }
        append(&mut output, ran);
        output
    }

    /// Runs a builtin or a program of the host; `None` if there is none of that name.
    pub(super) fn program(
        &mut self,
        program: &str,
        arguments: &[String],
        stdin: &str,
        may_suspend: bool,
    ) -> Option<Output> {
        if let Some(own) = programs::find(program) {
            self.may_suspend = may_suspend;
            let ran = own(self, arguments, stdin);
            self.may_suspend = false;
            return Some(ran.unwrap_or_else(Output::from));
        }
        if program.contains('/') && self.read(program).is_some() {
            let script = [std::slice::from_ref(&program.to_owned()), arguments].concat();
            return self.nested("bash", &script, stdin, false);
        }
        let folder = self.path("");
        let ran = self.host.run_program(Call {
            program,
            arguments,
            stdin,
            folder: &folder,
            may_suspend,
        })?;
        Some(self.ran(ran))
    }

    /// Runs a program for another one, such as `sudo`.
    pub(super) fn nested(
        &mut self,
        program: &str,
        arguments: &[String],
        stdin: &str,
        may_suspend: bool,
    ) -> Option<Output> {
        if self.depth >= MAX_DEPTH {
            return Some(Output::failure(TOO_DEEP, 1));
        }
        if let Some(stopped) = self.stops() {
            return Some(stopped);
        }
        self.depth += 1;
        let ran = self.program(program, arguments, stdin, may_suspend);
        self.depth -= 1;
        ran
    }

    /// Opens what a program wants to be edited in `$KUBE_EDITOR` or `$EDITOR`, as kubectl does. Without these variables,
    /// or if they name an interactive editor, the caller opens its own.
    fn edit(&mut self, mut ran: Output) -> Output {
        if !matches!(ran.open, Some(OpenRequest::Object { .. })) {
            return ran;
        }
        let names = ["KUBE_EDITOR", "EDITOR"];
        let mut given = names.into_iter().filter_map(|name| self.variable(name));
        let Some(editor) = given.find(|text| !text.trim().is_empty()) else {
            return ran;
        };
        let first = editor.split_whitespace().next().unwrap_or_default();
        if programs::is_editor(first) {
            return ran;
        }
        let Some(request) = ran.open.take() else {
            return ran;
        };
        let OpenRequest::Object { text, .. } = &request else {
            return ran;
        };
        self.host.write_file(EDITED, text.clone());
        let output = self.line(&format!("{editor} {EDITED}"), "");
        let edited = self.host.file(EDITED).unwrap_or_default();
        self.host.remove_file(EDITED);
        let failed = output.code != 0;
        append(&mut ran, output);
        let written = if failed {
            let complaint = format!("error: there was a problem with the editor {editor:?}");
            Output::failure(&complaint, 1)
        } else {
            self.host.edited(&request, &edited)
        };
        append(&mut ran, written);
        ran
    }

    /// Suspends the running command, or blocks until it is ready.
    pub(super) fn wait(&mut self, waiting: Waiting) -> Output {
        let may_suspend = std::mem::take(&mut self.may_suspend);
        let ran = self.host.wait(waiting, may_suspend);
        self.ran(ran)
    }

    fn ran(&mut self, ran: Ran) -> Output {
        match ran {
            Ran::Done(output) => output,
            Ran::Suspended(output) => {
                self.is_suspended = true;
                output
            }
        }
    }

    /// Expands aliases in the first word.
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

/// Whether a pipeline is one command whose output and exit code go only to the terminal.
fn is_only_shown(pipeline: &Pipeline) -> bool {
    match pipeline.commands.as_slice() {
        [(Command::Simple(simple), redirects)] => {
            let is_plain = !pipeline.negated && !pipeline.timed;
            is_plain && redirects.is_empty() && simple.redirects.is_empty()
        }
        _ => false,
    }
}

/// Whether a line has printed enough.
fn is_full(output: &Output) -> bool {
    output.stdout.len() + output.stderr.len() > MAX_BYTES
}

/// Appends the output of a command; its exit code replaces the previous one.
fn append(output: &mut Output, ran: Output) {
    output.push(&ran);
    output.code = ran.code;
    output.open = ran.open.or(output.open.take());
}
