//! The command line: commands, options, and their help.

use std::path::PathBuf;
use std::sync::LazyLock;

use berth_session::{Options, Version, device_dump_command, dump_command};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::compare::{COMPARE_EXAMPLES, CompareOptions};
use super::diff::{DIFF_EXAMPLES, DiffOptions};
use super::docs::{DOCS_EXAMPLES, DocsOptions};
use super::export::{EXPORT_EXAMPLES, ExportOptions};
use super::handout::{HANDOUT_EXAMPLES, HandoutOptions};
use super::input::Depth;
use super::language;
use super::link::{LINK_EXAMPLES, LinkOptions, OPEN_EXAMPLES, OpenOptions};
use super::live::LiveOptions;
#[cfg(feature = "mcp")]
use super::mcp::{MCP_EXAMPLES, McpOptions};
use super::mdbook::{MDBOOK_EXAMPLES, MdbookOptions};
use super::reduce::{REDUCE_EXAMPLES, ReduceOptions};
use super::release::ReleaseOptions;
use super::render::{RENDER_EXAMPLES, RenderOptions};
use super::serve::{SERVE_EXAMPLES, ServeOptions};
use super::snapshot::{SNAPSHOT_EXAMPLES, SnapshotOptions};
use super::sweep::{SWEEP_EXAMPLES, SweepOptions};
use super::verify::{VERIFY_EXAMPLES, VerifyOptions};
use super::what_if::{WHAT_IF_EXAMPLES, WhatIfOptions};
use super::why::{WHY_EXAMPLES, WhyOptions};
use crate::words::language::Language;

/// The releases that are followed: `v1.34.1, v1.35.6 or v1.36.3`.
fn releases(conjunction: &str) -> String {
    let [others @ .., last] = Version::ALL.map(Version::full);
    format!("{} {conjunction} {last}", others.join(", "))
}

fn about() -> String {
    let releases = releases("or");
    format!("Shows where kube-scheduler ({releases}) would put every Pod, and why")
}

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let releases = releases("and");
    format!(
        "{} (follows Kubernetes {releases})",
        env!("CARGO_PKG_VERSION")
    )
});

const EXAMPLES: &str = "\
Examples:
  berth schedule nodes.yaml app.yaml
  berth schedule cluster.yaml app.yaml
  berth explain nodes.yaml app.yaml --pod shop/web-0
  berth replay life.yaml
  berth check app.yaml";

const SCHEDULE_EXAMPLES: &str = "\
Examples:
  # Where does everything go?
  berth schedule nodes.yaml app.yaml

  # Would this fit into the cluster as it is?
  {dump} > cluster.yaml
  berth schedule cluster.yaml app.yaml

  # The same with devices (DRA): kubectl refuses a whole list if the server lacks one of its types
  {devices} > devices.yaml
  berth schedule cluster.yaml devices.yaml app.yaml

  # A folder's *.yaml, *.yml and *.json, with another scheduler configuration
  berth schedule manifests/ --config scheduler.yaml -o wide

  # The same manifests with every Pod on its node
  berth schedule app.yaml -o yaml > placed.yaml

  # A test: are all expectations of the file's Scenario met?
  berth schedule lesson.yaml --expect

Exit status:
  0  every Pod has a node; with --expect: every expectation is met
  1  some have none (pending, gated, or of another scheduler); with --expect: one is not met
  2  something is wrong with the input; the valid part is scheduled";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  # Why is it pending? Or: why is it on that node?
  berth explain nodes.yaml app.yaml --pod web-0

  # One node in full, including plugins that let the Pod pass
  berth explain nodes.yaml app.yaml --pod shop/web-0 --node node-3

  # Its first attempt, before preemption made room
  berth explain nodes.yaml app.yaml --pod web-0 --attempt 1 -o json

Exit status:
  0  explained
  2  something is wrong with the input, or there is no such Pod, node or attempt";

const REPLAY_EXAMPLES: &str = "\
Examples:
  # How do workloads change, and which event wakes which Pod?
  berth replay life.yaml

  # The scheduler alone, as JSON, comparable with recordings of the real queue
  berth replay life.yaml --no-controllers --tie-break first -o events

  # A rollout as JSON, comparable with recordings of the real controllers
  berth replay rollout.yaml -o timeline

A Script is one more document of the file:
  apiVersion: conformance/v1
  kind: Script
  until: 400                       # seconds
  steps:
  - at: 5.5
    delete: [{kind: Pod, name: web-0}]
  - at: 7                          # or create: and update:, with whole manifests
    create: [{apiVersion: v1, kind: Node, metadata: {name: spare}}]

