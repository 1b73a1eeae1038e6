//! `berth what-if drain`, `upgrade` and `shrink`.

use std::path::{Path, PathBuf};

use berth_protocol::edit::EditError;
use berth_session::what_if::{self, Prices, Rolling};
use berth_session::{Printable, Session};
use clap::Args;

use super::{AnswerOptions, OrderOptions};
use crate::cli::args::RunOptions;
use crate::cli::{Stop, input};

pub const DRAIN_EXAMPLES: &str = "\
Examples:
  berth what-if drain node-7 node-8 cluster.yaml
  berth what-if drain topology.kubernetes.io/zone=eu-west-1a cluster.yaml -o markdown
  berth what-if drain --each node cluster.yaml

Plays `kubectl drain --ignore-daemonsets --delete-emptydir-data --force`, node after node, in the living cluster.
The words that are files, folders or - come last; the others are nodes, or labels as for kubectl's -l.

Exit status:
  0  no more Pods wait than before, none is lost, and every drain comes to its end
  1  some do, or are, or a budget blocks
  2  something is wrong with the input";

pub const UPGRADE_EXAMPLES: &str = "\
Examples:
  berth what-if upgrade general cluster.yaml --max-surge 1
  berth what-if upgrade pool=general cluster.yaml --max-unavailable 2 -o json

In each batch, as many new nodes come as --max-surge says, and so many nodes and those of --max-unavailable are cordoned,
drained and deleted; then the others' successors come.";

pub const SHRINK_EXAMPLES: &str = "\
Examples:
  berth what-if shrink cluster.yaml
  berth what-if shrink general cluster.yaml --prices prices.yaml

Nodes go one after the other, the least used first, as long as all of their Pods are placed again elsewhere.
A pool, or a label, before the files: only its nodes go. prices.yaml has a price by instance type, or by pool:
  m6i.xlarge: 0.214
  spot: 0.07";

#[derive(Debug, Args)]
pub struct UpgradeOptions {
    /// Whose nodes are replaced: a pool, or a label (LABEL=VALUE)
    #[arg(value_name = "POOL | LABEL=VALUE")]
    pub pool: String,

    #[command(flatten)]
    pub run: RunOptions,

    /// How many nodes may be missing at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub max_unavailable: usize,

    /// How many nodes may be there in addition
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub max_surge: usize,

    #[command(flatten)]
    pub orders: OrderOptions,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

#[derive(Debug, Args)]
pub struct ShrinkOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Prices of nodes: a YAML file with a price by instance type or by pool
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// Asks what an upgrade comes to.
///
/// # Errors
/// If there is no such pool, or no batch.
pub fn upgrade(session: &Session, options: &UpgradeOptions) -> Result<Rolling, EditError> {
    what_if::ask_upgrade_of(
        session,
        &options.pool,
        options.max_unavailable,
        options.max_surge,
        options.orders.orders,
    )
}

/// The pool or label before the files, and the prices.
pub fn of_shrink<'w>(
    options: &ShrinkOptions,
    words: &'w [String],
) -> Result<(Option<&'w str>, Option<Prices>), Stop> {
    if let [_, second, ..] = words {
        let second = Printable(second);
        return Err(format!("{second}: name one pool or label; the files come last").into());
    }
    let prices = options.prices.as_deref().map(prices).transpose()?;
    Ok((words.first().map(String::as_str), prices))
}

/// Reads prices.
fn prices(path: &Path) -> Result<Prices, Stop> {
    let file = input::read_file(path)?;
    let prices = what_if::prices(&file.text);
    prices.map_err(|why| format!("{}: {why}", Printable(&file.name)).into())
}
