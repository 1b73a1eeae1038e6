//! Reads files, folders and standard input.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use berth_session::{Printable, SourceFile, is_blank};
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;

use super::given;
use super::messages::Messages;

/// Maximum number of bytes read from one file; more than `api::load` accepts.
const MAX_BYTES: u64 = 257 << 20;

/// How gzip data begin.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// How xz data begin.
const XZ: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];

/// Reads all paths: `-` is standard input, and a folder means the manifests in it.
///
/// # Errors
/// One line for each path that cannot be read.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<SourceFile>, String> {
    read(paths, Depth::Folder)
}

/// How deep folders are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The files in a folder.
    Folder,
    /// Those in its folders, too, but for hidden ones.
    Tree,
}

impl Depth {
    pub fn of(recursive: bool) -> Self {
        match recursive {
            true => Self::Tree,
            false => Self::Folder,
        }
    }
}

/// Reads all paths, of which at least one must have an object.
///
/// # Errors
/// As [`read_all`]; also if there is nothing in the paths, or in standard input.
pub fn read_objects(paths: &[PathBuf], depth: Depth) -> Result<Vec<SourceFile>, String> {
    let files = read(paths, depth)?;
    let blank = files.iter().filter(|file| is_blank(&file.text));
    let blank: Vec<&SourceFile> = blank.collect();
    let is_all = !files.is_empty() && blank.len() == files.len();
    if is_all || blank.iter().any(|file| file.name == "-") {
        let names = blank.iter().map(|file| Printable(&file.name).to_string());
        let names = names.collect::<Vec<String>>().join(", ");
        return Err(format!("{names}: no objects to read"));
    }
    Ok(files)
}

fn read(paths: &[PathBuf], depth: Depth) -> Result<Vec<SourceFile>, String> {
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
        } else if given::is_folder(path) {
            read_folder(path, depth)
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
    if let Some(given) = given::file(&name) {
        return given.map_err(|why| complaint(&name, why));
    }
    if path.is_dir() {
        return Err(complaint(&name, "is a folder"));
    }
    let file = File::open(path).map_err(|error| complaint(&name, &reason(&error)))?;
    read_text(&name, file)
}

/// Reads a file of at most so many bytes, before and after it is inflated.
///
/// # Errors
/// One line that names the file.
#[cfg(feature = "mcp")]
pub fn read_up_to(name: &str, file: File, most: usize) -> Result<SourceFile, String> {
    let read = read_bounded(name, file, u64::try_from(most).unwrap_or(u64::MAX) + 1)?;
    match read.text.len() > most {
        true => Err(complaint(
            name,
            &format!("is longer than the {} MB that may be read", most >> 20),
        )),
        false => Ok(read),
    }
}

/// Endings of the names of manifests.
const MANIFESTS: &[&str] = &["yaml", "yml", "json"];

/// A folder of other people's packages, with pages of theirs.
const PACKAGES: &str = "node_modules";

/// Files as they are named, and those of folders with these endings, by name.
///
/// # Errors
/// If a folder cannot be read, or has no such file.
pub fn pages(paths: &[PathBuf], endings: &'static [&'static str]) -> Result<Vec<PathBuf>, String> {
    let mut pages = Vec::new();
    for path in paths {
        if !path.is_dir() {
            pages.push(path.clone());
            continue;
        }
        let mut found = Found::with(endings);
        found.skipped = Some(PACKAGES);
        found.list(path, Depth::Tree)?;
        if found.paths.is_empty() {
            let endings: Vec<String> = endings.iter().map(|it| format!("*.{it}")).collect();
            let none = format!("no {} in this folder", endings.join(", "));
            return Err(complaint(&path.to_string_lossy(), &none));
        }
        found.paths.sort();
        pages.append(&mut found.paths);
    }
    Ok(pages)
}