A step can also be one operation on a workload, Pod or node:
  kubelet: {readyAfter: 5, graceSeconds: 2}
  steps:
  - {at: 20, setImage: {name: web, image: 'app:v2'}}
  - {at: 30, scale: {name: web, replicas: 9}}

Exit status:
  0  played to its end
  2  something is wrong with the input; an invalid script is not played";

const CHECK_EXAMPLES: &str = "\
Examples:
  berth check app.yaml
  berth check -R manifests/ -o json
  helm template web ./chart | berth check -
  vim -q <(berth check app.yaml)

Exit status:
  0  no errors (there may be warnings)
  2  at least one error: the API server or the scheduler would refuse something";

const TEST_EXAMPLES: &str = "\
Examples:
  # The expectations of a Scenario, with the manifests beside it
  berth test cluster.json.xz app.yaml expectations.yaml
  berth test scenarios/                    # every Scenario of a folder by itself

  berth test lessons/05-node-selector.yaml
  berth test lessons/                      # every lesson of a folder, with its translations
  berth test lessons/05-node-selector.yaml --verbose
  berth test case.yaml

Each file with a Scenario is a test; files without one are read before each of them. `berth
schedule --expect` is the same for one Scenario and one seed. A lesson, which has a solution, and a
case, which has a claim, are played by themselves.

The four rules of lessons: the start does not meet all goals; the solution meets them; each wrong
answer does not, and shows its own feedback; every lock refuses a change with a message. A lesson
is a manifest file whose first document is a Scenario with a solution; NAME.LANGUAGE.yaml beside
it are its translations. Of a case, the claim holds, and after the edits of its counterfactual the
Pod lands.

Exit status:
  0  every test passes
  1  one does not
  2  a file cannot be read, or no file has expectations";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  berth completions bash > ~/.local/share/bash-completion/completions/berth
  berth completions zsh > \"${fpath[1]}/_berth\"
  berth completions fish > ~/.config/fish/completions/berth.fish";

const RUN_EXAMPLES: &str = "\
Examples:
  # Play the commands of a lesson on a cluster, and check what they print
  berth run lesson.sh cluster.yaml

A script is lines as one types them into bash: kubectl and the small tools around it (grep, awk,
for, here-documents …). Time is virtual: sleep and kubectl wait take none. Commands find the files
in the folder of the script and below it. Expected output follows the command:
  kubectl get nodes -o name
  #= node/n1                  exactly these lines
  #= node/n2
  kubectl describe pod web
  #~ …FailedScheduling…       a line like this is among them; … is any text
  kubectl delete node n9
  #! 1                        it ends with this exit code

Exit status:
  0  every command succeeded (or failed as expected) and printed the expected output
  1  one printed something else
  2  something is wrong with the input
  otherwise that of the first command that failed; after `set +e` no failure ends the script";

const KUBECTL_EXAMPLES: &str = "\
Examples:
  berth kubectl --on cluster.yaml get pods -o wide
  berth kubectl --on cluster.yaml --on app.yaml describe pod web-0
  berth kubectl --on cluster.yaml drain n1 --ignore-daemonsets
  berth kubectl --on cluster.yaml edit node n1      # in $EDITOR

Nothing is written back: `-o yaml` prints the objects after the command, and `berth run` plays
several commands in a row. Files named by -f are read from disk.

Exit status: as kubectl's";

