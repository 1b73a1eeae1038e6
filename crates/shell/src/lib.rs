//! A shell: lines and scripts as bash reads them, on files and programs that a [`Host`] provides.
//!
//! Every loop is bounded, and background jobs end before the next command begins. Unsupported parts of bash (functions,
//! `case`, arrays, `for ((…))`, …) fail with a message.

mod arithmetic;
mod duration;
mod expand;
mod expansion;
mod files;
mod jobs;
pub mod lex;
mod limits;
mod parse;
mod pasted;
mod printed;
mod programs;
mod redirect;
mod run;
pub mod syntax;
mod watch;

use std::collections::{BTreeMap, BTreeSet};

use syntax::Fault;

pub use berth_protocol::terminal::OpenRequest;
pub use duration::{duration_ms, go_duration, sleep_ms};
pub use expand::braces;
pub use parse::is_name;
pub use pasted::{pasted, without_prompt};
pub use printed::{Printed, StderrPart};
pub use programs::seq_numbers;
pub use watch::Watch;

/// The exit code of a command that Ctrl+C ended: 128 and the number of SIGINT.
pub const INTERRUPTED: i32 = 130;

/// The files that a shell and its programs share.
pub trait Files {
    /// The text of a file; `None` if there is none.
    fn file(&self, path: &str) -> Option<String>;

    fn write_file(&mut self, path: &str, text: String);

    /// The paths of all files.
    fn files(&self) -> Vec<String>;

    /// Removes a file; `false` if there is none.
    fn remove_file(&mut self, path: &str) -> bool;
}

/// The environment of a shell.
pub trait Host: Files {
    /// The clock in milliseconds, for durations; where it starts does not matter.
    fn now_ms(&self) -> i64;

    /// The date in milliseconds since 1970.
    fn date_ms(&self) -> i64;

    /// The names of the programs that are not builtins.
    fn programs(&self) -> &[&'static str];

    /// Runs a program that is not a builtin; `None` if there is none of that name.
    fn run_program(&mut self, call: Call<'_>) -> Option<Ran>;

    /// Writes back an object that a program of the host wanted to be edited.
    fn edited(&mut self, request: &OpenRequest, text: &str) -> Output;

    /// Polls a waiting builtin until it is ready, while time advances. If `may_suspend` is set, the host may keep the
    /// command instead and poll it later.
    fn wait(&mut self, waiting: Waiting, may_suspend: bool) -> Ran;
}

/// A call of a program.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub program: &'a str,
    pub arguments: &'a [String],
    pub stdin: &'a str,
    /// The folder that relative file names refer to.
    pub folder: &'a str,
    /// Whether the output goes straight to the terminal, so that the program may be suspended and print more later.
    pub may_suspend: bool,
}

/// How far a program got.
#[derive(Clone, Debug)]
pub enum Ran {
    Done(Output),
    /// The output so far. The host keeps the program, and calls [`Shell::resume`] when it has ended.
    Suspended(Output),
}

/// A waiting builtin.
#[derive(Clone, Debug)]
pub enum Waiting {
    Sleep { until_ms: i64 },
    Watch(Box<Watch>),
}

impl Waiting {
    /// Checks the clock, and appends new output.
    pub fn poll(&mut self, host: &mut dyn Host, output: &mut Output) -> Poll {
        match self {
            Waiting::Sleep { until_ms } if host.now_ms() < *until_ms => Poll::Pending(*until_ms),
            Waiting::Sleep { .. } => Poll::Ready,
            Waiting::Watch(watch) => watch.poll(host, output),
        }
    }
}

/// Whether a command that waits has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    Ready,
    /// Poll again when something has happened, at the latest at this time (milliseconds on the host's clock).
    Pending(i64),
}

/// What a command printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    /// Where parts of `stderr` were printed: see [`Output::printed`].
    pub stderr_parts: Vec<StderrPart>,
    /// The exit code.
    pub code: i32,
    /// What to open in an editor.
    pub open: Option<OpenRequest>,
    /// Number of warnings that the API server sent.
    pub warnings: usize,
}

