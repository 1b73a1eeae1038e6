//! `berth test`: plays lessons by the rules that every lesson keeps.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use berth_protocol::lesson::{LessonFrame, StepFrame};
use berth_session::lesson::{self, Lesson};
use berth_session::{Options, Session, SourceFile};

use super::args::TestOptions;
use super::open::problem_line;
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, Stop, input};

/// Runs the command.
pub fn run(options: &TestOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let mut lessons = Vec::new();
    for path in &options.lessons {
        lessons.extend(files_of(path)?);
    }
    let seeds: Vec<u64> = (1..=options.seeds.max(1)).collect();
    let mut broken = 0;
    for file in &lessons {
        let path = Path::new(&file.name);
        let problems = lesson::test(file, &translations(path)?, &seeds);
        if options.verbose {
            show(file, terminal, out)?;
        }
        let has_errors = problems.iter().any(|problem| problem.is_error());
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
        broken += usize::from(has_errors);
    }
    writeln!(
        out,
        "{} of {} lessons keep the rules",
        lessons.len() - broken,
        lessons.len()
    )?;
    Ok(match broken {
        0 => Status::Good,
        _ => Status::SomeNotPlaced,
    })
}

/// The lessons that a path stands for. In a folder, translations and files without a lesson are passed over.
fn files_of(path: &Path) -> Result<Vec<SourceFile>, Stop> {
    let files = input::read_all(&[path.to_path_buf()])?;
    if !path.is_dir() {
        return Ok(files);
    }
    let lessons = files.into_iter().filter(|file| {
        let is_translation = language(Path::new(&file.name)).is_some();
        !is_translation && file.name.ends_with(".yaml") && file.text.contains("kind: Scenario")
    });
    Ok(lessons.collect())
}

/// `zh-CN` of `05-name.zh-CN.yaml`; `None` for a lesson.
fn language(path: &Path) -> Option<&str> {
    let (_, language) = path.file_stem()?.to_str()?.rsplit_once('.')?;
    Some(language)
}

/// The translations beside a lesson.
fn translations(path: &Path) -> Result<Vec<SourceFile>, Stop> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(|it| it.to_str()))
    else {
        return Ok(Vec::new());
    };
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths
        .filter(|other| {
            let name = other.file_stem().and_then(|name| name.to_str());
            let own = name.and_then(|name| name.strip_prefix(stem)?.strip_prefix('.'));
            own.is_some() && other.extension().is_some_and(|ending| ending == "yaml")
        })
        .collect();
    paths.sort();
    let read = paths.iter().map(|path| input::read_file(path));
    Ok(read.collect::<Result<_, String>>()?)
}

/// Plays the solution and prints what one sees.
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
        let printed = session.take_solution_step(number).unwrap_or_else(|why| why);
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
