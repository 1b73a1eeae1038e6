//! `berth compare`: runs the same manifests twice with different settings, and prints what differs.

mod print;
mod side;

use std::collections::BTreeSet;
use std::io::Write;

use berth_protocol::compare::{Comparison, Pairing, Place, PodDifference};
use berth_protocol::frame::WaitingPods;
use berth_protocol::key::stays_on_its_node;
use berth_session::{Session, SourceFile, compare, explain, frame, pairing};
use clap::{Args, ValueEnum};

use super::args::RunOptions;
use super::findings::{Findings, Format};
use super::terminal::Terminal;
use super::{Outcome, Status, Stop};
use super::{input, live, open};
use crate::scene::rows;
use crate::words;
pub use side::{Setting, name as side_name, of as side_of, open as open_side};

pub const COMPARE_EXAMPLES: &str = "\
Examples:
  # Spreading or bin packing: what does the other configuration change?
  berth compare cluster.yaml app.yaml --b config=bin-packing.yaml

  # The same cluster after the upgrade
  kubectl get nodes,pods,pvc,pv,sc,pdb -A -o yaml |
    berth compare - --a kubernetes=1.34 --b kubernetes=1.36

  # Without a node pool; with other requests; with other luck
  berth compare cluster.yaml --b without=pool=spot
  berth compare cluster.yaml --b patch=requests.yaml
  berth compare cluster.yaml --a seed=1 --b seed=2 -o markdown

  # Without settings: the sides under `compare` in the file's Scenario
  berth compare spreading-or-packing.yaml

Settings of a side (the other options hold for both):
  config=FILE        a KubeSchedulerConfiguration in place of the one among the files
  kubernetes=1.36    the release
  gate=NAME=true     a feature gate; may be repeated
  seed=NUMBER        what breaks ties
  tie-break=first    ties go to the first node by name
  patch=FILE         manifests that are merged into those of the same name, or added
  without=SELECTOR   nodes with these labels are removed; their Pods wait again

Exit status:
  0  nothing differs
  1  something does
  2  something is wrong with the input";

/// Maximum number of listed Pods of a table; JSON has all.
const LISTED: usize = 50;

#[derive(Debug, Args)]
pub struct CompareOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Settings of the first side: KEY=VALUE (see below)
    #[arg(long, value_name = "SETTING", num_args = 1.., value_parser = Setting::parse)]
    pub a: Vec<Setting>,

    /// Settings of the second side
    #[arg(long, value_name = "SETTING", num_args = 1.., value_parser = Setting::parse)]
    pub b: Vec<Setting>,

    /// The node label whose domains count for the widest skew
    #[arg(long, value_name = "LABEL")]
    pub topology: Option<String>,

    /// Output: table, json, or markdown
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: CompareOutput,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareOutput {
    Table,
    Json,
    Markdown,
}

/// Both sides and what differs.
struct ComparisonReport {
    /// The settings as they were written.
    names: [String; 2],
    topology: String,
    comparison: Comparison,
    /// The Pods that wait in B only, by workload, with the reason.
    waiting: Vec<(WaitingPods, String)>,
    /// The highest priority of these Pods, if it is above 0, and how many have it.
    urgent: Option<(String, usize)>,
    /// Number of Pods that wait in A and have a place in B.
    relieved: usize,
    /// Pods without a controller that are gone with their nodes; `None` if B has all nodes.
    lost: Option<Vec<String>>,
    /// Number of Pods of DaemonSets and static Pods that only one side has; they are not listed.
    folded: usize,
}

/// Runs the command.
pub fn run(options: &CompareOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let live::Answer { files, lacks } = live::manifests(&options.run)?;
    live::print_lacks(&lacks)?;
    let pairing = pairing(options, &files)?;
    let common = options.run.session_options();
    let open = |side| side::open(side, &common, &files, options.run.verbose, terminal);
    let (Some(a), Some(b)) = (open(&pairing.a)?, open(&pairing.b)?) else {
        return Ok(Status::BadInput);
    };
    let about = About {
        names: [&pairing.a, &pairing.b].map(side::name),
        topology: pairing.topology().to_owned(),
        loses_nodes: !pairing.b.without.is_empty(),
    };
    let output = Output::Comparison(options.output);
    told([a, b], about, output, terminal, out)
}

/// What is said of two sides besides what differs.
pub struct About {
    /// The settings as they were written, or the files.
    pub names: [String; 2],
    pub topology: String,
    /// Whether B lacks nodes of A.
    pub loses_nodes: bool,
}

/// How differences are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Comparison(CompareOutput),
    Findings(Format),
}

