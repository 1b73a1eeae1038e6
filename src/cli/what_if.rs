//! `berth what-if`: what a change of the cluster would come to, played on a copy of it.

mod drains;
mod evict;
mod print;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use berth_protocol::compare::ZONE;
use berth_protocol::cycle::Cycle;
use berth_protocol::what_if::{Answered, Loss, Workload};
use berth_session::what_if::{AT_MOST, ORDERS, PlayProgress, Playing};
use berth_session::{Printable, Session, what_if};
use clap::{Args, Subcommand, ValueEnum};
use drains::{DRAIN_EXAMPLES, SHRINK_EXAMPLES, ShrinkOptions, UPGRADE_EXAMPLES, UpgradeOptions};
use evict::{EVICT_EXAMPLES, EvictOptions};

use super::args::RunOptions;
use super::given;
use super::open::{self, Opened};
use super::terminal::{Progress, Terminal};
use super::{Outcome, Status, Stop};
use crate::export::what_if::told;
use crate::scene::rows;
use crate::words::language::in_english;
use crate::words::sentence::why;

pub const WHAT_IF_EXAMPLES: &str = "\
Examples:
  {dump} > cluster.yaml

  # Who comes again where, who waits, who is lost for good?
  berth what-if lose node-7 cluster.yaml
  berth what-if lose topology.kubernetes.io/zone=eu-west-1a cluster.yaml

  # Which node, or which zone, can the cluster least bear to lose?
  berth what-if lose --each node cluster.yaml

  # Do new nodes help those that wait? How many more replicas fit?
  berth what-if add 3 --like pool=general cluster.yaml
  berth what-if fit shop/web cluster.yaml

  # How many nodes would those that wait need?
  berth what-if need cluster.yaml

  # How would this scheduler, or this release, place everything?
  berth what-if anew cluster.yaml --config bin-packing.yaml

  # Does a budget block the drain, or the upgrade of a pool? Which nodes can go?
  berth what-if drain node-7 cluster.yaml
  berth what-if upgrade general cluster.yaml --max-surge 1
  berth what-if shrink cluster.yaml --prices prices.yaml

  # What would the descheduler evict, and where does it come again?
  berth what-if evict cluster.yaml --policy policy.yaml

Every answer is played by the scheduler on a copy; docs/what-if.md defines the words.

Exit status:
  0  no more Pods wait than before, none is lost, and no budget blocks
  1  some do, or are, or one does
  2  something is wrong with the input";

const LOSE_EXAMPLES: &str = "\
Examples:
  berth what-if lose node-7 node-8 cluster.yaml
  berth what-if lose pool=spot cluster.yaml -o markdown
  kubectl get nodes,pods,pvc,pv,sc,pdb -A -o yaml | berth what-if lose --each zone -

The words that are files, folders or - come last; the others are nodes, or labels as for kubectl's -l.";

const ADD_EXAMPLES: &str = "\
Examples:
  berth what-if add 3 --like pool=general cluster.yaml
  berth what-if add 1 --like node-7 cluster.yaml -o json

The new nodes have the labels, taints, allocatable resources and images of that node (with a label: of the first node by
name that has it), and run the Pods of DaemonSets.";

const FIT_EXAMPLES: &str = "\
Examples:
  berth what-if fit shop/web cluster.yaml
  berth what-if fit data/zookeeper --at-most 5 cluster.yaml

Exit status:
  0  answered; with --at-most: so many fit
  1  with --at-most: fewer fit
  2  something is wrong with the input";

#[derive(Debug, Args)]
pub struct WhatIfOptions {
    #[command(subcommand)]
    pub question: QuestionOptions,
}