impl Output {
    /// Success with this text.
    pub fn text(stdout: impl Into<String>) -> Self {
        Output {
            stdout: stdout.into(),
            ..Output::default()
        }
    }

    /// No text, and this exit code.
    pub fn code(code: i32) -> Self {
        Output {
            code,
            ..Output::default()
        }
    }

    /// A failure with this text on standard error.
    pub fn failure(complaint: &str, code: i32) -> Self {
        let mut output = Output::default();
        output.complain(complaint);
        output.code = code;
        output
    }

    /// Adds later output; the larger exit code counts.
    #[must_use]
    pub fn and(mut self, later: Output) -> Self {
        self.push(&later);
        self.code = self.code.max(later.code);
        self.open = later.open.or(self.open);
        self.warnings += later.warnings;
        self
    }

    /// Prints a line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.stdout.push_str(line.as_ref());
        self.stdout.push('\n');
    }

    /// Prints a line to standard error; the exit code becomes 1.
    pub fn complain(&mut self, line: impl AsRef<str>) {
        self.warn(line);
        self.code = 1;
    }

    /// Prints a warning of the API server.
    pub fn warning(&mut self, text: &str) {
        self.warn(format!("Warning: {text}"));
        self.warnings += 1;
    }

    /// Prints a line to standard error, without failing.
    pub fn warn(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        self.stderr.push_str(line);
        if !line.ends_with('\n') {
            self.stderr.push('\n');
        }
        self.mark_stderr();
    }
}

/// Why a program failed.
#[derive(Clone, Debug)]
struct Failure {
    code: i32,
    text: String,
}

impl Failure {
    fn new(code: i32, text: impl Into<String>) -> Self {
        Failure {
            code,
            text: text.into(),
        }
    }

    fn with_code(self, code: i32) -> Self {
        Failure { code, ..self }
    }
}

impl From<Failure> for Output {
    fn from(failure: Failure) -> Self {
        Output::failure(&failure.text, failure.code)
    }
}

/// The state of a shell between lines.
#[derive(Clone, Debug)]
pub struct Shell {
    aliases: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
    /// The working directory.
    folder: String,
    /// Folders that `mkdir` made, by path.
    folders: BTreeSet<String>,
    /// The exit code of the last command.
    status: i32,
    /// `set -e`.
    stops_on_failure: Option<bool>,
    /// The code of `exit`.
    exited: Option<i32>,
    /// Standard error of command substitutions.
    noise: String,
    jobs: jobs::Jobs,
    /// The files that were written, and their bytes.
    written: BTreeMap<String, usize>,
    /// The remaining steps of the line after the suspended one.
    later: Vec<syntax::Step>,
}

impl Default for Shell {
    fn default() -> Self {
        Shell {
            aliases: BTreeMap::new(),
            variables: BTreeMap::new(),
            folder: files::HOME.to_owned(),
            folders: BTreeSet::new(),
            status: 0,
            stops_on_failure: None,
            exited: None,
            noise: String::new(),
            jobs: jobs::Jobs::default(),
            written: BTreeMap::new(),
            later: Vec::new(),
        }
    }
}

/// What an incomplete text lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lacks {
    /// The end of a quote, a bracket or a loop.
    More,
    /// The line that ends a here-document, apart from tabs before it: no other line completes the text.
    Line(String),
}

impl Lacks {
    /// Whether this line may complete the text.
    pub fn may_end_with(&self, line: &str) -> bool {
        match self {
            Self::More => true,
            Self::Line(end) => line.trim_start_matches('\t').trim_end_matches('\r') == end,
        }
    }
}

impl Shell {
    /// Runs a line, or a script of many, to its end or until the host suspends a command.
    pub fn run(&mut self, line: &str, host: &mut dyn Host) -> Output {
        self.exited = None;
        self.jobs.new_line();
        let output = run::Run::new(self, host).line(line, "");
        for file in host.files() {
            // The files of `<(…)` are removed at the end of the line.
            if file.starts_with(expand::DESCRIPTORS) {
                host.remove_file(&file);
            }
        }
        self.ended(output)
    }

