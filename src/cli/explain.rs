//! `berth explain`: prints one attempt of a Pod in full.

mod fixes;
mod header;
mod matrix;
mod node;
mod preemption;
mod reasons;
mod scores;

use std::io::{self, Write};

use crate::export::markdown;
use crate::report::{Record, Report};
use crate::scene::still::Still;
use crate::words::language::in_english;
use crate::words::live::NOT_KNOWN;
use berth_protocol::cluster_word::ClusterWord;
use berth_protocol::frame::{PodFrame, PodState};
use berth_protocol::key::split;
use berth_protocol::remark::Remark;
use berth_session::{Printable, Session, explain, frame};
use fixes::{FixReport, mended};
use serde::Serialize;

use super::args::{AttemptOptions, ExplainOptions, ExplainOutput, RunOptions};
use super::cluster_word;
use super::live::{self, Answer, Lack};
use super::open::{self, Opened};
use super::table::wrap;
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, Stop, moment};

/// Maximum number of names suggested if the Pod does not exist.
const MAX_SUGGESTIONS: usize = 3;

/// `-o json`: the attempt, and of a dumped Pod what its cluster said.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Explained<'c> {
    #[serde(flatten)]
    record: Record<'c>,
    fixes: Vec<FixReport<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster_word: Option<ClusterWord>,
    /// What the cluster did not list.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_listed: &'c [Lack],
}

/// Runs the command.
pub fn run(options: &ExplainOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let read = live::manifests(&options.run)?;
    told(&read, &options.run, &options.asked, terminal, out)
}

/// Prints the attempt that is asked for, of what was read; if there is none, what the cluster did not list.
pub fn told(
    read: &Answer,
    run: &RunOptions,
    asked: &AttemptOptions,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Outcome {
    let opened = open::open_read(&read.files, run, terminal);
    let outcome = opened.and_then(|it| attempt(it, asked, &read.lacks, terminal, out));
    if outcome.is_err() {
        live::print_lacks(&read.lacks)?;
    }
    outcome
}

/// Plays a session to its end, and prints the attempt that is asked for.
fn attempt(
    opened: Opened,
    options: &AttemptOptions,
    lacks: &[Lack],
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Outcome {
    let Opened { mut session, taken } = opened;
    if !taken {
        return Ok(Status::BadInput);
    }
    open::drive(&mut session, |session| Ok(session.step()))?;
    let key = if options.pod.contains('/') {
        options.pod.clone()
    } else {
        format!("default/{}", options.pod)
    };
    let attempts: Vec<usize> = session
        .attempts()
        .filter(|(_, attempt)| attempt.key == key)
        .map(|(position, _)| position)
        .collect();
    if attempts.is_empty() {
        let why = never_attempted(&session, &key)?;
        if options.output == ExplainOutput::Json {
            return Err(Stop::Message(why));
        }
        writeln!(out, "{why}")?;
        write_lacks(lacks, terminal, out)?;
        return Ok(open::status(&session, Status::Good));
    }
    let number = options.attempt.unwrap_or(attempts.len());
    let position = chosen(&attempts, number, &key)?;
    let place = header::Place {
        position,
        attempts: session.log().len(),
        number,
        of_pod: attempts.len(),
    };
    let cycle = match &options.node {
        Some(node) => explain::with_node(&session, position, node)?,
        None => explain::attempt(&session, position)?,
    };
    let mut scene = moment::with_attempt(&session, position, cycle);
    if let Some(node) = &options.node {
        narrow(&mut scene, node)?;
    }
    // The fixes are for the whole attempt.
    let fixes = match options.node {
        None => berth_session::fixes::find(&session, position)?,
        Some(_) => Vec::new(),
    };
    let moment = scene.moment();
    let Some(report) = Report::of(&moment, &fixes) else {
        return Err(Stop::Message(format!("{key} has no attempt")));
    };
    let is_last = attempts.last() == Some(&position);
    let told = Told {
        mended: &|| mended(&session, &key, &fixes),
        report: &report,
        place,
        is_of_node: options.node.is_some(),
        cluster_word: berth_session::cluster_word::of_pod(&session, &key).filter(|_| is_last),
        lacks,
    };
    match options.output {
        ExplainOutput::Json => told.json(out)?,
        ExplainOutput::Markdown => told.markdown(out)?,
        ExplainOutput::Text => told.text(terminal, out)?,
    }
    Ok(open::status(&session, Status::Good))
}

/// An attempt, and what is told with it.
struct Told<'a> {
    report: &'a Report<'a>,
    place: header::Place,
    is_of_node: bool,
    /// The fixes in the language in use.
    mended: &'a dyn Fn() -> Vec<FixReport<'a>>,
    cluster_word: Option<ClusterWord>,
    lacks: &'a [Lack],
}

impl Told<'_> {
    fn json(self, out: &mut dyn Write) -> io::Result<()> {
        let explained = Explained {
            record: in_english(|| Record::of(self.report)),
            fixes: in_english(self.mended),
            cluster_word: self.cluster_word,
            not_listed: self.lacks,
        };
        serde_json::to_writer_pretty(&mut *out, &explained)?;
        writeln!(out)
    }

    fn markdown(self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(markdown::of(self.report).as_bytes())?;
        let script = fixes::script(&(self.mended)());
        out.write_all(markdown::script(&script).as_bytes())?;
        let unknown = markdown::list(NOT_KNOWN.get(), &live::sentences(self.lacks));
        out.write_all(unknown.as_bytes())
    }

    fn text(self, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
        print(self.report, &self.place, self.is_of_node, terminal, out)?;
        fixes::write_lines(&(self.mended)(), terminal, out)?;
        if let Some(word) = self.cluster_word {
            cluster_word::write_of(&word, terminal, out)?;
        }
        write_lacks(self.lacks, terminal, out)
    }
}