#[derive(Debug, Subcommand)]
pub enum QuestionOptions {
    /// Nodes vanish with their Pods, in one moment
    #[command(after_help = LOSE_EXAMPLES)]
    #[command(
        override_usage = "berth what-if lose [OPTIONS] <NODE | LABEL=VALUE>... <FILE>...\n       berth what-if lose [OPTIONS] --each <WHAT> <FILE>..."
    )]
    Lose(NodesOptions),
    /// New nodes come, with the Pods of their DaemonSets
    #[command(after_help = ADD_EXAMPLES)]
    Add(AddOptions),
    /// The fewest nodes of each pool that place the waiting Pods
    Need(NeedOptions),
    /// How many more replicas of a workload fit
    #[command(after_help = FIT_EXAMPLES)]
    Fit(FitOptions),
    /// Every Pod that can move is placed again
    Anew(AnewOptions),
    /// Nodes are drained, with budgets, and in time
    #[command(after_help = DRAIN_EXAMPLES)]
    #[command(
        override_usage = "berth what-if drain [OPTIONS] <NODE | LABEL=VALUE>... <FILE>...\n       berth what-if drain [OPTIONS] --each <WHAT> <FILE>..."
    )]
    Drain(NodesOptions),
    /// The nodes of a pool are replaced, batch by batch
    #[command(after_help = UPGRADE_EXAMPLES)]
    Upgrade(UpgradeOptions),
    /// The nodes that can go, one after the other
    #[command(after_help = SHRINK_EXAMPLES)]
    #[command(override_usage = "berth what-if shrink [OPTIONS] [POOL | LABEL=VALUE] <FILE>...")]
    Shrink(ShrinkOptions),
    /// What a cycle of the descheduler evicts, and where it comes again
    #[command(after_help = EVICT_EXAMPLES)]
    Evict(EvictOptions),
}

/// How answers are printed.
#[derive(Debug, Args)]
pub struct AnswerOptions {
    /// Output: table, json, or markdown
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: WhatIfOutput,
}

/// How many orders are played.
#[derive(Debug, Args)]
pub struct OrderOptions {
    /// In how many further orders controllers make Pods again, besides that of names
    #[arg(long, value_name = "NUMBER", default_value_t = ORDERS)]
    pub orders: u64,
}

/// Which nodes are lost or drained.
#[derive(Debug, Args)]
pub struct NodesOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// A table of what each node, each zone, or each value of a label comes to, in the order of names alone
    #[arg(long, value_name = "WHAT", conflicts_with = "orders")]
    pub each: Option<String>,

    #[command(flatten)]
    pub orders: OrderOptions,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

#[derive(Debug, Args)]
pub struct AddOptions {
    /// How many nodes come
    #[arg(value_name = "NUMBER")]
    pub count: u32,

    #[command(flatten)]
    pub run: RunOptions,

    /// What they are like: a node, or the first node by name with a label (LABEL=VALUE)
    #[arg(long, value_name = "NODE | LABEL=VALUE")]
    pub like: String,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

#[derive(Debug, Args)]
pub struct NeedOptions {
    #[command(flatten)]
    pub run: RunOptions,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

#[derive(Debug, Args)]
pub struct FitOptions {
    /// The workload: NAMESPACE/NAME, or NAME in namespace default
    #[arg(value_name = "WORKLOAD")]
    pub workload: String,

    #[command(flatten)]
    pub run: RunOptions,

    /// How many replicas are tried (1000 if this is not given)
    #[arg(long, value_name = "NUMBER")]
    pub at_most: Option<usize>,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

#[derive(Debug, Args)]
pub struct AnewOptions {
    #[command(flatten)]
    pub run: RunOptions,

