//! `berth docs`: the YAML blocks of documentation as tests.

mod blocks;
mod expect;
mod include;
mod judge;
mod markdown;
mod rst;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use berth_protocol::problem::Problem;
use berth_session::SourceFile;
use clap::Args;

use super::args::ProblemOutput;
use super::findings::{Case, Finding, Findings, Format, Rule};
use super::messages::Messages;
use super::open::problem_line;
use super::release::ReleaseOptions;
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, input};
use blocks::Block;
use judge::{Judge, Skip, Verdict};

pub const DOCS_EXAMPLES: &str = "\
Examples:
  berth docs docs/ README.md
  berth docs docs/ -o github

Blocks of YAML in *.md, *.markdown, *.mdx and *.rst: fences, `code-block:: yaml` and `berth::`, files
of Hugo's code_sample and of includes. Those that hold manifests are read as the API server would; if
there are nodes, Pods are scheduled, and each must get one. The words after a fence say more:
  ```yaml cluster=lab                              blocks before with this name are read first
  ```yaml cluster=lab/spread                       those of lab, too, which do not read this one
  ```yaml cluster=lab expect=\"db: Pending\"         what the Pods come to; `;` separates several
          expect=\"web: Bound on n1 or n2\"
          expect=\"db: Pending: Insufficient cpu\"   a part of the message
          expect=\"app=web: Bound\"                  all Pods with a label
          expect=\"{selector: {app: web}, count: 3}\"  an expectation of a Scenario
  ```yaml kubernetes=1.34                          the release, unless the manifests name one
  ```yaml hidelines=~                              lines that begin with ~ are hidden, and read
  ```yaml ignore                                   not looked at
A block in an HTML comment is hidden, and read.

Exit status:
  0  every block passes
  1  a Pod waits, or an expectation is not met
  2  a block cannot be read or would be refused, an attribute is misspelt, or there is no block";

/// Endings of the names of pages.
const PAGES: &[&str] = &["md", "markdown", "mdx", "rst"];

#[derive(Debug, Args)]
pub struct DocsOptions {
    /// Pages in Markdown or reStructuredText: files, and folders with all folders in them (but hidden ones and
    /// node_modules)
    #[arg(required = true, value_name = "PAGE", value_hint = clap::ValueHint::AnyPath)]
    pub pages: Vec<PathBuf>,

    /// How many seeds to break ties with: a block must pass with each
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub seeds: u64,

    /// List the blocks that are not looked at, and why
    #[arg(short, long)]
    pub verbose: bool,

    /// Output: text (one problem a line); json (an array of problems); github, junit, sarif or markdown (what CI systems
    /// read)
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: ProblemOutput,

    #[command(flatten)]
    pub release: ReleaseOptions,
}

/// What is wrong with a block.
#[derive(Clone, Debug)]
struct Told {
    rule: Rule,
    problem: Problem,
}

/// All that was looked at.
#[derive(Default)]
struct Report {
    /// Each block by its place, with what is wrong.
    blocks: Vec<(String, Vec<Told>)>,
    skipped: BTreeMap<Skip, Vec<String>>,
    /// Pages that cannot be read.
    unread: Vec<String>,
}

/// Runs the command.
pub fn run(options: &DocsOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let mut judge = Judge::new(options.release.choice(), options.seeds);
    let mut report = Report::default();
    for path in input::pages(&options.pages, PAGES)? {
        match input::read_file(&path) {
            Ok(page) => judge_page(&path, &page, &mut judge, &mut report),
            Err(complaint) => report.unread.push(complaint),
        }
    }
    report.blocks.extend(judge.of_options());
    print_skipped(&report, options.verbose)?;
    if report.blocks.is_empty() && report.unread.is_empty() {
        return Err("no block of these pages has manifests".to_owned().into());
    }
    match (options.output, Format::of(options.output)) {
        (_, Some(format)) => found(&report).write(format, "docs", out)?,
        (ProblemOutput::Json, _) => {
            let problems: Vec<&Problem> = report.all().map(|told| &told.problem).collect();
            serde_json::to_writer_pretty(&mut *out, &problems).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        _ => print(&report, terminal, out)?,
    }
    Ok(report.status())
}

fn judge_page(path: &Path, page: &SourceFile, judge: &mut Judge, report: &mut Report) {
    let lines: Vec<&str> = page.text.split('\n').collect();
    let is_rst = path.extension().is_some_and(|ending| ending == "rst");
    let raw = match is_rst {
        true => rst::blocks(&lines),
        false => markdown::blocks(&lines),
    };
    for raw in raw {
        let block = Block::of(path, &page.name, raw);
        match judge.judge(&block) {
            Verdict::Told(told) => report.blocks.push((block.place(), told)),
            Verdict::Skipped(why) => report.skipped.entry(why).or_default().push(block.place()),
        }
    }
}

impl Report {
    fn all(&self) -> impl Iterator<Item = &Told> {
        self.blocks.iter().flat_map(|(_, told)| told)
    }

    fn status(&self) -> Status {
        let any = |is_such: fn(Rule) -> bool| self.all().any(|told| is_such(told.rule));
        if !self.unread.is_empty() || any(|rule| matches!(rule, Rule::Refused | Rule::Misspelt)) {
            return Status::BadInput;
        }
        match any(Rule::is_failure) {
            true => Status::SomeNotPlaced,
            false => Status::Good,
        }
    }

    fn passed(&self) -> usize {
        let passes = |told: &[Told]| !told.iter().any(|told| told.rule.is_failure());
        let blocks = self.blocks.iter();
        blocks.filter(|(_, told)| passes(told)).count()
    }
}

fn found(report: &Report) -> Findings {
    let cases = report.blocks.iter().map(|(place, told)| Case {
        kind: "block",
        name: place.clone(),
        findings: told.iter().map(finding).collect(),
    });
    Findings {
        cases: cases.collect(),
    }
}

fn finding(told: &Told) -> Finding {
    Finding {
        rule: told.rule,
        ..Finding::from(&told.problem)
    }
}

fn print(report: &Report, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    for told in report.all() {
        let paint = |style: Style, text: &str| terminal.paint(style, text).into_owned();
        writeln!(out, "{}", problem_line(&told.problem, paint))?;
    }
    let (passed, all) = (report.passed(), report.blocks.len());
    let summary = format!("{passed} of {all} blocks pass");
    let style = match passed == all {
        true => Style::Good,
        false => Style::Bad,
    };
    writeln!(out, "{}", terminal.paint(style, &summary))
}

/// Prints to standard error which pages could not be read, and how many blocks were not looked at: all of them if they are
/// asked for.
fn print_skipped(report: &Report, verbose: bool) -> io::Result<()> {
    let mut err = Messages;
    for complaint in &report.unread {
        writeln!(err, "error: {complaint}")?;
    }
    for (why, places) in &report.skipped {
        let what = why.words();
        match (verbose, places.len()) {
            (true, _) => {
                for place in places {
                    writeln!(err, "{place}: not looked at: {what}")?;
                }
            }
            (false, 1) => writeln!(err, "1 block is not looked at: {what} (-v says where)")?,
            (false, count) => {
                writeln!(
                    err,
                    "{count} blocks are not looked at: {what} (-v says where)"
                )?;
            }
        }
    }
    Ok(())
}
