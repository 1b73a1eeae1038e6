//! What `check`, `schedule`, `test`, `diff` and `docs` found, for the programs that read it in CI: GitHub's annotations,
//! JUnit, SARIF, and Markdown for a summary.
//!
//! Names and messages come from manifests, which a stranger's pull request may hold: each format escapes them, so that
//! none ends an element, starts a workflow command, or becomes a link or a mention. All formats are in English.

mod github;
mod junit;
mod markdown;
mod sarif;

use std::collections::BTreeMap;
use std::io::{self, Write};

use berth_protocol::expectation::Outcome;
use berth_protocol::frame::{PodFrame, PodState};
use berth_protocol::problem::Problem;
use berth_session::{Printable, Session, find};
use clap::ValueEnum;

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Github,
    Junit,
    Sarif,
    Markdown,
}

impl Format {
    /// The format of a command's `--output` that has the same name.
    pub fn of(output: impl ValueEnum) -> Option<Self> {
        let value = output.to_possible_value()?;
        Self::from_str(value.get_name(), false).ok()
    }
}

/// The kinds of findings: SARIF's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The API server or the scheduler would refuse it.
    Refused,
    /// The API server would warn, or Berth does.
    Warning,
    /// The Pod has no node.
    Waits,
    /// An expectation is not met.
    Unmet,
    /// An attribute of a block of documentation is misspelt.
    Misspelt,
    /// The Pod is elsewhere than before.
    Moves,
}

impl Rule {
    pub const ALL: [Self; 6] = [
        Self::Refused,
        Self::Warning,
        Self::Waits,
        Self::Unmet,
        Self::Misspelt,
        Self::Moves,
    ];

    /// That of a problem of manifests.
    pub fn of(problem: &Problem) -> Self {
        match problem.is_error() {
            true => Self::Refused,
            false => Self::Warning,
        }
    }

    /// A stable name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Warning => "warning",
            Self::Waits => "waits",
            Self::Unmet => "unmet",
            Self::Misspelt => "misspelt",
            Self::Moves => "moves",
        }
    }

    /// What a finding of this kind means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Refused => "The API server or the scheduler refuses this object.",
            Self::Warning => "The object is accepted, with a warning.",
            Self::Waits => "The Pod has no node.",
            Self::Unmet => "An expectation is not met.",
            Self::Misspelt => "An attribute of a block is not known, or has no such value.",
            Self::Moves => "The Pod is elsewhere than before.",
        }
    }

    /// How much it matters.
    pub fn level(self) -> Level {
        match self {
            Self::Refused | Self::Waits | Self::Unmet | Self::Misspelt => Level::Error,
            Self::Warning => Level::Warning,
            Self::Moves => Level::Note,
        }
    }

    /// Whether a finding of this kind fails its case.
    pub fn is_failure(self) -> bool {
        self.level() == Level::Error
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Note,
}

/// Where a finding is: `line` and `column` from 1, or 0 if it is in no line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Place {
    /// `file:line:column`, as far as known.
    pub fn short(&self) -> String {
        let file = Printable(&self.file);
        match (self.line, self.column) {
            (0, _) => file.to_string(),
            (line, 0) => format!("{file}:{line}"),
            (line, column) => format!("{file}:{line}:{column}"),
        }
    }
}

/// One thing that was found.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: Rule,
    pub place: Place,
    pub message: String,
}

impl From<&Problem> for Finding {
    fn from(problem: &Problem) -> Self {
        let [_, _, text, help] = problem.parts();
        Finding {
            rule: Rule::of(problem),
            place: Place {
                file: problem.file.clone(),
                line: problem.line,
                column: problem.column,
            },
            message: text + &help,
        }
    }
}

/// Something that was looked at: a file, a Pod, an expectation, a lesson or a block.
#[derive(Clone, Debug)]
pub struct Case {
    /// `file`, `Pod`, `expectation`, `lesson` or `block`.
    pub kind: &'static str,
    pub name: String,
    pub findings: Vec<Finding>,
}

