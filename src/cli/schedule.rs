//! `berth schedule`: places all pending Pods and prints where they went.

mod json;
mod placements;
mod trace;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use berth_protocol::key::short;
use berth_session::{Printable, Session, SourceFile, expectations, explain, export, find, frame};

use super::args::{RunOptions, ScheduleOptions, ScheduleOutput};
use super::cluster_word;
use super::expect::print_unmet;
use super::findings::{Findings, Format};
use super::open::{self, Opened};
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, Stop};

/// Runs the command.
pub fn run(options: &ScheduleOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let Opened { mut session, taken } = open::open(&options.run, terminal)?;
    if !taken {
        return Ok(Status::BadInput);
    }
    if options.expect && !expectations::are_given(&session) {
        let message = "these files have no expectations: add them to a `kind: Scenario`";
        return Err(message.to_owned().into());
    }
    let only = Only::new(&session, &options.only)?;
    match options.output {
        ScheduleOutput::Trace => {
            let name = options.run.files.first().and_then(|file| file.file_stem());
            let name = name.map(|name| name.to_string_lossy());
            trace::write(&mut session, &name.unwrap_or_default(), out)?;
        }
        ScheduleOutput::Json => {
            open::drive(&mut session, |session| Ok(session.step()))?;
            json::write(&session, out)?;
        }
        ScheduleOutput::Github
        | ScheduleOutput::Junit
        | ScheduleOutput::Sarif
        | ScheduleOutput::Markdown => {
            open::drive(&mut session, |session| Ok(session.step()))?;
        }
        ScheduleOutput::Yaml => {
            open::drive(&mut session, |session| Ok(session.step()))?;
            out.write_all(export::yaml(&session).as_bytes())?;
        }
        ScheduleOutput::Table | ScheduleOutput::Wide => {
            let is_wide = options.output == ScheduleOutput::Wide;
            let totals = play(&mut session, is_wide)?;
            placements::Placements {
                frame: frame::build(&session),
                totals,
                is_wide,
                all_namespaces: options.all_namespaces,
            }
            .write(terminal, out)?;
            if let Some(word) = berth_session::cluster_word::now(&session) {
                cluster_word::write(&word, terminal, out)?;
            }
            if terminal.is_interactive {
                suggest(&session, &options.run, terminal, out)?;
            }
        }
    }
    if let Some(format) = Format::of(options.output) {
        found(&session, &only, options.expect).write(format, "schedule", out)?;
    }
    let is_short = if options.expect {
        out.flush()?;
        print_unmet(&expectations::outcomes(&session), terminal)?
    } else {
        let mut pending = session.run().pending();
        pending.any(|pod| only.has(&session, &pod.object.key()))
    };
    let end = if is_short {
        Status::SomeNotPlaced
    } else {
        Status::Good
    };
    Ok(open::status(&session, end))
}

/// The files whose Pods decide.
struct Only<'a> {
    paths: &'a [PathBuf],
}

impl<'a> Only<'a> {
    /// # Errors
    /// If a path is not one of the files or a folder of them.
    fn new(session: &Session, paths: &'a [PathBuf]) -> Result<Self, String> {
        let files = &session.manifests().loaded.files;
        let unknown = paths.iter().find(|path| {
            let mut named = files.iter().map(|file| Path::new(&file.name));
            !named.any(|name| name.starts_with(path))
        });
        match unknown {
            Some(path) => Err(format!(
                "--only {}: it is not among the files",
                Printable(&path.to_string_lossy())
            )),
            None => Ok(Only { paths }),
        }
    }

    /// Whether a Pod (`namespace/name`) comes from these files; all do if none is named.
    fn has(&self, session: &Session, pod: &str) -> bool {
        let comes_from = |(file, _): (&SourceFile, _)| {
            let name = Path::new(&file.name);
            self.paths.iter().any(|path| name.starts_with(path))
        };
        self.paths.is_empty() || find::origin(session, pod).is_some_and(comes_from)
    }
}

/// The problems of the files, and the Pods or, if they decide, the expectations.
fn found(session: &Session, only: &Only<'_>, expects: bool) -> Findings {
    let mut findings = Findings::default();
    let files = &session.manifests().loaded.files;
    findings.add_files(
        files.iter().map(|file| file.name.as_str()),
        session.problems(),
    );
    if expects {
        for outcome in expectations::outcomes(session) {
            findings.add_expectation(&outcome);
        }
        return findings;
    }
    let frame = frame::build(session);
    let pods = frame.pods.iter();
    for pod in pods.filter(|pod| only.has(session, &pod.key)) {
        findings.add_pod(session, pod);
    }
    findings
}

/// Suggests the command that explains why the first pending Pod is pending.
fn suggest(
    session: &Session,
    options: &RunOptions,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let waits = |key: &&str| session.run().pending().any(|pod| pod.object.key() == **key);
    let mut attempted = session.attempts().map(|(_, attempt)| attempt.key.as_str());
    let Some(pod) = attempted.find(waits) else {
        return Ok(());
    };
    let pod = short(pod);
    let files = options.files.iter().map(|file| file.display().to_string());
    let live = options.live.is_asked().then(|| "--live".to_owned());
    let read = live.into_iter().chain(files).collect::<Vec<String>>();
    let text = format!("Why? berth explain {} --pod {pod}", read.join(" "));
    let text = Printable(&text).to_string();
    writeln!(out, "{}", terminal.paint(Style::Dim, &text))
}

/// Figures of a whole run, which its last frame lacks.
#[derive(Debug, Default)]
struct Totals {
    rounds: u32,
    evictions: Vec<Eviction>,
    /// By Pod, the total score of its node. Only with `-o wide`, and only if nodes were scored.
    scores: BTreeMap<String, i64>,
}

/// A Pod that preemption deleted.
#[derive(Debug)]
struct Eviction {
    victim: String,
    node: String,
    by: String,
}

fn play(session: &mut Session, with_scores: bool) -> Result<Totals, Stop> {
    let mut totals = Totals::default();
    open::drive(session, |session| {
        let deleted = session.run().deleted().len();
        let moved = if with_scores {
            let cycle = explain::step(session)?;
            if let Some(cycle) = &cycle {
                let mut selected = cycle
                    .scores
                    .iter()
                    .flatten()
                    .filter(|score| Some(&score.node) == cycle.selected.as_ref());
                let total = selected
                    .next()
                    .map(|score| (cycle.pod.clone(), score.total));
                totals.scores.extend(total);
            }
            cycle.is_some()
        } else {
            session.step()
        };
        if moved {
            totals.note_evictions(session, deleted);
        }
        Ok(moved)
    })?;
    totals.rounds = session
        .attempts()
        .last()
        .map_or(0, |(_, attempt)| attempt.round);
    Ok(totals)
}

impl Totals {
    /// The Pods deleted beyond the first `before` are the last attempt's victims.
    fn note_evictions(&mut self, session: &Session, before: usize) {
        let victims = session.run().deleted().get(before..).unwrap_or_default();
        if victims.is_empty() {
            return;
        }
        let Some(mark) = session.last_mark() else {
            return;
        };
        self.evictions.extend(victims.iter().map(|victim| Eviction {
            victim: victim.clone(),
            node: mark.node.clone().unwrap_or_default(),
            by: mark.pod.clone(),
        }));
    }
}
