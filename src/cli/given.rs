//! Files that a command reads in place of those on disk. `berth mcp` reads the files of its folders and hands them to the
//! command that it runs, which then can read nothing else.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use berth_session::SourceFile;

/// Texts by the name under which the command line has them.
pub type Files = BTreeMap<String, String>;

static GIVEN: OnceLock<Files> = OnceLock::new();

/// Hands files to the command, once for the whole process.
#[cfg(feature = "mcp")]
pub fn give(files: Files) {
    // There is one command a process.
    let _ = GIVEN.set(files);
}

/// Whether the command reads given files only.
pub fn are_given() -> bool {
    GIVEN.get().is_some()
}

/// Whether there is a file or folder of this name.
pub fn exists(path: &Path) -> bool {
    match GIVEN.get() {
        Some(files) => path.to_str().is_some_and(|name| files.contains_key(name)),
        None => path.exists(),
    }
}

/// Whether there is a folder of this name. Given files are in none.
pub fn is_folder(path: &Path) -> bool {
    !are_given() && path.is_dir()
}

/// A given file; `None` if the disk is read.
///
/// # Errors
/// If files are given, and this is none of them.
pub fn file(name: &str) -> Option<Result<SourceFile, &'static str>> {
    let files = GIVEN.get()?;
    let text = files.get(name).ok_or("no such file");
    Some(text.map(|text| SourceFile::new(name, text.as_str())))
}
