//! `berth run`: plays a script of kubectl commands on a cluster and compares what they print with what the script
//! expects.

use std::io::Write;
use std::path::Path;

use berth_protocol::problem::Problem;
use berth_session::terminal::{Terminal as Shell, open};
use berth_session::{Options, SourceFile};

use super::args::{ClusterOptions, PlayOptions, TieBreakChoice};
use super::beside::below;
use super::messages::Messages;
use super::open::{print_assumed, print_inferred, problem_line};
use super::terminal::{Progress, Style, Terminal};
use super::{Outcome, Status, Stop, input};

/// Runs the command.
pub fn run(options: &PlayOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let scripts = input::read_all(std::slice::from_ref(&options.script))?;
    let Some(script) = scripts.first() else {
        return Err(Stop::Message("there is no script".to_owned()));
    };
    let files = input::read_all(&options.files)?;
    let Some(mut shell) = cluster(&files, &options.cluster, terminal)? else {
        return Ok(Status::BadInput);
    };
    for (name, text) in below(folder_of(&options.script)) {
        shell.add_file(name, text);
    }
    show_progress(&mut shell);
    let played = shell.play_script(&script.text);
    // Drops the progress line.
    drop(shell);
    if !options.quiet {
        out.write_all(played.transcript.as_bytes())?;
    }
    // Failures follow the transcript.
    out.flush()?;
    let mut err = Messages;
    for failure in &played.failures {
        let (name, line) = (&script.name, failure.line);
        writeln!(err, "{name}:{line}: {}", failure.message)?;
    }
    Ok(match (played.code, played.failures.is_empty()) {
        (0, true) => Status::Good,
        (0, false) => Status::SomeNotPlaced,
        (code, _) => Status::Code(u8::try_from(code).unwrap_or(1)),
    })
}

/// Prints the virtual time to standard error while a command takes longer than a second.
pub fn show_progress(shell: &mut Shell) {
    let mut progress = Progress::new();
    shell.watch_time(move |elapsed_ms| progress.tick(|| time_line(elapsed_ms)));
}

/// `3d 04:00:00 of virtual time`.
fn time_line(elapsed_ms: i64) -> String {
    let seconds = elapsed_ms / 1_000;
    let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    format!("{days}d {hours:02}:{minutes:02}:{seconds:02} of virtual time")
}

/// The cluster of some files; `None` if they have errors. Prints their problems to standard error.
pub fn cluster(
    files: &[SourceFile],
    options: &ClusterOptions,
    terminal: &Terminal,
) -> Result<Option<Shell>, Stop> {
    let configuration = options.config.as_deref().map(input::read_file);
    let configuration = configuration.transpose()?;
    let session_options = Options {
        release: options.release.choice(),
        first_on_ties: options.tie_break == TieBreakChoice::First,
        seed: options.seed,
        live: true,
        ..Options::default()
    };
    let opened = open(files, configuration.as_ref(), session_options);
    let mut err = Messages;
    for problem in &opened.problems {
        let paint = |style: Style, text: &str| terminal.paint_problem(style, text).into_owned();
        writeln!(err, "{}", problem_line(problem, paint))?;
    }
    print_inferred(&opened.inferred, options.verbose, &mut err)?;
    print_assumed(&opened.assumed, &mut err)?;
    let has_errors = opened.problems.iter().any(Problem::is_error);
    Ok(opened.terminal.filter(|_| !has_errors))
}

/// The folder of a script.
fn folder_of(script: &Path) -> &Path {
    match script.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