    #[command(flatten)]
    pub orders: OrderOptions,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhatIfOutput {
    Table,
    Json,
    Markdown,
}

/// Where and how an answer is printed.
struct Page<'a> {
    output: WhatIfOutput,
    terminal: &'a Terminal,
    out: &'a mut dyn Write,
}

/// Runs the command.
pub fn run(options: &WhatIfOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let question = &options.question;
    let (words, files) = match question.takes_words() {
        true => words_and_files(question.run())?,
        false => (Vec::new(), question.run().files.clone()),
    };
    let run = RunOptions {
        files,
        ..question.run().clone()
    };
    let Opened { session, taken } = open::open(&run, terminal)?;
    if !taken {
        return Ok(Status::BadInput);
    }
    let mut page = Page {
        output: question.output(),
        terminal,
        out,
    };
    let playing = question.ask(&session, &words)?;
    let mut progress = Progress::new();
    let answered = played(playing, page.output, |played| {
        progress.tick(|| {
            let PlayProgress {
                plays: (ended, all),
                attempts,
            } = played;
            format!("{ended} of {all} plays, {attempts} attempts")
        });
    })?;
    page.write(&answered)?;
    let is_worse = options.is_worse(&answered);
    Ok(open::status(&session, status(is_worse)))
}

impl QuestionOptions {
    /// What to read, and how to run it.
    pub fn run(&self) -> &RunOptions {
        match self {
            Self::Lose(options) | Self::Drain(options) => &options.run,
            Self::Add(options) => &options.run,
            Self::Need(options) => &options.run,
            Self::Fit(options) => &options.run,
            Self::Anew(options) => &options.run,
            Self::Upgrade(options) => &options.run,
            Self::Shrink(options) => &options.run,
            Self::Evict(options) => &options.run,
        }
    }

    pub fn output(&self) -> WhatIfOutput {
        let answer = match self {
            Self::Lose(options) | Self::Drain(options) => &options.answer,
            Self::Add(options) => &options.answer,
            Self::Need(options) => &options.answer,
            Self::Fit(options) => &options.answer,
            Self::Anew(options) => &options.answer,
            Self::Upgrade(options) => &options.answer,
            Self::Shrink(options) => &options.answer,
            Self::Evict(options) => &options.answer,
        };
        answer.output
    }

    /// Whether nodes, labels or a pool stand before the files.
    pub fn takes_words(&self) -> bool {
        match self {
            Self::Lose(options) | Self::Drain(options) => options.each.is_none(),
            Self::Shrink(_) => true,
            Self::Add(_)
            | Self::Need(_)
            | Self::Fit(_)
            | Self::Anew(_)
            | Self::Upgrade(_)
            | Self::Evict(_) => false,
        }
    }

