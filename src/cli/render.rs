//! `berth render`: draws the stage at a moment of the run as SVG.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::RunOptions;
use super::moment;
use super::open::{drive, open, status};
use super::terminal::Terminal;
use super::{Outcome, Status, Stop};
use crate::export::svg::{Theme, stage};
use berth_session::Printable;

pub const RENDER_EXAMPLES: &str = "\
Examples:
  # The end of the run
  berth render nodes.yaml app.yaml > stage.svg

  # After seven entries of the log, for a dark page, racks side by side
  berth render lesson.yaml --at 7 --theme dark --group-by example.com/rack -o stage.svg

Exit status:
  0  the picture is drawn
  2  something is wrong with the input, or the picture cannot be written";

/// Options of `berth render`.
#[derive(Debug, Args)]
pub struct RenderOptions {
    #[command(flatten)]
    pub run: RunOptions,

    /// The moment to draw: after this many entries of the log; the end by default
    #[arg(long, value_name = "NUMBER")]
    pub at: Option<usize>,

    /// The colors
    #[arg(long, value_name = "THEME", default_value = "light")]
    pub theme: ThemeChoice,

    /// The node label whose values group the nodes; the zone if not given, or the rack, region … of nodes without zones
    #[arg(long, value_name = "KEY")]
    pub group_by: Option<String>,

    /// The file to write; standard output if not given
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeChoice {
    Light,
    Dark,
}

/// Runs the command.
pub fn run(options: &RenderOptions, terminal: &Terminal, out: &mut dyn Write) -> Outcome {
    let opened = open(&options.run, terminal)?;
    if !opened.taken {
        return Ok(Status::BadInput);
    }
    let mut session = opened.session;
    match options.at {
        None => drive(&mut session, |session| Ok(session.step()))?,
        Some(at) => {
            session.advance(at);
            if session.position() < at {
                return Err(Stop::Message(format!(
                    "--at {at}: the run ends after {} entries",
                    session.position()
                )));
            }
        }
    }
    let theme = match options.theme {
        ThemeChoice::Light => Theme::Light,
        ThemeChoice::Dark => Theme::Dark,
    };
    let picture = stage(
        &moment::latest(&session, options.group_by.as_deref()).moment(),
        theme,
    );
    write(&picture, options.output.as_deref(), out)?;
    Ok(status(&session, Status::Good))
}

/// Writes a text to a file; to standard output if there is none.
pub fn write(text: &str, file: Option<&Path>, out: &mut dyn Write) -> Result<(), Stop> {
    match file {
        None => out.write_all(text.as_bytes())?,
        Some(file) => std::fs::write(file, text).map_err(|error| {
            let file = file.to_string_lossy();
            Stop::Message(format!("{}: {error}", Printable(&file)))
        })?,
    }
    Ok(())
}
