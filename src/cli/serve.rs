//! `berth serve`: the page on this machine.

#[cfg(feature = "serve")]
pub mod cluster;
#[cfg(feature = "serve")]
mod files;
#[cfg(feature = "serve")]
mod server;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::Outcome;
#[cfg(not(feature = "serve"))]
use super::Stop;

pub const SERVE_EXAMPLES: &str = "\
Examples:
  berth serve
  berth serve --port 9000 berth-0.2.0     # an unpacked zip

Only this machine can open it. Links of `berth link` open there as well.

Exit status:
  2  there is no page to serve, or the port is taken";

#[derive(Debug, Args)]
#[cfg_attr(
    not(feature = "serve"),
    allow(dead_code, reason = "read by the server that was left out")
)]
pub struct ServeOptions {
    /// A folder made by `cargo xtask site`, or an unpacked berth-VERSION.zip; if none is given, the page that the
    /// command contains
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    folder: Option<PathBuf>,

    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "NUMBER", default_value_t = 8080)]
    port: u16,
}

/// Serves until interrupted.
#[cfg(feature = "serve")]
pub fn run(options: &ServeOptions, out: &mut dyn Write) -> Outcome {
    let files = files::Files::of(options.folder.as_deref())?;
    server::serve(&files, options.port, out)
}

/// Says how to get a command that serves.
#[cfg(not(feature = "serve"))]
pub fn run(_: &ServeOptions, _: &mut dyn Write) -> Outcome {
    Err(without_server())
}

/// Says how to get a command that serves.
#[cfg(not(feature = "serve"))]
pub fn without_server() -> Stop {
    Stop::Message(
        "this command was built without its server: in Berth's folder, run `cargo xtask site`, then \
         `cargo install --path . --features serve`; any other server can serve an unpacked berth-VERSION.zip, too"
            .to_owned(),
    )
}
