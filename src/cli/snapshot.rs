//! `berth snapshot`: a file with what placement depends on in the user's cluster, without what is private.

mod pseudonyms;
mod uids;

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use berth_session::{Printable, strip_status};
use clap::Args;
use lzma_rust2::{XzOptions, XzWriter};
use serde_json::{Map, Value};

use super::link::REDACTED;
use super::live::{Context, print_lacks};
use super::messages::Messages;
use super::{Outcome, Status, Stop};
use pseudonyms::Pseudonyms;
use uids::Uids;

/// The command's examples.
pub const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  # The same as a plugin of kubectl: kubectl berth snapshot
  berth snapshot > cluster.json
  berth snapshot --context staging --xz > staging.json.xz

  # For strangers: names, values of labels, images and addresses are renamed; keep key.json
  berth snapshot --pseudonyms key.json --xz > stranger.json.xz
  berth schedule cluster.json app.yaml --only app.yaml

It lists what placement depends on with your kubectl and context, and changes nothing. Secrets and
ConfigMaps are not asked for; environment variables, arguments, annotations that nothing reads and
what only identifies running containers are left out, and uids are numbered. Names stay, unless
there are --pseudonyms: these sort as the names do, so that every Pod gets the same place. Zones,
kinds of machines, keys of labels, drivers and resources stay.

Exit status:
  0  written
  2  kubectl fails";

/// Larger than most snapshots: equal templates are far apart.
const DICTIONARY: u32 = 16 << 20;

#[derive(Debug, Args)]
pub struct SnapshotOptions {
    #[command(flatten)]
    pub live: Context,

    /// Compress it (xz): all commands that read files read it. 60 nodes with 900 Pods are less than 40 KB
    #[arg(long)]
    pub xz: bool,

    /// Rename what names something, and write the key to this file, which must not exist
    #[arg(long, value_name = "KEY", value_hint = clap::ValueHint::FilePath)]
    pub pseudonyms: Option<PathBuf>,
}

/// Runs the command.
pub fn run(options: &SnapshotOptions, out: &mut dyn Write) -> Outcome {
    if options.xz && io::stdout().is_terminal() {
        return Err(
            "compressed data is nothing for a terminal: add > cluster.json.xz"
                .to_owned()
                .into(),
        );
    }
    let (mut uids, mut objects) = (Uids::default(), 0);
    let answer = options.live.ask(&mut |object| {
        strip_status(object);
        uids.number(object);
        objects += 1;
    })?;
    print_lacks(&answer.lacks)?;
    for file in &answer.files {
        let renamed = match &options.pseudonyms {
            Some(key) => Some(rename(&file.text, key)?),
            None => None,
        };
        let text = renamed.as_deref().unwrap_or(&file.text);
        match options.xz {
            true => compress(text.as_bytes(), out)?,
            false => out.write_all(text.as_bytes())?,
        }
    }
    out.flush()?;
    writeln!(Messages, "left out of {objects} objects: {REDACTED}")?;
    Ok(Status::Good)
}

/// The list under pseudonyms, one object a line. Writes the key.
fn rename(text: &str, key: &Path) -> Result<String, Stop> {
    let mut list: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let items = list.get_mut("items").and_then(Value::as_array_mut);
    let objects = items.ok_or_else(|| "the snapshot has no items".to_owned())?;
    let words: Map<String, Value> = Pseudonyms::rename(objects)
        .into_iter()
        .map(|(word, pseudonym)| (pseudonym, word.into()))
        .collect();
    write_key(key, &Value::Object(words))
        .map_err(|error| format!("{}: {error}", Printable(&key.to_string_lossy())))?;
    let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
    let lines = lines.join(",\n");
    Ok(format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{lines}\n]}}\n"
    ))
}

/// Writes a file that nobody else may read.
fn write_key(path: &Path, key: &Value) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    serde_json::to_writer_pretty(&mut file, key)?;
    writeln!(file)
}

fn compress(text: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut options = XzOptions::with_preset(6);
    let lzma = &mut options.lzma_options;
    lzma.dict_size = DICTIONARY;
    lzma.nice_len = 273;
    // Text: the letter before says more than the place in a word of four bytes.
    lzma.lc = 4;
    lzma.pb = 0;
    let mut writer = XzWriter::new(out, options)?;
    writer.write_all(text)?;
    writer.finish()?;
    Ok(())
}