/// Plays both sides, and prints what differs.
pub fn told(
    [mut a, mut b]: [Session; 2],
    about: About,
    output: Output,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> Outcome {
    for session in [&mut a, &mut b] {
        open::drive(session, |session| Ok(session.step()))?;
    }
    let mut comparison = compare::compare(&a, &b, &about.topology);
    let is_for_people = matches!(
        output,
        Output::Comparison(CompareOutput::Table | CompareOutput::Markdown)
    );
    let mut folded = 0;
    if is_for_people {
        folded = fold(&a, &b, &mut comparison.pods);
    }
    let is_same = comparison.is_same() && folded == 0;
    if let Output::Findings(format) = output {
        found(&b, &comparison).write(format, "diff", out)?;
        return Ok(open::status(&b, open::status(&a, end(is_same))));
    }
    let explained = match is_for_people {
        false => comparison.pods.len(),
        true => LISTED,
    };
    explain(&a, &b, &mut comparison, explained)?;
    let waiting = match is_for_people {
        false => Vec::new(),
        true => waiting(&a, &b)?,
    };
    let compared = ComparisonReport {
        waiting,
        urgent: compare::most_urgent(&a, &b),
        relieved: compare::relieved(&a, &b),
        lost: about.loses_nodes.then(|| compare::lost(&a, &b)),
        folded,
        names: about.names,
        topology: about.topology,
        comparison,
    };
    match output {
        Output::Comparison(CompareOutput::Markdown) => print::markdown(&compared, out)?,
        Output::Comparison(CompareOutput::Table) => print::table(&compared, terminal, out)?,
        _ => {
            serde_json::to_writer_pretty(&mut *out, &compared.comparison)
                .map_err(|error| Stop::Output(error.into()))?;
            writeln!(out)?;
        }
    }
    Ok(open::status(&b, open::status(&a, end(is_same))))
}

fn end(is_same: bool) -> Status {
    match is_same {
        true => Status::Good,
        false => Status::SomeNotPlaced,
    }
}

/// The problems of B, and the Pods that differ: those that wait only there fail.
fn found(b: &Session, comparison: &Comparison) -> Findings {
    let mut findings = Findings::default();
    let files = &b.manifests().loaded.files;
    findings.add_files(files.iter().map(|file| file.name.as_str()), b.problems());
    let frame = frame::build(b);
    for difference in &comparison.pods {
        let pod = frame.pods.iter().find(|pod| pod.key == difference.pod);
        let places = [&difference.a, &difference.b].map(print::place);
        match pod {
            Some(pod) if difference.b == Place::Pending => findings.add_pod(b, pod),
            _ => findings.add_move(b, &difference.pod, &places),
        }
    }
    findings
}

/// Why Pods wait in B that did not in A.
fn waiting(a: &Session, b: &Session) -> Result<Vec<(WaitingPods, String)>, Stop> {
    let found = compare::waiting(a, b).into_iter().map(|waiting| {
        let reason = match b.attempt_of(&waiting.first) {
            Some(attempt) => {
                let cycle = explain::attempt(b, attempt)?;
                words::sentence::why(&cycle, &rows::count(&cycle))
            }
            None => String::new(),
        };
        Ok((waiting, reason))
    });
    found.collect()
}

/// Leaves out the Pods of DaemonSets and static Pods that only one side has, and counts them; those that wait in B come
/// first, then those that B places, then the others.
fn fold(a: &Session, b: &Session, pods: &mut Vec<PodDifference>) -> usize {
    let all = pods.len();
    let frames = [frame::build(a), frame::build(b)];
    let staying = frames.iter().flat_map(|frame| &frame.pods).filter(|pod| {
        let kind = pod.owner.split_once('/').map(|(kind, _)| kind);
        kind.is_some_and(stays_on_its_node)
    });
    let staying: BTreeSet<&str> = staying.map(|pod| pod.key.as_str()).collect();
    pods.retain(|pod| {
        let is_in_one = pod.a == Place::Absent || pod.b == Place::Absent;
        !(is_in_one && staying.contains(pod.pod.as_str()))
    });
    pods.sort_by_key(|pod| match (&pod.a, &pod.b) {
        (_, Place::Pending) => 0,
        (Place::Pending, _) => 1,
        (Place::Node(_), Place::Node(_)) => 2,
        _ => 3,
    });
    all - pods.len()
}

/// The sides: those of the command line, or without any those of the Scenario.
fn pairing(options: &CompareOptions, files: &[SourceFile]) -> Result<Pairing, Stop> {
    let mut pairing = Pairing {
        a: side::of(&options.a)?,
        b: side::of(&options.b)?,
        ..Pairing::default()
    };
    if options.a.is_empty() && options.b.is_empty() {
        let mut given = Session::new(options.run.session_options());
        given.apply(files);
        pairing = pairing::suggested(&given).unwrap_or_default();
    }
    let config = options.run.config.as_deref().map(input::read_file);
    if let Some(file) = config.transpose()? {
        let config = (file.name, file.text.to_string());
        for side in [&mut pairing.a, &mut pairing.b] {
            side.config.get_or_insert_with(|| config.clone());
        }
    }
    if let Some(topology) = &options.topology {
        pairing.topology.clone_from(topology);
    }
    Ok(pairing)
}

/// Finds the causes of the first differences.
fn explain(
    a: &Session,
    b: &Session,
    comparison: &mut Comparison,
    limit: usize,
) -> Result<(), Stop> {
    for difference in comparison.pods.iter_mut().take(limit) {
        difference.cause = compare::cause(a, b, difference)?;
    }
    Ok(())
}
