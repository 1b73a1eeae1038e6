//! `berth reduce`: the smallest case that still shows why a Pod waits, or why it lands where it does; or that two runs come
//! out differently for it.

mod differs;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::export::case::{markdown, told};
use crate::words::case as words;
use berth_protocol::reduce::Size;
use berth_session::reduce::{Case, Reduced, Reduction, date};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::args::RunOptions;
use super::messages::Messages;
use super::open::{self, Opened};
use super::terminal::{Progress, Terminal};
use super::{Outcome, Status, Stop};
use differs::Differs;

/// The command's examples.
pub const REDUCE_EXAMPLES: &str = "\
Examples:
  berth snapshot > cluster.yaml
  berth reduce cluster.yaml --pod checkout/payments > case.yaml
  berth test case.yaml

  # For an issue
  berth reduce cluster.yaml --pod checkout/payments -o markdown

  # The first Pod that comes out differently in two releases, or with another configuration
  berth reduce cluster.yaml --differs kubernetes=1.35,1.36 > case.yaml
  berth reduce cluster.yaml --differs config=bin-packing.yaml --pod web-0

The case is a Scenario with a claim (by which plugins, reasons and sums nodes are rejected), a
verified fix as its counterfactual, and the objects that both need: without any one of them, or of
their fields, one does not hold. All names, label keys, values and addresses that are not
everybody's are new, and sort as the old ones. With --differs, there is no counterfactual: the
claim is what comes of the Pod in the first run, and `otherwise` what comes of it in the second.
docs/cases.md defines the words.

Exit status:
  0  the case is written
  1  it is written, but something could not be done: standard error says what
  2  something is wrong with the input, or the attempt cannot be reduced";

#[derive(Debug, Args)]
pub struct ReduceOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// The Pod: NAMESPACE/NAME, or NAME in namespace default; with --differs, the first that comes out differently
    #[arg(long, value_name = "POD", required_unless_present = "differs")]
    pub pod: Option<String>,

    /// Two runs that come out differently: kubernetes=A,B, or config=FILE in place of the configuration of the manifests
    #[arg(long, value_name = "SETTING", value_parser = Differs::parse)]
    pub differs: Option<Differs>,

    /// Output: yaml (the case); json (the case, its file, and how far it was reduced); markdown (for an issue)
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    pub output: ReduceOutput,

    /// Stop after this many trials, with the best case so far
    #[arg(long, value_name = "NUMBER", default_value_t = 5_000)]
    pub max_runs: usize,

    /// A sentence that says where the case comes from
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,

    /// Write the old names beside the new ones, as JSON: keep this file to yourself
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub key: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReduceOutput {
    Yaml,
    Json,
    Markdown,
}

/// `-o json`.
#[derive(Serialize)]
struct Written<'r> {
    case: &'r Case,
    file: &'r str,
    from: Size,
    to: Size,
    runs: usize,
    lacks: Vec<String>,
}

/// Runs the command.
pub fn run(options: &ReduceOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let reduction = match &options.differs {
        Some(differs) => differs.begin(&options.run, pod_key(options).as_deref(), terminal)?,
        None => of_one_run(options, terminal)?,
    };
    let Some(mut reduction) = reduction else {
        return Ok(Status::BadInput);
    };
    let mut progress = Progress::new();
    while reduction.advance(1) {
        let reached = reduction.progress();
        progress.tick(|| words::trial(reached.runs, reached.to));
        if reached.runs >= options.max_runs {
            reduction.stop();
            // What is reached still gets its names.
            while reduction.advance(1) {}
        }
    }
    drop(progress);
    let reduced = reduction.finish(Some(today()), options.source.clone())?;
    if let Some(path) = &options.key {
        let names = serde_json::to_string_pretty(&reduced.names).map_err(io::Error::from)?;
        std::fs::write(path, names + "\n")?;
    }
    write(&reduced, options.output, out)?;
    out.flush()?;
    let mut err = Messages;
    writeln!(err, "{}", summary(&reduced))?;
    for lack in &reduced.shown.lacks {
        writeln!(err, "{lack}")?;
    }
    Ok(match reduced.shown.lacks.is_empty() {
        true => Status::Good,
        false => Status::SomeNotPlaced,
    })
}

/// `namespace/name` of the Pod that is asked for.
fn pod_key(options: &ReduceOptions) -> Option<String> {
    let pod = options.pod.as_ref()?;
    Some(match pod.contains('/') {
        true => pod.clone(),
        false => format!("default/{pod}"),
    })
}

/// Begins to reduce the last attempt of a Pod; `None` if the input is not accepted.
fn of_one_run(options: &ReduceOptions, terminal: &Terminal) -> Result<Option<Reduction>, Stop> {
    let Opened { mut session, taken } = open::open(&options.run, terminal)?;
    if !taken {
        return Ok(None);
    }
    open::drive(&mut session, |session| Ok(session.step()))?;
    let key = pod_key(options).unwrap_or_default();
    let Some(position) = session.attempt_of(&key) else {
        return Err(Stop::Message(super::explain::never_attempted(
            &session, &key,
        )?));
    };
    Ok(Some(Reduction::begin(&session, position)?))
}

fn write(reduced: &Reduced, output: ReduceOutput, out: &mut dyn Write) -> io::Result<()> {
    let shown = &reduced.shown;
    match output {
        ReduceOutput::Yaml => out.write_all(shown.text.as_bytes()),
        ReduceOutput::Markdown => out.write_all(markdown(shown, None).as_bytes()),
        ReduceOutput::Json => {
            let written = Written {
                case: &reduced.case,
                file: &shown.text,
                from: shown.from,
                to: shown.to,
                runs: shown.runs,
                lacks: shown.lacks.iter().map(ToString::to_string).collect(),
            };
            serde_json::to_writer_pretty(&mut *out, &written)?;
            writeln!(out)
        }
    }
}

/// `60 nodes, 900 Pods → 3 nodes, 4 Pods, 26 lines, in 268 trials`.
fn summary(reduced: &Reduced) -> String {
    let shown = &reduced.shown;
    format!("{}, in {}", told(shown).sizes, words::trials(shown.runs))
}

/// The day of the verification.
fn today() -> String {
    date(seconds_since_1970())
}

#[allow(clippy::disallowed_types)]
#[cfg(not(target_arch = "wasm32"))]
fn seconds_since_1970() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    i64::try_from(seconds).unwrap_or(0)
}

/// The standard library has no clock there.
#[cfg(target_arch = "wasm32")]
fn seconds_since_1970() -> i64 {
    (js_sys::Date::now() / 1_000.0) as i64
}
