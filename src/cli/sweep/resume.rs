//! The file of a sweep that goes on where it was interrupted.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use berth_session::Printable;
use serde::Deserialize;

use crate::cli::Stop;

/// The rows that a file has.
#[derive(Default)]
pub struct Rows {
    pub numbers: BTreeSet<usize>,
    /// Number of those with an error.
    pub errors: usize,
}

/// What is read of a row.
#[derive(Deserialize)]
struct Known {
    sweep: String,
    row: usize,
    #[serde(default)]
    error: Option<String>,
}

/// Opens the file to write more rows to; the beginning of a row at its end is cut off.
///
/// # Errors
/// If it cannot be read or written, or is of another plan.
pub fn open(path: &Path, digest: &str) -> Result<(Rows, File), Stop> {
    let name = path.to_string_lossy();
    let failed = |why: String| Stop::from(format!("{}: {why}", Printable(&name)));
    let io_failed = |error: std::io::Error| failed(error.to_string());
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false);
    let mut file = file.open(path).map_err(io_failed)?;
    let mut rows = Rows::default();
    let mut reader = BufReader::new(&file);
    let mut end = 0;
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let length = reader.read_line(&mut line).map_err(io_failed)?;
        if !line.ends_with('\n') {
            break;
        }
        let known: Known = serde_json::from_str(&line)
            .map_err(|_| failed(format!("line {number} is not a row of a sweep")))?;
        if known.sweep != digest {
            let message = "it has rows of another plan, or of other files or another version; name a new file";
            return Err(failed(message.to_owned()));
        }
        rows.errors += usize::from(known.error.is_some());
        rows.numbers.insert(known.row);
        end += length as u64;
    }
    file.set_len(end).map_err(io_failed)?;
    file.seek(SeekFrom::End(0)).map_err(io_failed)?;
    Ok((rows, file))
}
