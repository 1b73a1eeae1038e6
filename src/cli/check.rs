//! `berth check`: prints the problems of manifests and nothing else.

use std::io::{self, Write};

use berth_session::{Options, Session};

use super::args::{CheckOptions, ProblemOutput};
use super::findings::{Findings, Format};
use super::input::{self, Depth};
use super::messages::Messages;
use super::open::{print_ignored, problem_line, status};
use super::terminal::{Style, Terminal};
use super::{Outcome, Status};

/// Reads and prepares the files as `schedule` would, and prints what is wrong with them.
pub fn run(options: &CheckOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let files = input::read_objects(&options.files, Depth::of(options.recursive))?;
    let mut session = Session::new(Options {
        release: options.release.choice(),
        ..Options::default()
    });
    session.apply(&files);
    let problems = session.problems();
    match options.output {
        ProblemOutput::Json => {
            serde_json::to_writer_pretty(&mut *out, problems).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        ProblemOutput::Text => {
            for problem in problems {
                let paint = |style: Style, text: &str| terminal.paint(style, text).into_owned();
                writeln!(out, "{}", problem_line(problem, paint))?;
            }
            if terminal.is_interactive && problems.is_empty() {
                writeln!(out, "{}", terminal.paint(Style::Good, "No problems."))?;
            }
            print_ignored(&session, options.verbose, &mut Messages)?;
        }
        ProblemOutput::Github
        | ProblemOutput::Junit
        | ProblemOutput::Sarif
        | ProblemOutput::Markdown => {}
    }
    if let Some(format) = Format::of(options.output) {
        let mut findings = Findings::default();
        findings.add_files(files.iter().map(|file| file.name.as_str()), problems);
        findings.write(format, "check", out)?;
    }
    let loaded = &session.manifests().loaded;
    if !session.has_errors() && !loaded.has_objects() && loaded.ignored.is_empty() {
        out.flush()?;
        return Err("there is nothing to check in these files".to_owned().into());
    }
    Ok(status(&session, Status::Good))
}
