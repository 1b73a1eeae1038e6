//! Writes files into a folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use berth_session::Printable;

use super::Stop;

/// What becomes of files that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Nothing is written if one of them exists; the text says what to do.
    Refused(&'static str),
    Overwritten,
}

/// Writes files, and prints their paths. `files` are paths below the folder, with texts.
///
/// # Errors
/// If two names differ only in case, a file exists, or one cannot be written.
pub fn write<'t>(
    folder: &Path,
    files: impl IntoIterator<Item = (String, &'t str)>,
    existing: Existing,
    out: &mut dyn Write,
) -> Result<(), Stop> {
    let files = files
        .into_iter()
        .map(|(name, text)| (folder.join(name), text));
    let files: Vec<(PathBuf, &str)> = files.collect();
    if let Some([one, other]) = equal_but_for_case(files.iter().map(|(path, _)| path)) {
        let [one, other] = [one, other].map(|path| path.to_string_lossy());
        return Err(Stop::Message(format!(
            "{} and {} differ only in upper and lower case: some file systems would write one over the other",
            Printable(&one),
            Printable(&other)
        )));
    }
    if let Existing::Refused(help) = existing
        && let Some((there, _)) = files.iter().find(|(path, _)| path.exists())
    {
        return Err(Stop::Message(format!(
            "{}: exists already; {help}",
            Printable(&there.to_string_lossy())
        )));
    }
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for (path, text) in &files {
        // Another program may have made it since.
        let file = match existing {
            Existing::Refused(_) => File::create_new(path),
            Existing::Overwritten => File::create(path),
        };
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| failed(path, &error))?;
        writeln!(out, "{}", Printable(&path.to_string_lossy()))?;
    }
    Ok(())
}

/// Two paths that some file systems take for one.
fn equal_but_for_case<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Option<[&'p PathBuf; 2]> {
    let mut seen = BTreeMap::new();
    let mut paths = paths;
    paths.find_map(|path| {
        let folded = path.to_string_lossy().to_lowercase();
        seen.insert(folded, path).map(|before| [before, path])
    })
}

fn failed(path: &Path, error: &io::Error) -> Stop {
    Stop::Message(format!("{}: {error}", Printable(&path.to_string_lossy())))
}
