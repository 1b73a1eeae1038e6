//! The plan of a sweep: what is multiplied.

use std::path::{Path, PathBuf};

use berth_protocol::compare::Side;
use berth_session::sweep::{
    self, Document, DocumentConfiguration, DocumentScenario, DocumentSeeds,
};
use berth_session::{Options, Printable, SourceFile, Version};
use clap::Parser;

use crate::cli::Stop;
use crate::cli::args::{Arguments, Command, RunOptions};
use crate::cli::input;
use crate::cli::what_if::QuestionOptions;

/// A plan with the text of its files.
pub struct Plan {
    /// Of everything that the rows depend on, in hexadecimal.
    pub digest: String,
    pub scenarios: Vec<Scenario>,
    pub configurations: Vec<Configuration>,
    /// `None`: that of the scenario.
    pub releases: Vec<Option<Version>>,
    pub seeds: Vec<u64>,
    pub commands: Vec<PlannedCommand>,
}

pub struct Scenario {
    pub name: String,
    pub files: Vec<SourceFile>,
}

/// A KubeSchedulerConfiguration; without a file, that of the manifests.
pub struct Configuration {
    pub name: String,
    pub file: Option<SourceFile>,
}

/// A command, as it was written and as it is meant.
pub struct PlannedCommand {
    pub line: String,
    pub what: What,
}

pub enum What {
    Schedule,
    WhatIf {
        question: Box<QuestionOptions>,
        /// The nodes, labels or the pool that it names.
        words: Vec<String>,
    },
}

/// A scenario with a configuration, a release and a seed; by their places in the plan.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub number: usize,
    pub scenario: usize,
    pub configuration: usize,
    pub release: usize,
    pub seed: usize,
}

impl Plan {
    /// All cells, in the order of their rows.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let [seeds, releases, configurations] = [
            self.seeds.len(),
            self.releases.len(),
            self.configurations.len(),
        ];
        let count = self.scenarios.len() * configurations * releases * seeds;
        (0..count).map(move |number| Cell {
            number,
            seed: number % seeds,
            release: number / seeds % releases,
            configuration: number / (seeds * releases) % configurations,
            scenario: number / (seeds * releases * configurations),
        })
    }

    /// The settings of a cell, as one side of a comparison has them.
    pub fn side(&self, cell: Cell) -> Side {
        let configuration = self.configurations.get(cell.configuration);
        let config = configuration.and_then(|it| it.file.as_ref());
        let release = self.releases.get(cell.release).copied().flatten();
        Side {
            kubernetes: release.map(|version| version.minor().to_owned()),
            seed: self.seeds.get(cell.seed).copied(),
            config: config.map(|file| (file.name.clone(), file.text.to_string())),
            ..Side::default()
        }
    }
}

/// Reads a plan and the files that it names.
///
/// # Errors
/// What is wrong with it, with the file and the path of the field.
pub fn read(path: &Path) -> Result<Plan, Stop> {
    let file = input::read_file(path)?;
    let plan = sweep::read(&file.text).and_then(|document| {
        let folder = path.parent().unwrap_or(Path::new(""));
        of_document(document, folder)
    });
    let mut plan = plan.map_err(|why| format!("{}: {why}", Printable(&file.name)))?;
    let files = plan.scenarios.iter().flat_map(|it| &it.files);
    let configurations = plan.configurations.iter().flat_map(|it| &it.file);
    let files = [&file].into_iter().chain(files).chain(configurations);
    plan.digest = sweep::digest(files.map(|file| &*file.text));
    Ok(plan)
}