/// Examples with the commands that print a cluster.
pub fn with_commands(examples: &str) -> String {
    let examples = examples.replace("{dump}", &dump_command());
    examples.replace("{devices}", &device_dump_command())
}

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "berth", version = VERSION.as_str(), about = about(), after_help = EXAMPLES)]
#[command(max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,

    /// Whether to use color (auto: on a terminal, unless NO_COLOR is set)
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    #[arg(long, alias = "language", global = true, value_name = "LANGUAGE", value_parser = language::parse, help = language::help())]
    pub lang: Option<Language>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Place all pending Pods and print where they go
    #[command(after_help = with_commands(SCHEDULE_EXAMPLES))]
    Schedule(ScheduleOptions),
    /// Explain one scheduling attempt of a Pod: every node, every plugin, every number
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainOptions),
    /// Explain a Pod of your cluster, with your kubectl and context: why it waits, or why it is where it is
    #[command(after_help = WHY_EXAMPLES)]
    Why(WhyOptions),
    /// Write what placement depends on in your cluster, without what is private
    #[command(after_help = SNAPSHOT_EXAMPLES)]
    Snapshot(SnapshotOptions),
    /// Write the smallest case that still shows why a Pod waits, under names of its own
    #[command(after_help = REDUCE_EXAMPLES)]
    Reduce(ReduceOptions),
    /// Play the Script of a scenario on a virtual clock: the life of the scheduling queue
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayOptions),
    /// Play a script of kubectl commands on a virtual cluster, and check what they print
    #[command(after_help = RUN_EXAMPLES)]
    Run(PlayOptions),
    /// Run one kubectl command on a virtual cluster
    #[command(after_help = KUBECTL_EXAMPLES)]
    Kubectl(KubectlOptions),
    /// Run twice with different settings and print what differs
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareOptions),
    /// Print what a change of manifests moves: those before against those after
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(DiffOptions),
    /// Answer what a loss of nodes, new nodes, more replicas or a new placement would come to
    #[command(after_help = with_commands(WHAT_IF_EXAMPLES))]
    WhatIf(WhatIfOptions),
    /// Run scenarios, configurations, releases, seeds and commands against each other, one JSON line each
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(SweepOptions),
    /// Print a link that opens the manifests in the page
    #[command(after_help = with_commands(LINK_EXAMPLES))]
    Link(LinkOptions),
    /// Write the files of a link
    #[command(after_help = OPEN_EXAMPLES)]
    Open(OpenOptions),
    /// Write files for KWOK, or manifests for any cluster
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportOptions),
    /// Serve the page on this machine
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeOptions),
    /// Draw the stage at a moment of the run as SVG
    #[command(after_help = RENDER_EXAMPLES)]
    Render(RenderOptions),
    /// Write lessons on paper: an A4 page each, as an HTML document to print
    #[command(after_help = HANDOUT_EXAMPLES)]
    Handout(HandoutOptions),
    /// Check the YAML blocks of documentation: what cannot be read, what waits, and what they expect
    #[command(after_help = DOCS_EXAMPLES)]
    Docs(DocsOptions),
    /// Offer the commands to agents, as tools of the Model Context Protocol
    #[cfg(feature = "mcp")]
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(McpOptions),
    /// Answer one call of `berth mcp`
    #[cfg(feature = "mcp")]
    #[command(hide = true)]
    McpCall,
    /// Make the YAML blocks of an mdBook live (a preprocessor)
    #[command(after_help = MDBOOK_EXAMPLES)]
    Mdbook(MdbookOptions),
    /// Print only what is wrong with the manifests, as file:line:column
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckOptions),
    /// Check the expectations of scenarios, lessons by their four rules, and cases by their claims
    #[command(after_help = TEST_EXAMPLES)]
    Test(TestOptions),
    /// Compare a case with what a real cluster said about it: Pods, events, and the scheduler's log
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyOptions),
    /// Print the completion script of a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions { shell: Shell },
    /// Print the notices and licenses of the code in this command that others wrote
    Licenses,
    /// Measure how fast this machine schedules (`cargo xtask bench`)
    #[command(hide = true)]
    Bench { words: Vec<String> },
}

/// What to read, and how to run it.
#[derive(Clone, Debug, Args)]
pub struct RunOptions {
    /// Manifests in YAML or JSON: files, folders (their *.yaml, *.yml, *.json by name), or - for
    /// standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub live: LiveOptions,

    /// Read the folders in folders, too (but hidden ones)
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// List everything that was inferred
    #[arg(short, long)]
    pub verbose: bool,

    /// Which of several best nodes to take: the first by name, or one at random as kube-scheduler
    /// does
    #[arg(long, value_name = "HOW", default_value = "random")]
    pub tie_break: TieBreakChoice,

    /// Seed of the random tie break; equal seeds give equal placements
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    /// A KubeSchedulerConfiguration that replaces the one among the files
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub config: Option<PathBuf>,

    /// Do not create the Pods of Deployments and other workloads; in a replay, run the scheduler alone
    #[arg(long)]
    pub no_controllers: bool,

    #[command(flatten)]
    pub release: ReleaseOptions,
}

impl RunOptions {
    /// The defaults for some files.
    pub fn of_files(files: Vec<PathBuf>) -> Self {
        RunOptions {
            files,
            live: LiveOptions::default(),
            recursive: false,
            verbose: false,
            tie_break: TieBreakChoice::Random,
            seed: Options::default().seed,
            config: None,
            no_controllers: false,
            release: ReleaseOptions::default(),
        }
    }

    /// How deep folders are read.
    pub fn depth(&self) -> Depth {
        Depth::of(self.recursive)
    }

    /// The options of a session that only schedules.
    pub fn session_options(&self) -> Options {
        Options {
            release: self.release.choice(),
            first_on_ties: self.tie_break == TieBreakChoice::First,
            seed: self.seed,
            expand_workloads: !self.no_controllers,
            ..Options::default()
        }
    }
}

