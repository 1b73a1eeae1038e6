//! The files below a folder, for commands that name them: manifests, and whatever `--from-file` or `cat` reads.

use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::input;
use super::messages::Messages;

/// Maximum number of files and folders that are looked at, those near the folder first.
const MAX_ENTRIES: usize = 5_000;
/// Maximum number of bytes of a file, and of all together.
const MAX_BYTES: u64 = 64 << 20;

/// The texts below a folder, by path from it. Hidden folders are not entered, links to folders not followed, and files
/// that are not text are left out.
pub fn below(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([(folder.to_path_buf(), String::new())]);
    let (mut entries, mut bytes) = (0, 0);
    while let Some((folder, prefix)) = folders.pop_front() {
        // What cannot be read has no files.
        let Ok(listed) = fs::read_dir(&folder) else {
            continue;
        };
        let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            entries += 1;
            if entries > MAX_ENTRIES {
                tell_rest(&prefix);
                return found;
            }
            let (Some(name), Ok(kind)) = (path.file_name(), fs::symlink_metadata(&path)) else {
                continue;
            };
            let name = format!("{prefix}{}", name.to_string_lossy());
            if kind.is_dir() {
                if !name
                    .rsplit('/')
                    .next()
                    .is_some_and(|it| it.starts_with('.'))
                {
                    folders.push_back((path, name + "/"));
                }
                continue;
            }
            let Some(size) = fs::metadata(&path).ok().filter(fs::Metadata::is_file) else {
                continue;
            };
            bytes += size.len();
            if bytes > MAX_BYTES {
                tell_rest(&prefix);
                return found;
            }
            if let Ok(file) = input::read_file(&path) {
                found.push((name, file.text.to_string()));
            }
        }
    }
    found
}

fn tell_rest(prefix: &str) {
    // There is no other stream on which to report a failure.
    let _ = writeln!(
        Messages,
        "note: there are too many files here: commands find those read before {:?}",
        format!("./{prefix}")
    );
}
