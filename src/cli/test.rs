//! `berth test`: checks the expectations of scenarios, and plays lessons by the rules that every lesson keeps and cases by
//! what they claim.

use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use berth_protocol::expectation;
use berth_protocol::lesson::{LessonFrame, StepFrame};
use berth_protocol::problem::Problem;
use berth_session::case;
use berth_session::lesson::{self, Lesson, Tests};
use berth_session::{Options, Session, SourceFile, expectations};

use super::args::{ProblemOutput, TestOptions};
use super::expect::{print_unmet, unmet};
use super::findings::{Findings, Format};
use super::lessons::{files_of, translations};
use super::messages::Messages;
use super::open::problem_line;
use super::table::{Cell, Table};
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, Stop};

/// What a file came to.
struct Tested {
    name: String,
    tests: Tests,
    problems: Vec<Problem>,
    /// With the first seed with which one is not met.
    expectations: Vec<expectation::Outcome>,
}

impl Tested {
    fn passes(&self) -> bool {
        !self.problems.iter().any(Problem::is_error) && self.expectations.iter().all(|it| it.met)
    }
}

/// Runs the command.
pub fn run(options: &TestOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let (mut tests, mut shared) = (Vec::new(), Vec::new());
    for path in &options.files {
        for file in files_of(path)? {
            match lesson::tests(&file) {
                Some(what) => tests.push((file, what)),
                None => shared.push(file),
            }
        }
    }
    if tests.is_empty() {
        return Err(
            "these files have no expectations: add them to a `kind: Scenario`"
                .to_owned()
                .into(),
        );
    }
    let seeds: Vec<u64> = (1..=options.seeds.max(1)).collect();
    let mut all = Vec::new();
    for (file, what) in &tests {
        let tested = match what {
            Tests::Lesson => lesson_of(file, &seeds)?,
            Tests::Case => case_of(file, &seeds),
            Tests::Expectations => expectations_of(&shared, file, &seeds),
        };
        if options.output == ProblemOutput::Text {
            if options.verbose && *what == Tests::Lesson {
                show(file, terminal, out)?;
            }
            write(&tested, terminal, out)?;
            if options.verbose && *what == Tests::Case {
                write_strip(file, terminal, out)?;
            }
        }
        all.push(tested);
    }
    let passed = all.iter().filter(|tested| tested.passes()).count();
    match options.output {
        ProblemOutput::Text => writeln!(out, "{passed} of {} tests pass", all.len())?,
        ProblemOutput::Json => {
            let problems: Vec<Problem> = all.iter().flat_map(problems).collect();
            serde_json::to_writer_pretty(&mut *out, &problems).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        output => {
            if let Some(format) = Format::of(output) {
                found(&all).write(format, "test", out)?;
            }
        }
    }
    Ok(match passed == all.len() {
        true => Status::Good,
        false => Status::SomeNotPlaced,
    })
}

fn lesson_of(file: &SourceFile, seeds: &[u64]) -> Result<Tested, Stop> {
    let translations = translations(Path::new(&file.name))?;
    Ok(Tested {
        name: file.name.clone(),
        tests: Tests::Lesson,
        problems: lesson::test(file, &translations, seeds),
        expectations: Vec::new(),
    })
}

fn case_of(file: &SourceFile, seeds: &[u64]) -> Tested {
    Tested {
        name: file.name.clone(),
        tests: Tests::Case,
        problems: case::test(file, seeds),
        expectations: Vec::new(),
    }
}

/// Runs the manifests of a file, and those before it, with each seed until an expectation is not met.
fn expectations_of(shared: &[SourceFile], file: &SourceFile, seeds: &[u64]) -> Tested {
    let files: Vec<SourceFile> = shared.iter().chain([file]).cloned().collect();
    let mut tested = Tested {
        name: file.name.clone(),
        tests: Tests::Expectations,
        problems: Vec::new(),
        expectations: Vec::new(),
    };
    for seed in seeds {
        let mut session = Session::new(Options {
            seed: *seed,
            ..Options::default()
        });
        let taken = session.apply(&files);
        tested.problems = session.problems().to_vec();
        if !taken {
            break;
        }
        while session.step() {}
        tested.expectations = expectations::outcomes(&session);
        if !tested.passes() {
            break;
        }
    }
    tested
}

/// Its problems, and what is not met as one.
fn problems(tested: &Tested) -> impl Iterator<Item = Problem> {
    let missed = tested.expectations.iter().filter(|outcome| !outcome.met);
    let missed = missed.map(unmet);
    tested.problems.iter().cloned().chain(missed)
}

fn found(all: &[Tested]) -> Findings {
    let mut findings = Findings::default();
    for tested in all {
        match tested.tests {
            Tests::Lesson | Tests::Case => findings.add_lesson(&tested.name, &tested.problems),
            Tests::Expectations => {
                findings.add_files([tested.name.as_str()].into_iter(), &tested.problems);
                let outcomes = tested.expectations.iter();
                outcomes.for_each(|outcome| findings.add_expectation(outcome));
            }
        }
    }
    findings
}

/// Prints whether a file passes, and to standard error what is wrong with it.
fn write(tested: &Tested, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let verdict = match (tested.passes(), tested.tests) {
        (true, _) => terminal.paint(Style::Good, "ok"),
        (false, Tests::Lesson | Tests::Case) => terminal.paint(Style::Bad, "broken"),
        (false, Tests::Expectations) => terminal.paint(Style::Bad, "fails"),
    };
    writeln!(out, "{verdict}  {}", tested.name)?;
    out.flush()?;
    let mut err = Messages;
    for problem in &tested.problems {
        let paint = |style: Style, text: &str| terminal.paint_problem(style, text).into_owned();
        writeln!(err, "{}", problem_line(problem, paint))?;
    }
    print_unmet(&tested.expectations, terminal)?;
    Ok(())
}

/// Prints where a case holds.
fn write_strip(file: &SourceFile, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::default().indented(2);
    for held in case::strip(file) {
        let outcome = match (&held.node, held.is_claimed) {
            (_, None) => "its objects are refused".to_owned(),
            (Some(node), _) => format!("lands on {node}"),
            (None, _) => "waits".to_owned(),
        };
        let (style, verdict) = match held.is_claimed {
            Some(true) => (Style::Good, "as claimed"),
            Some(false) => (Style::Warn, "otherwise"),
            None => (Style::Warn, ""),
        };
        table.push(vec![
            Cell::new(held.place),
            Cell::new(outcome),
            Cell::styled(verdict, style),
        ]);
    }
    table.write(terminal, out)
}

/// Plays the solution and prints goals and output.
fn show(file: &SourceFile, terminal: &Terminal, out: &mut dyn Write) -> Result<(), Stop> {
    let Ok(lesson) = Lesson::read(file) else {
        return Ok(());
    };
    let mut session = Session::new(Options::default());
    let lesson = Rc::new(lesson);
    if lesson::begin(&mut session, &lesson).is_err() {
        return Ok(());
    }
    lesson::settle(&mut session);
    let frame = lesson::frame(&session).unwrap_or_default();
    writeln!(out, "{}", terminal.paint(Style::Bold, &frame.title))?;
    show_goals(&frame, terminal, out)?;
    for (number, step) in frame.solution.iter().enumerate() {
        writeln!(out, "{}", terminal.paint(Style::Bold, &line(step)))?;
        let printed = lesson::perform_solution_step(&mut session, number)
            .unwrap_or_else(|why| why.to_string());
        write!(out, "{printed}")?;
        if !printed.is_empty() && !printed.ends_with('\n') {
            writeln!(out)?;
        }
        show_goals(&lesson::frame(&session).unwrap_or_default(), terminal, out)?;
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