impl Case {
    /// Whether any of its findings is a failure.
    pub fn fails(&self) -> bool {
        self.findings.iter().any(|it| it.rule.is_failure())
    }
}

/// The place of a Pod's document or its workload's.
fn place_of(session: &Session, pod: &str) -> Place {
    let origin = find::origin(session, pod);
    origin.map_or_else(Place::default, |(file, start)| Place {
        file: file.name.clone(),
        line: start.line,
        column: start.column,
    })
}

/// That a Pod has no node, if so.
pub fn waiting(session: &Session, pod: &PodFrame) -> Option<Finding> {
    let message = match (pod.message.as_str(), pod.state) {
        (_, PodState::Bound) => return None,
        ("", _) => "it has no node",
        (message, _) => message,
    };
    Some(Finding {
        rule: Rule::Waits,
        place: place_of(session, &pod.key),
        message: format!("{} waits: {message}", pod.key),
    })
}

/// All that a command looked at.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub cases: Vec<Case>,
}

impl Findings {
    /// Adds the files in which problems are looked for.
    pub fn add_files<'a>(&mut self, files: impl Iterator<Item = &'a str>, problems: &'a [Problem]) {
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        let named = files.chain(problems.iter().map(|problem| problem.file.as_str()));
        for name in named {
            let next = self.cases.len();
            if *by_name.entry(name).or_insert(next) == next {
                self.cases.push(Case {
                    kind: "file",
                    name: name.to_owned(),
                    findings: Vec::new(),
                });
            }
        }
        for problem in problems {
            let case = by_name.get(problem.file.as_str());
            if let Some(case) = case.and_then(|case| self.cases.get_mut(*case)) {
                case.findings.push(problem.into());
            }
        }
    }

    /// Adds a Pod, with the place of its document or its workload's.
    pub fn add_pod(&mut self, session: &Session, pod: &PodFrame) {
        self.cases.push(Case {
            kind: "Pod",
            name: pod.key.clone(),
            findings: waiting(session, pod).into_iter().collect(),
        });
    }

    /// Adds a Pod that two runs place differently.
    pub fn add_move(&mut self, session: &Session, pod: &str, [from, to]: &[String; 2]) {
        self.cases.push(Case {
            kind: "Pod",
            name: pod.to_owned(),
            findings: vec![Finding {
                rule: Rule::Moves,
                place: place_of(session, pod),
                message: format!("{pod}: {from} → {to}"),
            }],
        });
    }

    /// Adds an expectation.
    pub fn add_expectation(&mut self, outcome: &Outcome) {
        let finding = Finding {
            rule: Rule::Unmet,
            place: Place {
                file: outcome.file.clone(),
                line: outcome.line,
                column: outcome.column,
            },
            message: format!("{}: {}", outcome.expected, outcome.why),
        };
        self.cases.push(Case {
            kind: "expectation",
            name: outcome.expected.to_string(),
            findings: match outcome.met {
                true => Vec::new(),
                false => vec![finding],
            },
        });
    }

    /// Adds a lesson with its problems.
    pub fn add_lesson(&mut self, name: &str, problems: &[Problem]) {
        self.cases.push(Case {
            kind: "lesson",
            name: name.to_owned(),
            findings: problems.iter().map(Finding::from).collect(),
        });
    }

    fn all(&self) -> impl Iterator<Item = &Finding> {
        self.cases.iter().flat_map(|case| &case.findings)
    }

    fn failed(&self) -> usize {
        self.cases.iter().filter(|case| case.fails()).count()
    }

    /// Writes everything.
    pub fn write(&self, format: Format, command: &str, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Github => github::write(self, out),
            Format::Junit => junit::write(self, command, out),
            Format::Sarif => sarif::write(self, out),
            Format::Markdown => markdown::write(self, command, out),
        }
    }
}
