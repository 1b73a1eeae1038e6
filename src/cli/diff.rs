//! `berth diff`: what a change of files moves.

use std::io::Write;
use std::path::{Path, PathBuf};

use berth_protocol::compare::Side;
use berth_session::SourceFile;
use clap::{Args, ValueEnum};

use super::args::RunOptions;
use super::compare::{About, CompareOutput, Output, open_side, told};
use super::findings::Format;
use super::terminal::Terminal;
use super::{Outcome, Status, Stop};
use super::{input, live};

pub const DIFF_EXAMPLES: &str = "\
Examples:
  # What does this pull request move in the cluster? (git worktree add base main)
  berth diff base/manifests manifests cluster.json.xz
  berth diff base.yaml head.yaml cluster.json.xz -o markdown >> \"$GITHUB_STEP_SUMMARY\"

  # The same in your cluster as it is now (as a plugin of kubectl, without --live)
  berth diff base.yaml head.yaml --live

The files after HEAD are part of both sides. Pods that exist keep their places on both.

Exit status:
  0  nothing differs
  1  something does
  2  something is wrong with the input";

#[derive(Debug, Args)]
pub struct DiffOptions {
    /// The manifests before the change: a file or a folder
    #[arg(value_name = "BASE", value_hint = clap::ValueHint::AnyPath)]
    pub base: PathBuf,

    /// The manifests with the change
    #[arg(value_name = "HEAD", value_hint = clap::ValueHint::AnyPath)]
    pub head: PathBuf,

    #[command(flatten)]
    pub run: RunOptions,

    /// The node label whose domains count for the widest skew
    #[arg(long, value_name = "LABEL")]
    pub topology: Option<String>,

    /// Output: table; json (as of `compare`); markdown; github, junit or sarif (what CI systems read: the problems of
    /// HEAD, and the Pods that differ)
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    pub output: DiffOutput,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffOutput {
    Table,
    Json,
    Markdown,
    Github,
    Junit,
    Sarif,
}

impl DiffOutput {
    fn output(self) -> Output {
        match self {
            Self::Table => Output::Comparison(CompareOutput::Table),
            Self::Json => Output::Comparison(CompareOutput::Json),
            Self::Markdown => Output::Comparison(CompareOutput::Markdown),
            Self::Github => Output::Findings(Format::Github),
            Self::Junit => Output::Findings(Format::Junit),
            Self::Sarif => Output::Findings(Format::Sarif),
        }
    }
}

/// Runs the command.
pub fn run(options: &DiffOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let run = &options.run;
    let live::Answer { files, lacks } = match run.files.is_empty() && !run.live.is_asked() {
        true => live::Answer::default(),
        false => live::manifests(run)?,
    };
    live::print_lacks(&lacks)?;
    let config = run.config.as_deref().map(input::read_file).transpose()?;
    let side = Side {
        config: config.map(|file| (file.name, file.text.to_string())),
        ..Side::default()
    };
    let common = run.session_options();
    let open = |path: &Path| {
        let files = with(&files, path, run)?;
        open_side(&side, &common, &files, run.verbose, terminal)
    };
    let (Some(base), Some(head)) = (open(&options.base)?, open(&options.head)?) else {
        return Ok(Status::BadInput);
    };
    let default = berth_protocol::compare::Pairing::default();
    let topology = options.topology.as_deref();
    let about = About {
        names: [&options.base, &options.head].map(|path| path.display().to_string()),
        topology: topology.unwrap_or(default.topology()).to_owned(),
        loses_nodes: false,
    };
    told([base, head], about, options.output.output(), terminal, out)
}

/// What both sides share, and the files of one.
fn with(shared: &[SourceFile], path: &Path, run: &RunOptions) -> Result<Vec<SourceFile>, Stop> {
    let own = input::read_objects(&[path.to_path_buf()], run.depth())?;
    Ok(shared.iter().cloned().chain(own).collect())
}
