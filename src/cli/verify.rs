//! `berth verify`: compares a case with what a real cluster said about it.

use std::io::{self, Write};
use std::path::PathBuf;

use berth_protocol::verify::{Answer, Difference, Verification};
use berth_session::Printable;
use berth_session::verify::{ClusterReport, verify};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::args::RunOptions;
use super::open::{self, Opened};
use super::release::ReleaseOptions;
use super::table::{Cell, Table};
use super::terminal::{Style, Terminal};
use super::{Outcome, Status, input};
use crate::words::language::{colon, comma};
use crate::words::{short, verify as text};

/// The command's examples.
pub const VERIFY_EXAMPLES: &str = "\
Examples:
  # Apply the case to a cluster, then compare
  kubectl apply -f case.yaml
  kubectl get pods -A -o json > pods.json
  kubectl get events -A -o json > events.json
  berth verify case.yaml --pods pods.json --events events.json

  # With every score: the log of kube-scheduler, started with -v=10 (plain, gzip or xz)
  berth verify case.yaml --pods pods.json --events events.json --log scheduler.log.xz -v

Each attempt is compared on the state that the cluster's earlier ones left. Without a log, the order
is that of the events' times. docs/verify.md has the commands for kind and kwok, says what is
tolerated, and describes the JSON.

Exit status:
  0  the cluster said what Berth says
  1  something differs
  2  something is wrong with the input";

#[derive(Debug, Args)]
pub struct VerifyOptions {
    /// The case: what was given to the cluster, in files and folders of manifests
    #[arg(required = true, value_name = "CASE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// The cluster's Pods: the output of `kubectl get pods -A -o json`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub pods: PathBuf,

    /// Its events: the output of `kubectl get events -A -o json`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub events: Option<PathBuf>,

    /// The log of its kube-scheduler with -v=10
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub log: Option<PathBuf>,

    /// The KubeSchedulerConfiguration of its kube-scheduler, if the case has none
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub config: Option<PathBuf>,

    /// Do not create the Pods of Deployments and other workloads: no controllers ran
    #[arg(long)]
    pub no_controllers: bool,

    /// List every attempt, and everything that was inferred
    #[arg(short, long)]
    pub verbose: bool,

    /// Output: text; json (every attempt and every difference)
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: VerifyOutput,

    #[command(flatten)]
    pub release: ReleaseOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyOutput {
    Text,
    Json,
}

/// `-o json`.
#[derive(Serialize)]
struct Written<'v> {
    agrees: bool,
    #[serde(flatten)]
    verification: &'v Verification,
}

/// Maximum number of listed differences of an attempt; JSON has all.
const LISTED: usize = 8;

/// Runs the command.
pub fn run(options: &VerifyOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let pods = input::read_file(&options.pods)?;
    let events = options
        .events
        .as_deref()
        .map(input::read_file)
        .transpose()?;
    let log = options.log.as_deref().map(input::read_file).transpose()?;
    let run = RunOptions {
        config: options.config.clone(),
        no_controllers: options.no_controllers,
        verbose: options.verbose,
        release: options.release.clone(),
        ..RunOptions::of_files(options.files.clone())
    };
    let Opened { session, taken } = open::open(&run, terminal)?;
    if !taken || session.has_errors() {
        return Ok(Status::BadInput);
    }
    let said = ClusterReport {
        pods: &pods,
        events: events.as_ref(),
        log: log.as_ref(),
    };
    let verification = verify(&session, said)?;
    match options.output {
        VerifyOutput::Text => write(&verification, options.verbose, terminal, out)?,
        VerifyOutput::Json => {
            let written = Written {
                agrees: verification.agrees(),
                verification: &verification,
            };
            serde_json::to_writer_pretty(&mut *out, &written).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(match verification.agrees() {
        true => Status::Good,
        false => Status::SomeNotPlaced,
    })
}

/// Writes the sentence, then what differs by Pod and attempt, and every attempt if `all` are wanted.
fn write(
    verification: &Verification,
    all: bool,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sentence = text::sentence(verification);
    writeln!(out, "{}", terminal.paint(Style::Bold, &sentence))?;
    if let Some(plugins) = text::by_plugin(verification) {
        writeln!(out, "{}", Printable(&plugins))?;
    }
    if all {
        writeln!(out)?;
        attempts(verification, terminal, out)?;
    }
    let is_same = |a: &Difference, b: &Difference| a.pod == b.pod && a.attempt == b.attempt;
    for differences in verification.differences.chunk_by(is_same) {
        let Some(first) = differences.first() else {
            continue;
        };
        let place = Printable(&text::place(first)).to_string();
        writeln!(out, "\n{}", terminal.paint(Style::Bold, &place))?;
        for difference in differences.iter().take(LISTED) {
            write_difference(difference, terminal, out)?;
        }
        if differences.len() > LISTED {
            writeln!(out, "  {}", text::more(differences.len() - LISTED))?;
        }
    }
    Ok(())
}

fn write_difference(
    difference: &Difference,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let told = text::told(difference);
    writeln!(out, "  {}", Printable(&told.sentence))?;
    for (who, said) in &told.texts {
        let who = format!("{who}{}", colon());
        writeln!(
            out,
            "    {}{}",
            terminal.paint(Style::Warn, &who),
            Printable(said)
        )?;
    }
    Ok(())
}

fn attempts(
    verification: &Verification,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let headings = [
        text::POD,
        text::ATTEMPT.get(),
        text::CLUSTER.get(),
        text::BERTH,
        text::SCORES.get(),
        text::DIFFERENCES.get(),
    ];
    let headings = headings.map(str::to_uppercase);
    let mut table = Table::new(headings.iter().map(String::as_str));
    for attempt in &verification.attempts {
        table.push(vec![
            Cell::new(short(&attempt.pod)),
            Cell::new(attempt.number.to_string()).right(),
            Cell::new(nodes(&attempt.cluster)),
            Cell::new(nodes(&attempt.berth)),
            Cell::new(attempt.scores.to_string()).right(),
            Cell::new(attempt.differences.to_string()).right(),
        ]);
    }
    table.write(terminal, out)
}

/// The node, or the best ones, or that the Pod waits.
fn nodes(answer: &Answer) -> String {
    let nodes = answer.nodes.join(comma());
    text::or_waits(Some(nodes.as_str()).filter(|nodes| !nodes.is_empty()))
}
