//! `berth what-if evict`.

use std::path::{Path, PathBuf};

use berth_session::Printable;
use berth_session::descheduler::Policy;
use clap::Args;

use super::{AnswerOptions, OrderOptions};
use crate::cli::args::RunOptions;
use crate::cli::{Stop, input};

pub const EVICT_EXAMPLES: &str = "\
Examples:
  berth what-if evict cluster.yaml --policy policy.yaml
  kubectl get configmap -n kube-system descheduler -o yaml > policy.yaml
  berth what-if evict cluster.yaml --policy policy.yaml -o markdown

The policy is a DeschedulerPolicy (descheduler/v1alpha2), or a ConfigMap with one as policy.yaml. LowNodeUtilization, by what
Pods request, and RemoveDuplicates are played, with DefaultEvictor, as in descheduler v0.36; other plugins are named and
left out.

Exit status:
  0  no more Pods wait than before, and none is lost; what budgets refuse stays
  1  some do, or are
  2  something is wrong with the input";

#[derive(Debug, Args)]
pub struct EvictOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// The descheduler's policy
    #[arg(long, value_name = "FILE")]
    pub policy: PathBuf,

    #[command(flatten)]
    pub orders: OrderOptions,

    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// Reads a policy.
pub fn policy(path: &Path) -> Result<Policy, Stop> {
    let file = input::read_file(path)?;
    let policy = Policy::read(&file.text);
    policy.map_err(|why| format!("{}: {why}", Printable(&file.name)).into())
}
