//! Reads files, folders and standard input.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use berth_session::{Printable, SourceFile};

/// Maximum number of bytes read from one file; more than `api::load` accepts.
const MAX_BYTES: u64 = 257 << 20;

/// Reads all paths: `-` is standard input, and a folder means the manifests in it.
///
/// # Errors
/// One line for each path that cannot be read.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<SourceFile>, String> {
    let mut files = Vec::new();
    let mut complaints = Vec::new();
    let mut stdin_was_read = false;
    for path in paths {
        let read = if path.as_os_str() == "-" {
            let again = std::mem::replace(&mut stdin_was_read, true);
            if again {
                Err("-: standard input can be read only once".to_owned())
            } else {
                read_text("-", io::stdin().lock()).map(|file| vec![file])
            }
        } else if path.is_dir() {
            read_folder(path)
        } else {
            read_file(path).map(|file| vec![file])
        };
        match read {
            Ok(read) => files.extend(read),
            Err(complaint) => complaints.push(complaint),
        }
    }
    if complaints.is_empty() {
        Ok(files)
    } else {
        Err(complaints.join("\nerror: "))
    }
}

/// Reads one file.
///
/// # Errors
/// One line that names the file.
pub fn read_file(path: &Path) -> Result<SourceFile, String> {
    let name = path.to_string_lossy();
    if path.is_dir() {
        return Err(complaint(&name, "is a folder"));
    }
    let file = File::open(path).map_err(|error| complaint(&name, &reason(&error)))?;
    read_text(&name, file)
}

fn read_folder(folder: &Path) -> Result<Vec<SourceFile>, String> {
    let name = folder.to_string_lossy();
    let entries = fs::read_dir(folder).map_err(|error| complaint(&name, &reason(&error)))?;
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| complaint(&name, &reason(&error)))?;
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if matches!(ending, Some("yaml" | "yml" | "json")) && !path.is_dir() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(complaint(
            &name,
            "no *.yaml, *.yml or *.json in this folder",
        ));
    }
    paths.sort();
    paths.iter().map(|path| read_file(path)).collect()
}

fn read_text(name: &str, reader: impl Read) -> Result<SourceFile, String> {
    let mut bytes = Vec::new();
    let read = reader.take(MAX_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| complaint(name, &reason(&error)))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(name, text)),
        Err(error) => Err(complaint(name, &not_utf8(error.as_bytes(), &error))),
    }
}

fn not_utf8(bytes: &[u8], error: &std::string::FromUtf8Error) -> String {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return "is UTF-16 text; save it as UTF-8".to_owned();
    }
    let good = bytes.get(..error.utf8_error().valid_up_to());
    let lines = good.map_or(0, |good| good.iter().filter(|&&byte| byte == b'\n').count());
    format!("is not UTF-8 text (see line {})", lines + 1)
}

fn complaint(name: &str, what: &str) -> String {
    format!("{}: {what}", Printable(name))
}

/// The system's message without its error number.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
