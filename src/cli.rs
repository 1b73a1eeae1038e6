//! The native command, `berth`: manifests in, placements and their reasons out as text.
//!
//! All output is derived from `session` and `protocol`, like that of the page. Results go to standard output;
//! problems with the input and progress go to standard error.

mod args;
mod bench;
mod beside;
mod check;
mod cluster_word;
mod compare;
mod diff;
mod docs;
mod expect;
mod explain;
mod export;
mod fences;
mod files;
mod findings;
mod given;
mod handout;
mod happening;
mod input;
mod kubectl;
mod language;
mod lessons;
mod link;
mod live;
#[cfg(feature = "mcp")]
mod mcp;
mod mdbook;
mod messages;
mod moment;
mod open;
mod play;
mod reduce;
mod release;
mod render;
mod replay;
mod schedule;
mod serve;
mod snapshot;
mod sweep;
mod table;
mod terminal;
mod test;
mod timeline;
pub mod tools;
mod verify;
mod what_if;
mod why;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::{Arguments, Command};
use berth_protocol::remark::Remark;
pub use explain::explained;
use terminal::Terminal;

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: done; for `schedule`: every Pod has a node.
    Good,
    /// 1: some Pods have no node, an expectation is not met, or a cluster said something else.
    SomeNotPlaced,
    /// 2: the input has errors.
    BadInput,
    /// The exit code of a command run in the cluster.
    Code(u8),
}

impl Status {
    fn code(self) -> u8 {
        match self {
            Status::Good => 0,
            Status::SomeNotPlaced => 1,
            Status::BadInput => 2,
            Status::Code(code) => code,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
    }
}

/// Why a command stopped.
#[derive(Debug)]
enum Stop {
    /// A one-line message about an error in the input.
    Message(String),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Message(message)
    }
}

impl From<Remark> for Stop {
    fn from(message: Remark) -> Self {
        Stop::Message(message.to_string())
    }
}

/// The result of a command.
type Outcome = Result<Status, Stop>;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    run(std::env::args_os())
}

/// Runs a command line, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut command = Arguments::command();
    if is_plugin(arguments.first()) {
        command = of_plugin(command.bin_name("kubectl berth"));
    }
    let parsed = command.try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // There is no other stream on which to report a failure.
            let _ = error.print();
            return if error.use_stderr() {
                Status::BadInput.into()
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    language::set(arguments.lang);
    let terminal = Terminal::new(arguments.color);
    // Not locked: `berth mcp` writes from another thread.
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout());
    let outcome = dispatch(&arguments.command, &terminal, &mut out);
    let outcome = outcome.and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    match outcome {
        Ok(status) => status.into(),
        // The reader closed the pipe (`| head`).
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Stop::Output(error)) => complain(&format!("cannot write the output: {error}")),
        Err(Stop::Message(message)) => complain(&message),
    }
}

/// Whether kubectl runs this program as its plugin: under the name `kubectl-berth`.
fn is_plugin(program: Option<&OsString>) -> bool {
    let stem = program.and_then(|program| Path::new(program).file_stem());
    stem.is_some_and(|stem| stem == "kubectl-berth")
}

/// As a plugin of kubectl, every command that reads manifests asks the cluster.
fn of_plugin(command: clap::Command) -> clap::Command {
    let asks = command.get_arguments().any(|it| it.get_id() == "live");
    let command = match asks {
        true => command.mut_arg("live", |it| it.default_value("true")),
        false => command,
    };
    command.mut_subcommands(of_plugin)
}

fn complain(message: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "error: {message}");
    Status::BadInput.into()
}

fn dispatch(command: &Command, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    match command {
        Command::Schedule(options) => schedule::run(options, terminal, out),
        Command::Explain(options) => explain::run(options, terminal, out),
        Command::Why(options) => why::run(options, terminal, out),
        Command::Snapshot(options) => snapshot::run(options, out),
        Command::Reduce(options) => reduce::run(options, terminal, out),
        Command::Replay(options) => replay::run(options, terminal, out),
        Command::Run(options) => play::run(options, terminal, out),
        Command::Kubectl(options) => kubectl::run(options, terminal, out),
        Command::Compare(options) => compare::run(options, terminal, out),
        Command::Diff(options) => diff::run(options, terminal, out),
        Command::WhatIf(options) => what_if::run(options, terminal, out),
        Command::Sweep(options) => sweep::run(options, terminal, out),
        Command::Link(options) => link::make(options, terminal, out),
        Command::Open(options) => link::unpack(options, out),
        Command::Export(options) => export::run(options, terminal, out),
        Command::Serve(options) => serve::run(options, out),
        Command::Render(options) => render::run(options, terminal, out),
        Command::Handout(options) => handout::run(options, out),
        Command::Docs(options) => docs::run(options, terminal, out),
        #[cfg(feature = "mcp")]
        Command::Mcp(options) => mcp::run(options),
        #[cfg(feature = "mcp")]
        Command::McpCall => mcp::call::run(out),
        Command::Mdbook(options) => mdbook::run(options, out),
        Command::Verify(options) => verify::run(options, terminal, out),
        Command::Check(options) => check::run(options, terminal, out),
        Command::Test(options) => test::run(options, terminal, out),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "berth", &mut script);
            out.write_all(&script)?;
            Ok(Status::Good)
        }
        Command::Licenses => {
            out.write_all(include_bytes!("../THIRD-PARTY.txt"))?;
            Ok(Status::Good)
        }
        Command::Bench { words } => {
            out.write_all(bench::measure(words).as_bytes())?;
            Ok(Status::Good)
        }
    }
}
