//! Files that a command reads in place of those on disk. A program that calls a command hands them over, and the command
//! can read nothing else.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use berth_session::SourceFile;

/// Texts by the name under which the command line has them.
pub type Files = BTreeMap<String, String>;

thread_local! {
    static GIVEN: RefCell<Option<Files>> = const { RefCell::new(None) };
}

/// Runs a command that reads these files only.
pub fn with<T>(files: Files, run: impl FnOnce() -> T) -> T {
    let before = GIVEN.replace(Some(files));
    let result = run();
    GIVEN.replace(before);
    result
}

/// Whether the command reads given files only.
pub fn are_given() -> bool {
    GIVEN.with_borrow(Option::is_some)
}

/// Whether there is a file or folder of this name.
pub fn exists(path: &Path) -> bool {
    GIVEN.with_borrow(|given| match given {
        Some(files) => path.to_str().is_some_and(|name| files.contains_key(name)),
        None => path.exists(),
    })
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
    GIVEN.with_borrow(|given| {
        let text = given.as_ref()?.get(name).ok_or("no such file");
        Some(text.map(|text| SourceFile::new(name, text.as_str())))
    })
}