#[derive(Debug, Args)]
pub struct ScheduleOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Output: table; wide (priority, requests, score, owner too); json (a List of Pods); yaml
    /// (the manifests, every Pod placed); trace (every attempt in full, JSON); github, junit, sarif
    /// or markdown (what CI systems read: problems, and Pods or expectations)
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: ScheduleOutput,

    /// Check the final state against the files' expectations, and print those that are not met
    #[arg(long)]
    pub expect: bool,

    /// Only Pods that come from these of the files or folders decide the exit status (may be given several times)
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath, conflicts_with = "expect")]
    pub only: Vec<PathBuf>,

    /// Show the namespace of each Pod, even if all are in the same one
    #[arg(short = 'A', long)]
    pub all_namespaces: bool,
}

#[derive(Debug, Args)]
pub struct ExplainOptions {
    #[command(flatten)]
    pub run: RunOptions,

    #[command(flatten)]
    pub asked: AttemptOptions,
}

/// Which attempt to explain, and how.
#[derive(Debug, Args)]
pub struct AttemptOptions {
    /// The Pod: NAMESPACE/NAME, or NAME in namespace default
    #[arg(long, value_name = "POD")]
    pub pod: String,

    /// Show only this node, but in full
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,

    /// Which attempt of this Pod, from 1; the last one by default
    #[arg(long, value_name = "NUMBER")]
    pub attempt: Option<usize>,

    /// Output: text; json (the attempt as one object); markdown (sentence, matrix, sums, message, fixes)
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: ExplainOutput,
}

#[derive(Debug, Args)]
pub struct ReplayOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// Output: text (what happened, and why each Pod was moved); events (JSON, as kube-scheduler's queue
    /// was recorded); timeline (JSON, as the workload controllers were recorded: no scheduler, Pods take
    /// the fitting nodes in turn)
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: ReplayOutput,
}

#[derive(Debug, Args)]
pub struct PlayOptions {
    /// The script; - for standard input
    #[arg(value_name = "SCRIPT", value_hint = clap::ValueHint::FilePath)]
    pub script: PathBuf,

    /// Manifests of the cluster: files and folders
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub cluster: ClusterOptions,

    /// Print only differences from the expected output
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct TestOptions {
    /// Scenarios, lessons, and manifests that scenarios share: files and folders
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// How many seeds to break ties with: a test must pass with each
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub seeds: u64,

    /// Show the goals at the start and after each step of the solution, and what its commands print
    #[arg(short, long)]
    pub verbose: bool,

    /// Output: text; json (an array of problems); github, junit, sarif or markdown (what CI systems read)
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: ProblemOutput,
}

#[derive(Debug, Args)]
pub struct KubectlOptions {
    /// Manifests of the cluster: a file or folder; may be given several times
    #[arg(long = "on", value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub on: Vec<PathBuf>,

    #[command(flatten)]
    pub cluster: ClusterOptions,

    /// Let the cluster settle first, for at most this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub after: i64,

    /// The arguments of `kubectl`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub words: Vec<String>,
}

/// How the cluster behaves.
#[derive(Debug, Args)]
pub struct ClusterOptions {
    /// List everything that was inferred
    #[arg(short, long)]
    pub verbose: bool,

    /// Which of several best nodes to take: the first by name, or one at random as kube-scheduler
    /// does
    #[arg(long, value_name = "HOW", default_value = "random")]
    pub tie_break: TieBreakChoice,

    /// Seed of all random choices; equal seeds give equal runs
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,

    /// A KubeSchedulerConfiguration that replaces the one among the files
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub release: ReleaseOptions,
}

#[derive(Debug, Args)]
pub struct CheckOptions {
    /// Manifests in YAML or JSON: files, folders (their *.yaml, *.yml, *.json by name), or - for
    /// standard input
    #[arg(required = true, value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// Read the folders in folders, too (but hidden ones)
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// List everything that was inferred
    #[arg(short, long)]
    pub verbose: bool,

    /// Output: text (one problem a line); json (an array); github, junit, sarif or markdown (what CI
    /// systems read)
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: ProblemOutput,

    #[command(flatten)]
    pub release: ReleaseOptions,
}

/// How problems are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProblemOutput {
    Text,
    Json,
    Github,
    Junit,
    Sarif,
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScheduleOutput {
    Table,
    Wide,
    Json,
    Yaml,
    Trace,
    Github,
    Junit,
    Sarif,
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayOutput {
    Text,
    Events,
    Timeline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplainOutput {
    Text,
    Json,
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TieBreakChoice {
    First,
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}