    /// Begins to play the question. `words`: what stands before the files.
    ///
    /// # Errors
    /// If the words are not those of the question, it names what is not there, or its prices or its policy cannot be read.
    pub fn ask(&self, session: &Session, words: &[String]) -> Result<Playing, Stop> {
        if words.is_empty() && self.takes_words() && !matches!(self, Self::Shrink(_)) {
            let message = "name a node or a label before the files, or use --each";
            return Err(message.to_owned().into());
        }
        let playing =
            match self {
                Self::Lose(options) => match options.each.as_deref() {
                    Some(what) => what_if::ask_losses(session, label_of(what)).map(Playing::from),
                    None => what_if::ask_loss_of(session, words, options.orders.orders)
                        .map(Playing::from),
                },
                Self::Add(options) => what_if::model(session, &options.like)
                    .and_then(|like| what_if::ask_more_nodes(session, &like, options.count))
                    .map(Playing::from),
                Self::Need(_) => what_if::ask_need(session).map(Playing::from),
                Self::Fit(options) => {
                    let at_most = options.at_most.unwrap_or(AT_MOST);
                    what_if::ask_fit(session, &options.workload, at_most).map(Playing::from)
                }
                Self::Anew(options) => {
                    what_if::ask_anew(session, options.orders.orders).map(Playing::from)
                }
                Self::Drain(options) => match options.each.as_deref() {
                    Some(what) => what_if::ask_drains(session, label_of(what)).map(Playing::from),
                    None => what_if::ask_drain_of(session, words, options.orders.orders)
                        .map(Playing::from),
                },
                Self::Upgrade(options) => drains::upgrade(session, options).map(Playing::from),
                Self::Shrink(options) => {
                    let (pool, prices) = drains::of_shrink(options, words)?;
                    what_if::ask_shrink_of(session, pool, prices).map(Playing::from)
                }
                Self::Evict(options) => {
                    let policy = evict::policy(&options.policy)?;
                    what_if::ask_evict(session, policy, options.orders.orders).map(Playing::from)
                }
            };
        playing.map_err(|error| error.remark().into())
    }
}

impl WhatIfOptions {
    /// Whether the answer is one that scripts want to hear of.
    fn is_worse(&self, answered: &Answered) -> bool {
        match (&self.question, answered) {
            (QuestionOptions::Fit(options), Answered::Answer(answer)) => options
                .at_most
                .is_some_and(|wanted| answer.placed.by_name < wanted),
            (QuestionOptions::Add(_), Answered::Answer(answer)) => answer.waiting.most > 0,
            (_, Answered::Answer(answer)) => {
                let mut drains = answer.drains.iter();
                let is_blocked = drains.any(|it| !it.blocked.is_empty());
                answer.more.most > 0 || !answer.lost.is_empty() || is_blocked
            }
            (_, Answered::Losses(losses)) => !losses.losses.iter().all(Loss::is_harmless),
            (_, Answered::Need(need)) => !need.unhelped.is_empty(),
        }
    }
}

/// The node label whose values are asked about in turn; `None`: each node.
fn label_of(what: &str) -> Option<&str> {
    match what {
        "node" => None,
        "zone" => Some(ZONE),
        label => Some(label),
    }
}

/// The words before the files: the files, folders and `-` at the end are what is read, unless the cluster itself is.
fn words_and_files(run: &RunOptions) -> Result<(Vec<String>, Vec<PathBuf>), Stop> {
    let (words, is_live) = (&run.files, run.live.is_asked());
    let is_file = |path: &&PathBuf| path.as_os_str() == "-" || given::exists(path);
    let files = words.iter().rev().take_while(is_file).count();
    let (named, files) = words.split_at(words.len() - files);
    let named: Vec<String> = named
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match (named.last(), files) {
        (Some(last), []) if !is_live => {
            let last = Printable(last);
            Err(format!("{last}: no such file or folder; the files come last").into())
        }
        _ => Ok((named, files.to_vec())),
    }
}

/// Plays a question to its end; `told` hears how far it is.
///
/// # Errors
/// If nothing was played.
pub fn played(
    mut playing: Playing,
    output: WhatIfOutput,
    mut told: impl FnMut(PlayProgress),
) -> Result<Answered, Stop> {
    /// Attempts between two looks at the clock.
    const ATTEMPTS: usize = 20;
    while playing.advance(ATTEMPTS) {
        told(playing.progress());
    }
    let answered = playing.answer();
    let mut answered = answered.ok_or_else(|| "nothing was played".to_owned())?;
    let listed: BTreeSet<Workload> = answered.listed().into_iter().cloned().collect();
    answered.explain(|workload| {
        let is_told = output == WhatIfOutput::Json || listed.contains(workload);
        let cycle = is_told.then(|| playing.explain(workload)).flatten();
        cycle.map(|cycle| output.tell(&cycle))
    });
    Ok(answered)
}

fn status(is_worse: bool) -> Status {
    match is_worse {
        true => Status::SomeNotPlaced,
        false => Status::Good,
    }
}

impl WhatIfOutput {
    /// kube-scheduler's message of an attempt, and the sentence.
    fn tell(self, cycle: &Cycle) -> (String, String) {
        let tell = || why(cycle, &rows::count(cycle));
        let sentence = match self {
            Self::Json => in_english(tell),
            Self::Table | Self::Markdown => tell(),
        };
        (cycle.message.clone().unwrap_or_default(), sentence)
    }
}

impl Page<'_> {
    fn write(&mut self, answered: &Answered) -> Result<(), Stop> {
        match self.output {
            WhatIfOutput::Json => {
                serde_json::to_writer_pretty(&mut *self.out, answered)
                    .map_err(|error| Stop::Output(error.into()))?;
                writeln!(self.out)?;
            }
            WhatIfOutput::Table => print::tables(&told(answered), self.terminal, self.out)?,
            WhatIfOutput::Markdown => write!(self.out, "{}", told(answered).markdown())?,
        }
        Ok(())
    }
}
