//! `berth why`: explains a Pod of the user's cluster.

use std::io::Write;

use clap::Args;

use super::Outcome;
use super::args::{AttemptOptions, ExplainOutput, RunOptions};
use super::explain;
use super::live::Context;
use super::release::ReleaseOptions;
use super::terminal::Terminal;

/// The command's examples.
pub const WHY_EXAMPLES: &str = "\
Examples:
  # Why is it pending? The same as a plugin of kubectl: kubectl berth why web-0
  berth why web-0
  berth why web-0 -n shop --context staging
  berth why shop/web-0 --node node-3

It lists what placement depends on with your kubectl and context, and changes nothing. Kinds that you may not
list, or that the server does not have, are named.

Exit status:
  0  explained
  2  kubectl fails, or there is no such Pod or node";

#[derive(Debug, Args)]
pub struct WhyOptions {
    /// The Pod: NAME, or NAMESPACE/NAME
    #[arg(value_name = "POD")]
    pub pod: String,

    /// Its namespace; that of the context by default
    #[arg(short, long, value_name = "NAME")]
    pub namespace: Option<String>,

    #[command(flatten)]
    pub live: Context,

    /// Show only this node, but in full
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,

    /// Output: text; json (the attempt as one object); markdown (sentence, matrix, sums, message, fixes)
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: ExplainOutput,

    #[command(flatten)]
    pub release: ReleaseOptions,
}

/// Runs the command.
pub fn run(options: &WhyOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let answer = options.live.ask(&mut |_| {})?;
    let pod = match (options.pod.contains('/'), &options.namespace) {
        (true, _) => options.pod.clone(),
        (false, Some(namespace)) => format!("{namespace}/{}", options.pod),
        (false, None) => format!("{}/{}", options.live.namespace()?, options.pod),
    };
    let run = RunOptions {
        release: options.release.clone(),
        ..RunOptions::of_files(Vec::new())
    };
    let asked = AttemptOptions {
        pod,
        node: options.node.clone(),
        attempt: None,
        output: options.output,
    };
    explain::told(&answer, &run, &asked, terminal, out)
}
