//! `berth test`: plays lessons by the rules that every lesson keeps.

use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use berth_protocol::lesson::{LessonFrame, StepFrame};
use berth_session::lesson::{self, Lesson};
use berth_session::{Options, Session, SourceFile};

use super::args::{ProblemOutput, TestOptions};
use super::findings::{Findings, Format};
use super::lessons::{files_of, translations};
use super::open::problem_line;
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, Stop};

/// Runs the command.
pub fn run(options: &TestOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let mut lessons = Vec::new();
    for path in &options.lessons {
        lessons.extend(files_of(path)?);
    }
    let seeds: Vec<u64> = (1..=options.seeds.max(1)).collect();
    let is_text = options.output == ProblemOutput::Text;
    let (mut findings, mut all) = (Findings::default(), Vec::new());
    let mut broken = 0;
    for file in &lessons {
        let path = Path::new(&file.name);
        let problems = lesson::test(file, &translations(path)?, &seeds);
        let has_errors = problems.iter().any(|problem| problem.is_error());
        broken += usize::from(has_errors);
        if !is_text {
            findings.add_lesson(&file.name, &problems);
            all.extend(problems);
            continue;
        }
        if options.verbose {
            show(file, terminal, out)?;
        }
        let verdict = match has_errors {
            true => terminal.paint(Style::Bad, "broken"),
            false => terminal.paint(Style::Good, "ok"),
        };
        writeln!(out, "{verdict}  {}", file.name)?;
        out.flush()?;
        let mut err = io::stderr().lock();
        for problem in &problems {
            let paint = |style: Style, text: &str| terminal.paint_problem(style, text).into_owned();
            writeln!(err, "{}", problem_line(problem, paint))?;
        }
    }
    match Format::of(options.output) {
        Some(format) => findings.write(format, "test", out)?,
        None if is_text => {
            let (passed, of) = (lessons.len() - broken, lessons.len());
            writeln!(out, "{passed} of {of} lessons pass")?;
        }
        None => {
            serde_json::to_writer_pretty(&mut *out, &all).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(match broken {
        0 => Status::Good,
        _ => Status::SomeNotPlaced,
    })
}

/// Plays the solution and prints goals and output.
fn show(file: &SourceFile, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Stop> {
    let Ok(lesson) = Lesson::read(file) else {
        return Ok(());
    };
    let mut session = Session::new(Options::default());
    let lesson = Rc::new(lesson);
    if session.begin_lesson(&lesson).is_err() {
        return Ok(());
    }
    session.settle();
    let frame = session.lesson_frame().unwrap_or_default();
    writeln!(out, "{}", terminal.paint(Style::Bold, &frame.title))?;
    show_goals(&frame, terminal, out)?;
    for (number, step) in frame.solution.iter().enumerate() {
        writeln!(out, "{}", terminal.paint(Style::Bold, &line(step)))?;
        let printed = session
            .take_solution_step(number)
            .unwrap_or_else(|why| why.to_string());
        write!(out, "{printed}")?;
        if !printed.is_empty() && !printed.ends_with('\n') {
            writeln!(out)?;
        }
        show_goals(&session.lesson_frame().unwrap_or_default(), terminal, out)?;
    }
    Ok(())
}

fn line(step: &StepFrame) -> String {
    match step.is_command {
        true => format!("$ {}", step.text),
        false => format!("apply:\n{}", step.text),
    }
}

fn show_goals(frame: &LessonFrame, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    for goal in &frame.goals {
        match goal.met {
            true => writeln!(
                out,
                "  {} {}",
                terminal.paint(Style::Good, "met  "),
                goal.words
            )?,
            false => writeln!(
                out,
                "  {} {}: {}",
                terminal.paint(Style::Bad, "unmet"),
                goal.words,
                goal.why
            )?,
        }
    }
    Ok(())
}
