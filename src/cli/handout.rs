//! `berth handout`: lessons on paper.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;

use super::lessons::{files_of, language, translations};
use super::render::write;
use super::{Outcome, Status, Stop};
use crate::export::handout::{Sheet, Style, document};
use crate::words::language::{Language, current};
use berth_protocol::lesson::Handout;
use berth_session::lesson::{self, Lesson};
use berth_session::{Printable, SourceFile};

const STYLE: &str = include_str!("../export/handout.css");

pub const HANDOUT_EXAMPLES: &str = "\
Examples:
  # A page for learners: the cluster at the start, the task, room to write
  berth handout lessons/05-node-selector.yaml -o handout.html

  # The trainer's pages of a whole folder: answers, solution, wrong answers, hints
  berth handout lessons/ --solutions -o solutions.html

  # In another language, with a link and a QR code that open the lesson
  berth handout lessons/ --lang zh-CN --url https://example.org/berth/ -o handouts.html

Open the document in a browser and print it: each lesson is one page of A4. Texts in
another language are those of NAME.LANGUAGE.yaml beside the lesson.

Exit status:
  0  the document is written
  2  a lesson cannot be read or played, or the document cannot be written";

/// Options of `berth handout`.
#[derive(Debug, Args)]
pub struct HandoutOptions {
    /// Lessons: files and folders
    #[arg(required = true, value_name = "LESSON", value_hint = clap::ValueHint::AnyPath)]
    lessons: Vec<PathBuf>,

    /// The trainer's pages, with the solution
    #[arg(long)]
    solutions: bool,

    /// Where the page with the lessons is, with a slash at the end; a relative address has no QR code
    #[arg(long, value_name = "URL", default_value = "./")]
    url: String,

    /// The file to write; standard output if not given
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(options: &HandoutOptions, out: &mut dyn Write) -> Outcome {
    if !options.url.ends_with('/') {
        let url = Printable(&options.url);
        return Err(Stop::Message(format!(
            "--url {url}: it names a folder, so end it with /"
        )));
    }
    let mut handouts = Vec::new();
    for path in &options.lessons {
        for file in files_of(path)? {
            handouts.push(read(&file, current())?);
        }
    }
    let sheet = match options.solutions {
        true => Sheet::Solution,
        false => Sheet::Task,
    };
    let html = document(&handouts, sheet, &options.url, Style::Text(STYLE));
    write(&html, options.output.as_deref(), out)?;
    Ok(Status::Good)
}

/// Plays a lesson, with its texts in a language.
fn read(file: &SourceFile, wanted: Language) -> Result<Handout, Stop> {
    let name = Printable(&file.name);
    let mut lesson = Lesson::read(file).map_err(|problems| match problems.first() {
        Some(it) => format!("{name}:{}:{}: {}", it.line, it.column, it.message),
        None => format!("{name}: not a lesson"),
    })?;
    let path = Path::new(&file.name);
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    lesson.slug = stem.unwrap_or_default().to_owned();
    if !wanted.is_source() {
        let all = translations(path)?;
        let own = all
            .iter()
            .find(|file| language(Path::new(&file.name)) == Some(wanted.tag()));
        let Some(own) = own else {
            return Err(Stop::Message(format!(
                "{name}: there is no {}.{}.yaml beside it",
                Printable(&lesson.slug),
                wanted.tag()
            )));
        };
        if let Some(problem) = lesson.translate(own).first() {
            let (line, column) = (problem.line, problem.column);
            let own = Printable(&own.name);
            return Err(Stop::Message(format!(
                "{own}:{line}:{column}: {}",
                problem.message
            )));
        }
    }
    let handout = lesson::handout(&Rc::new(lesson));
    Ok(handout.map_err(|why| format!("{name}: {why}"))?)
}