    /// Runs the rest of a line after its suspended command has ended with this exit code.
    pub fn resume(&mut self, code: i32, host: &mut dyn Host) -> Output {
        let output = run::Run::new(self, host).later(code);
        self.ended(output)
    }

    fn ended(&mut self, mut output: Output) -> Output {
        self.noise.clear();
        output.code = self.exited.unwrap_or(output.code);
        output
    }

    /// Ctrl+C: drops the rest of a line whose command is suspended.
    pub fn interrupt(&mut self) {
        self.later.clear();
        self.status = INTERRUPTED;
    }

    /// What a text that continues on the next line lacks; `None` if it is complete.
    pub fn lacks(text: &str) -> Option<Lacks> {
        match parse::parse(text) {
            Ok(parsed) => match parsed.open_here {
                Some(end) => Some(Lacks::Line(end)),
                None => ends_with_backslash(text).then_some(Lacks::More),
            },
            Err(Fault::Incomplete(_)) => Some(Lacks::More),
            Err(Fault::Wrong(_)) => None,
        }
    }

    /// Whether a text continues on the next line.
    pub fn needs_more(text: &str) -> bool {
        Self::lacks(text).is_some()
    }

    /// The code of the last line's `exit`, if it had one.
    pub fn exited(&self) -> Option<i32> {
        self.exited
    }

    /// Whether the last `set` with `e` was `set -e` (`true`) or `set +e`.
    pub fn stops_on_failure(&self) -> Option<bool> {
        self.stops_on_failure
    }

    /// The names of the builtins and aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let aliases = self.aliases.keys().map(String::as_str);
        programs::names().chain(aliases)
    }

    /// The words before the cursor (a byte offset into the line) in its command, with aliases expanded, and the word at
    /// the cursor.
    pub fn words_at(&self, line: &str, cursor: usize) -> (Vec<String>, String) {
        let before = line.get(..cursor).unwrap_or(line);
        let start = before
            .rfind(['|', ';', '&', '(', '\n', '`'])
            .map_or(0, |at| at + 1);
        let command = before.get(start..).unwrap_or_default();
        let split = command.rfind(char::is_whitespace).map_or(0, |at| {
            let space = command.get(at..).and_then(|it| it.chars().next());
            at + space.map_or(0, char::len_utf8)
        });
        let (words, current) = command.split_at_checked(split).unwrap_or_default();
        let mut words = words.split_whitespace().map(str::to_owned);
        let first = words.next();
        let aliased = first.as_ref().and_then(|first| self.aliases.get(first));
        let mut all: Vec<String> = match (aliased, first) {
            (Some(text), _) => text.split_whitespace().map(str::to_owned).collect(),
            (None, first) => first.into_iter().collect(),
        };
        all.extend(words);
        (all, current.to_owned())
    }
}

/// Lists some of the files that exist, for the error about one that does not.
pub fn files_here(files: &[String]) -> String {
    const NAMED: usize = 8;
    let named = files.get(..NAMED.min(files.len())).unwrap_or_default();
    let named = named.join(", ");
    match files.len() {
        0 => "files here: none".to_owned(),
        count if count > NAMED => format!("files here: {named} and {} more", count - NAMED),
        _ => format!("files here: {named}"),
    }
}

/// How to make a file that does not exist.
pub fn how_to_make(path: &str) -> String {
    format!(
        "to make it: cat > {path} <<'EOF', then its lines, then EOF; on the page, the YAML tab takes manifests as well"
    )
}

/// Whether the last line ends in a line continuation.
fn ends_with_backslash(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let slashes = last.len() - last.trim_end_matches('\\').len();
    slashes % 2 == 1 && !last.trim_start().starts_with('#')
}

#[cfg(test)]
mod tests;
