//! `berth replay`: plays a scenario's Script on a virtual clock and prints what happened.

use std::io::{self, Write};

use berth_session::replay::{Replayed, replay};

use super::args::{ReplayOptions, ReplayOutput};
use super::messages::Messages;
use super::open::{print_ignored_counts, problem_line};
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, happening, input, live, timeline};

/// Runs the command.
pub fn run(options: &ReplayOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let run = &options.run;
    let live::Answer { files, lacks } = live::manifests(run)?;
    live::print_lacks(&lacks)?;
    if options.output == ReplayOutput::Timeline {
        return timeline::run(&files, &run.release.choice(), terminal, out);
    }
    let configuration = run.config.as_deref().map(input::read_file);
    let configuration = configuration.transpose()?;
    let session_options = run.session_options();
    let tells_kept = options.output == ReplayOutput::Text;
    let replayed = replay(&files, configuration.as_ref(), session_options, tells_kept);
    print_problems(&replayed, terminal)?;
    match options.output {
        ReplayOutput::Events => {
            let name = run.files.first().and_then(|file| file.file_stem());
            let name = name.map(|name| name.to_string_lossy());
            let events = replayed.events(&name.unwrap_or_default());
            out.write_all(events.unwrap_or_default().as_bytes())?;
        }
        ReplayOutput::Timeline => {}
        ReplayOutput::Text => {
            for happening in replayed.happenings() {
                writeln!(out, "{}", happening::line(&happening))?;
            }
        }
    }
    Ok(if replayed.has_errors() {
        Status::BadInput
    } else {
        Status::Good
    })
}

fn print_problems(replayed: &Replayed, terminal: &Terminal) -> io::Result<()> {
    let mut err = io::BufWriter::new(Messages);
    for problem in &replayed.problems {
        let paint = |style: Style, text: &str| terminal.paint_problem(style, text).into_owned();
        writeln!(err, "{}", problem_line(problem, paint))?;
    }
    print_ignored_counts(&replayed.ignored_counts(), &mut err)?;
    err.flush()
}