fn read_folder(folder: &Path, depth: Depth) -> Result<Vec<SourceFile>, String> {
    let name = folder.to_string_lossy();
    let mut found = Found::with(MANIFESTS);
    found.list(folder, depth)?;
    let below = match found.unread {
        0 => String::new(),
        1 => "1 file in a folder of it is not read: -R reads it".to_owned(),
        count => format!("{count} files in its folders are not read: -R reads them"),
    };
    if found.paths.is_empty() {
        let none = "no *.yaml, *.yml or *.json in this folder";
        let what = match below.is_empty() {
            true => none.to_owned(),
            false => format!("{none}; {below}"),
        };
        return Err(complaint(&name, &what));
    }
    if !below.is_empty() {
        // There is no other stream on which to report a failure.
        let _ = writeln!(Messages, "{}", complaint(&name, &below));
    }
    found.paths.sort();
    found.paths.iter().map(|path| read_file(path)).collect()
}

/// The files of a folder whose names have one of some endings.
struct Found {
    endings: &'static [&'static str],
    /// A name of folders that are not read.
    skipped: Option<&'static str>,
    paths: Vec<PathBuf>,
    /// Number of those in its folders, which are not read.
    unread: usize,
}

impl Found {
    fn with(endings: &'static [&'static str]) -> Self {
        Found {
            endings,
            skipped: None,
            paths: Vec::new(),
            unread: 0,
        }
    }

    fn list(&mut self, folder: &Path, depth: Depth) -> Result<(), String> {
        let name = folder.to_string_lossy();
        let entries = fs::read_dir(folder).map_err(|error| complaint(&name, &reason(&error)))?;
        for entry in entries {
            let entry = entry.map_err(|error| complaint(&name, &reason(&error)))?;
            let path = entry.path();
            let own_name = entry.file_name();
            let is_skipped = self.skipped.is_some_and(|skipped| own_name == skipped);
            let is_hidden = own_name.to_string_lossy().starts_with('.');
            // Links to folders may lead back.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if is_hidden || is_skipped {
                    continue;
                }
                if depth == Depth::Tree {
                    self.list(&path, depth)?;
                    continue;
                }
                let mut below = Found::with(self.endings);
                // A folder that is not read need not be readable.
                let _ = below.list(&path, Depth::Tree);
                self.unread += below.paths.len();
            } else {
                let ending = path.extension().and_then(|ending| ending.to_str());
                let is_named = ending.is_some_and(|ending| self.endings.contains(&ending));
                if is_named && !path.is_dir() {
                    self.paths.push(path);
                }
            }
        }
        Ok(())
    }
}

fn read_text(name: &str, reader: impl Read) -> Result<SourceFile, String> {
    read_bounded(name, reader, MAX_BYTES)
}

fn read_bounded(name: &str, reader: impl Read, most: u64) -> Result<SourceFile, String> {
    let mut bytes = Vec::new();
    let read = reader.take(most).read_to_end(&mut bytes);
    read.map_err(|error| complaint(name, &reason(&error)))?;
    if bytes.starts_with(&GZIP) {
        bytes = inflated(name, "gzip", MultiGzDecoder::new(&*bytes), most)?;
    } else if bytes.starts_with(&XZ) {
        bytes = inflated(name, "xz", XzReader::new(&*bytes, true), most)?;
    }
    text_of(bytes)
        .map(|text| SourceFile::new(name, text))
        .map_err(|what| complaint(name, &what))
}

fn inflated(name: &str, format: &str, reader: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut inflated = Vec::new();
    let read = reader.take(most).read_to_end(&mut inflated);
    read.map_err(|error| complaint(name, &format!("is damaged {format} data: {error}")))?;
    Ok(inflated)
}

/// The text of UTF-8, or of UTF-16 with its mark.
fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    let wide = |read: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let units = pairs.iter().skip(1).map(|pair| read(*pair));
        let text = char::decode_utf16(units).collect::<Result<String, _>>();
        text.ok().filter(|_| rest.is_empty())
    };
    let wide = match bytes.get(..2) {
        Some([0xff, 0xfe]) => wide(u16::from_le_bytes),
        Some([0xfe, 0xff]) => wide(u16::from_be_bytes),
        _ => {
            return String::from_utf8(bytes).map_err(|error| {
                let good = error.as_bytes().get(..error.utf8_error().valid_up_to());
                let lines =
                    good.map_or(0, |good| good.iter().filter(|&&byte| byte == b'\n').count());
                format!("is not UTF-8 text (see line {})", lines + 1)
            });
        }
    };
    wide.ok_or_else(|| "is damaged UTF-16 text".to_owned())
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