/// The plan with the text of its files, which are in or below this folder; without its digest.
fn of_document(document: Document, folder: &Path) -> Result<Plan, String> {
    if document.scenarios.is_empty() {
        return Err("scenarios: name at least one".to_owned());
    }
    let seeds = document.seeds.unwrap_or(DocumentSeeds {
        from: None,
        count: 1,
    });
    if seeds.count == 0 {
        return Err("seeds.count: must be 1 or more".to_owned());
    }
    let first = seeds.from.map_or(Options::default().seed, u64::from);
    let scenarios = each("scenarios", document.scenarios, |it| scenario(it, folder))?;
    let configurations = each("configurations", document.configurations, |it| {
        configuration(it, folder)
    })?;
    let releases = each("releases", document.releases, |text| {
        let version = Version::parse(&text);
        version
            .map(Some)
            .map_err(|help| format!(": {text:?}: {help}"))
    })?;
    let commands = each("commands", document.commands, |line| {
        asked(&line).map_err(|why| format!(": {line:?}: {why}"))
    })?;
    Ok(Plan {
        digest: String::new(),
        scenarios,
        configurations: or(configurations, || Configuration {
            name: "default".to_owned(),
            file: None,
        }),
        releases: or(releases, || None),
        seeds: (first..).take(seeds.count as usize).collect(),
        commands: or(commands, || PlannedCommand {
            line: SCHEDULE.to_owned(),
            what: What::Schedule,
        }),
    })
}

fn scenario(scenario: DocumentScenario, folder: &Path) -> Result<Scenario, String> {
    let paths = scenario.files.iter().map(|it| folder.join(it));
    let paths: Vec<PathBuf> = paths.collect();
    if paths.is_empty() {
        return Err(".files: name at least one file".to_owned());
    }
    let files = input::read_objects(&paths, input::Depth::Folder);
    let first = scenario.files.first().map(Path::new);
    let stem = first.and_then(Path::file_stem).unwrap_or_default();
    let stem = || stem.to_string_lossy().into();
    Ok(Scenario {
        name: scenario.name.unwrap_or_else(stem),
        files: files.map_err(|why| format!(".files: {why}"))?,
    })
}

fn configuration(
    configuration: DocumentConfiguration,
    folder: &Path,
) -> Result<Configuration, String> {
    let read = |file| input::read_file(&folder.join(file));
    let file = configuration.file.map(read).transpose();
    Ok(Configuration {
        name: configuration.name,
        file: file.map_err(|why| format!(".file: {why}"))?,
    })
}

/// Reads the items of a list; an error names its place.
fn each<I, O>(
    field: &str,
    items: Vec<I>,
    read: impl Fn(I) -> Result<O, String>,
) -> Result<Vec<O>, String> {
    let items = items.into_iter().enumerate();
    let read = items.map(|(at, item)| read(item).map_err(|why| format!("{field}[{at}]{why}")));
    read.collect()
}

const SCHEDULE: &str = "schedule";

/// One item if there is none.
fn or<T>(mut all: Vec<T>, default: impl FnOnce() -> T) -> Vec<T> {
    if all.is_empty() {
        all.push(default());
    }
    all
}

/// The meaning of a command.
fn asked(line: &str) -> Result<PlannedCommand, String> {
    let words = ["berth"].into_iter().chain(line.split_whitespace());
    let parsed = Arguments::try_parse_from(words).map_err(|error| first_line(&error))?;
    let what = match parsed.command {
        Command::Schedule(options) => {
            has_plan_settings(&options.run, &options.run.files)?;
            What::Schedule
        }
        Command::WhatIf(options) => {
            let question = options.question;
            let run = question.run();
            let words: &[PathBuf] = match question.takes_words() {
                true => &run.files,
                false => &[],
            };
            has_plan_settings(run, run.files.get(words.len()..).unwrap_or_default())?;
            let words = words.iter().map(|it| it.to_string_lossy().into_owned());
            What::WhatIf {
                words: words.collect(),
                question: Box::new(question),
            }
        }
        _ => return Err("expected schedule or what-if".to_owned()),
    };
    Ok(PlannedCommand {
        line: line.to_owned(),
        what,
    })
}

/// The message of clap, without usage and hints.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches("error: ").to_owned()
}

/// An error if a command has what is the plan's to say.
fn has_plan_settings(run: &RunOptions, files: &[PathBuf]) -> Result<(), String> {
    let plain = RunOptions::of_files(Vec::new());
    let is_plain = files.is_empty()
        && run.config.is_none()
        && run.seed == plain.seed
        && run.release.kubernetes.is_none()
        && !run.live.is_asked();
    match is_plain {
        true => Ok(()),
        false => Err("files, configurations, releases and seeds are the plan's to say".to_owned()),
    }
}