/// Writes what the cluster did not list, and what therefore is not known.
fn write_lacks(lacks: &[Lack], terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    if lacks.is_empty() {
        return Ok(());
    }
    let title = NOT_KNOWN.get();
    writeln!(out, "\n{}", terminal.paint(Style::Bold, title))?;
    for sentence in live::sentences(lacks) {
        for line in wrap(&sentence, terminal.width.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// The position of the attempt of this number, from 1.
fn chosen(attempts: &[usize], number: usize, key: &str) -> Result<usize, String> {
    let found = number.checked_sub(1).and_then(|index| attempts.get(index));
    found.copied().ok_or_else(|| match attempts.len() {
        1 => format!("{key} was attempted once only"),
        all => format!("{key} was attempted {all} times"),
    })
}

/// What the command prints of an attempt, in lines of this width; empty if there is no such attempt.
///
/// # Errors
/// If the record disagrees with the log (a defect of Berth).
pub fn explained(session: &Session, position: usize, width: usize) -> Result<String, Remark> {
    let scene = moment::with_attempt(session, position, explain::attempt(session, position)?);
    let place = header::Place {
        position,
        attempts: session.log().len(),
        number: 1,
        of_pod: 1,
    };
    let (moment, mut out) = (scene.moment(), Vec::new());
    let written = Report::of(&moment, &[])
        .map(|report| print(&report, &place, false, &Terminal::plain(width), &mut out));
    // Memory takes all that is written.
    written.transpose().unwrap_or_default();
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Prints a report, of one node or of all.
fn print(
    report: &Report,
    place: &header::Place,
    is_of_node: bool,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    header::write(report, place, terminal, out)?;
    if is_of_node {
        node::write(report, terminal, out)?;
    } else {
        matrix::write(report, terminal, out)?;
        reasons::write(report.cycle, terminal, out)?;
        scores::write(report, terminal, out)?;
    }
    preemption::write(report.cycle, terminal, out)?;
    fixes::write(report.fixes, terminal, out)
}

/// Why a Pod that exists, or was preempted, has no attempt to explain.
pub fn never_attempted(session: &Session, key: &str) -> Result<String, String> {
    let frame = frame::build(session);
    let shown = Printable(key);
    if let Some(pod) = frame.pods.iter().find(|pod| pod.key == key) {
        let message = Printable(&pod.message);
        return Ok(match (pod.state, &pod.node) {
            (PodState::Bound, Some(node)) => {
                let node = Printable(node);
                format!("{shown} runs on {node} already: there was nothing to schedule.")
            }
            (PodState::Gated, _) => {
                let fix = berth_session::fixes::ungate(session, &[key.to_owned()]);
                let fix = fix.map(|found| {
                    let (what, node) = (found.fix.remark().to_string(), found.fix.node);
                    format!(
                        "\n{}; it would go to {}",
                        Printable(&what),
                        Printable(&node)
                    )
                });
                let fix = fix.unwrap_or_default();
                format!("{shown} was not attempted: {message}{fix}")
            }
            _ => format!("{shown} was never attempted."),
        });
    }
    if session.run().deleted().iter().any(|deleted| deleted == key) {
        return Ok(format!(
            "{shown} ran already, and was preempted: see `berth schedule`."
        ));
    }
    Err(format!("no Pod {shown}{}", suggestions(&frame.pods, key)))
}

/// Pods of the same name in other namespaces, then Pods whose name begins with it.
fn suggestions(pods: &[PodFrame], key: &str) -> String {
    let name = |key| split(key).1;
    let wanted = name(key);
    let same = pods.iter().filter(|pod| name(&pod.key) == wanted);
    let begins = pods
        .iter()
        .filter(|pod| name(&pod.key) != wanted && name(&pod.key).starts_with(wanted));
    let found: Vec<String> = same
        .chain(begins)
        .take(MAX_SUGGESTIONS)
        .map(|pod| Printable(&pod.key).to_string())
        .collect();
    if found.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", found.join(" or "))
    }
}

/// Keeps the report of one node.
fn narrow(scene: &mut Still, node: &str) -> Result<(), String> {
    let nodes = scene.cycle_mut().map(|cycle| &mut cycle.nodes);
    let is_there = nodes.is_some_and(|nodes| {
        nodes.retain(|report| report.node == node);
        !nodes.is_empty()
    });
    match is_there {
        true => Ok(()),
        false => Err(format!("no node {}", Printable(node))),
    }
}
