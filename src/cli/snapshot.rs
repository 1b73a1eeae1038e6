//! `berth snapshot`: a file with what placement depends on in the user's cluster, without what is private.

use std::io::{self, Write};

use berth_session::redact;
use clap::Args;

use super::link::REDACTED;
use super::live::{Context, print_lacks};
use super::{Outcome, Status};

/// The command's examples.
pub const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  # The same as a plugin of kubectl: kubectl berth snapshot
  berth snapshot > cluster.yaml
  berth snapshot --context staging > staging.yaml
  berth schedule cluster.yaml app.yaml --only app.yaml

It lists what placement depends on with your kubectl and context, and changes nothing. Secrets and ConfigMaps are
not asked for; environment variables, arguments, and annotations that nothing reads are left out.

Exit status:
  0  written
  2  kubectl fails";

#[derive(Debug, Args)]
pub struct SnapshotOptions {
    #[command(flatten)]
    pub live: Context,
}

/// Runs the command.
pub fn run(options: &SnapshotOptions, out: &mut dyn Write) -> Outcome {
    let answer = options.live.ask(&mut |_| {})?;
    print_lacks(&answer.lacks)?;
    let mut objects = 0;
    for (number, file) in answer.files.iter().enumerate() {
        if number > 0 {
            writeln!(out, "---")?;
        }
        match redact(&file.text) {
            Some(redacted) => {
                objects += redacted.objects;
                out.write_all(redacted.text.as_bytes())?;
            }
            None => out.write_all(file.text.as_bytes())?,
        }
    }
    out.flush()?;
    if objects > 0 {
        writeln!(io::stderr(), "left out of {objects} objects: {REDACTED}")?;
    }
    Ok(Status::Good)
}
