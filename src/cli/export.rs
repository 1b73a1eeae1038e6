//! `berth export`: files for tools that go on where Berth ends.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use berth_session::export::{File, kwok, manifests};
use berth_session::{Session, shell_word};
use clap::{Args, Subcommand};

use super::args::RunOptions;
use super::files::{self, Existing};
use super::messages::Messages;
use super::open::{self, Opened};
use super::terminal::Terminal;
use super::{Outcome, Status, Stop};

/// The command's examples.
pub const EXPORT_EXAMPLES: &str = "\
Examples:
  # A cluster with the real kube-scheduler, and nodes without machines
  berth export kwok out cluster.yaml app.yaml --config scheduler.yaml

  # What one applies to any cluster
  berth export manifests out cluster.yaml app.yaml

It prints the commands to run next. Existing files stay.

Exit status:
  0  written
  2  something is wrong with the input, or a file exists already; the valid part is written";

const KWOK_EXAMPLES: &str = "\
Examples:
  berth export kwok out cluster.yaml app.yaml
  berth export kwok out app.yaml nodes.yaml --kubernetes 1.35 --config scheduler.yaml

It writes what `kwokctl snapshot restore` takes (cluster.yaml), what is applied before (more.yaml), the
scheduler's configuration if there is one (scheduler.yaml), and a cluster of the same release
(kwok.yaml). Only Pods that had a node before the run have one; controllers make those of workloads.";

const MANIFESTS_EXAMPLES: &str = "\
Examples:
  {dump} > cluster.yaml
  berth export manifests out cluster.yaml

Of objects from a cluster it leaves out what their server set, and the objects that controllers make:
Pods of workloads, volumes that were provisioned, endpoints. Nodes and what else kubelets and drivers
report are in a file of their own, nodes.yaml. What was written by hand stays as it is.";

/// What is said of a Pod, and of Pods, that have ended.
const ENDED: [&str; 2] = [
    "Pod that has ended is left out",
    "Pods that have ended are left out",
];

/// What to say of files that exist.
const EXISTING: Existing = Existing::Refused("name another folder, or remove it");

#[derive(Debug, Args)]
pub struct ExportOptions {
    #[command(subcommand)]
    pub format: ExportFormat,
}

#[derive(Debug, Subcommand)]
pub enum ExportFormat {
    /// A cluster for KWOK
    #[command(after_help = KWOK_EXAMPLES)]
    Kwok(IntoFolder),
    /// Manifests to apply to any cluster
    #[command(after_help = super::args::with_commands(MANIFESTS_EXAMPLES))]
    Manifests(IntoFolder),
}

#[derive(Debug, Args)]
pub struct IntoFolder {
    /// The folder to write to
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub folder: PathBuf,

    #[command(flatten)]
    pub run: RunOptions,
}

/// What is exported.
struct Exported {
    files: Vec<File>,
    /// The commands to run next, in the folder: the file that each needs, if it may be missing.
    next: Vec<(Option<&'static str>, String)>,
    /// What the files lack: a number, and what is said of one and of several.
    lacks: Vec<(usize, &'static str, &'static str)>,
}

/// Runs the command.
pub fn run(options: &ExportOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let (into, export): (_, fn(&Session) -> Exported) = match &options.format {
        ExportFormat::Kwok(into) => (into, kwok),
        ExportFormat::Manifests(into) => (into, manifests),
    };
    let Opened { session, taken } = open::open(&into.run, terminal)?;
    if !taken {
        return Ok(Status::BadInput);
    }
    let exported = export(&session);
    write(&into.folder, &exported.files, out)?;
    print_next(&into.folder, &exported, out)?;
    print_lacks(&exported.lacks)?;
    Ok(open::status(&session, Status::Good))
}

fn kwok(session: &Session) -> Exported {
    let written = kwok::export(session);
    let kwokctl = |rest: String| format!("kwokctl --name berth {rest}");
    let next = [
        (
            None,
            format!("create cluster --config {}", kwok::CONFIGURATION),
        ),
        (
            Some(kwok::APPLIED),
            format!("kubectl apply --server-side -f {}", kwok::APPLIED),
        ),
        (
            Some(kwok::RESTORED),
            format!("snapshot restore --format k8s --path {}", kwok::RESTORED),
        ),
        (None, "kubectl get pods -A -o wide".to_owned()),
    ];
    Exported {
        files: written.files,
        next: next
            .map(|(needs, rest)| (needs, kwokctl(rest)))
            .into_iter()
            .collect(),
        lacks: vec![
            (written.ended, ENDED[0], ENDED[1]),
            (
                written.orphans,
                "object is without its owner, which the files lack",
                "objects are without their owners, which the files lack",
            ),
            (
                written.allocated,
                "ResourceClaim is allocated again: no server takes an allocation from a manifest",
                "ResourceClaims are allocated again: no server takes an allocation from a manifest",
            ),
        ],
    }
}

fn manifests(session: &Session) -> Exported {
    let written = manifests::export(session);
    let apply = |file: &str| format!("kubectl apply --server-side -f {file}");
    let of_nodes = apply(manifests::NODES);
    let of_nodes = format!("{of_nodes}   # only where no kubelets report nodes, as in kwok");
    Exported {
        files: written.files,
        next: vec![
            (Some(manifests::NODES), of_nodes),
            (Some(manifests::MANIFESTS), apply(manifests::MANIFESTS)),
        ],
        lacks: vec![
            (
                written.made,
                "object that controllers make is left out",
                "objects that controllers make are left out",
            ),
            (written.ended, ENDED[0], ENDED[1]),
        ],
    }
}

fn write(folder: &Path, files: &[(String, String)], out: &mut dyn Write) -> Result<(), Stop> {
    let named = files
        .iter()
        .map(|(name, text)| (name.clone(), text.as_str()));
    files::write(folder, named, EXISTING, out)
}

/// The folder as `cd` takes it.
fn folder_word(folder: &Path) -> String {
    let word = shell_word(&folder.to_string_lossy());
    match word.starts_with('-') {
        true => format!("./{word}"),
        false => word,
    }
}

fn print_next(folder: &Path, exported: &Exported, out: &mut dyn Write) -> io::Result<()> {
    let has = |needed: &str| exported.files.iter().any(|(file, _)| file == needed);
    writeln!(out, "\nNext:")?;
    writeln!(out, "  cd {}", folder_word(folder))?;
    for (needs, command) in &exported.next {
        if needs.is_none_or(has) {
            writeln!(out, "  {command}")?;
        }
    }
    out.flush()
}

fn print_lacks(lacks: &[(usize, &str, &str)]) -> io::Result<()> {
    let mut err = Messages;
    for (count, one, several) in lacks {
        match count {
            0 => {}
            1 => writeln!(err, "1 {one}")?,
            count => writeln!(err, "{count} {several}")?,
        }
    }
    Ok(())
}
