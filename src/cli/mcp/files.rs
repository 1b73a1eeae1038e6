//! The files that tools may read, and the manifests that were loaded.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use berth_session::Printable;

use super::MAX_INPUT;
use crate::cli::given::Files;
use crate::cli::input;

/// Bytes of everything that is loaded, and how many names it has.
const MAX_LOADED: usize = 4 * MAX_INPUT;
const MAX_NAMES: usize = 100;
/// Files of one call.
const MAX_FILES: usize = 1_000;
/// Endings of the files that can be named, besides those of compressed ones.
const MANIFESTS: &[&str] = &["yaml", "yml", "json", "xz", "gz"];

/// Folders whose files may be read.
pub struct Roots {
    /// Without links and `..`.
    folders: Vec<PathBuf>,
}

impl Roots {
    /// # Errors
    /// If one is no folder.
    pub fn open(folders: &[PathBuf]) -> Result<Self, String> {
        let real = folders.iter().map(|folder| match fs::canonicalize(folder) {
            Ok(real) if real.is_dir() => Ok(real),
            _ => Err(format!("--root {}: no such folder", shown(folder))),
        });
        Ok(Roots {
            folders: real.collect::<Result<_, _>>()?,
        })
    }

    /// Reads a file, or the manifests of a folder and of the folders in it, by their names below a root.
    ///
    /// # Errors
    /// If it is not below a root, or cannot be read.
    pub fn read(&self, name: &str, files: &mut Files) -> Result<(), String> {
        let path = self.find(name)?;
        if !path.is_dir() {
            return read_into(&path, name, files);
        }
        for file in input::pages(std::slice::from_ref(&path), MANIFESTS)? {
            let inside = file.strip_prefix(&path).unwrap_or(&file);
            let below = Path::new(name).join(inside).to_string_lossy().into_owned();
            // What is named in the folder may be a link out of it.
            let real = self.within(&file).ok_or_else(|| self.outside(&below))?;
            read_into(&real, &below, files)?;
        }
        Ok(())
    }

    /// The file itself: below one of the folders once links and `..` are resolved.
    fn find(&self, name: &str) -> Result<PathBuf, String> {
        let named = self.folders.iter().map(|folder| folder.join(name));
        let mut found = named.filter_map(|path| self.within(&path));
        found.next().ok_or_else(|| self.outside(name))
    }

    fn within(&self, path: &Path) -> Option<PathBuf> {
        let real = fs::canonicalize(path).ok()?;
        let is_below = self.folders.iter().any(|folder| real.starts_with(folder));
        is_below.then_some(real)
    }

    /// Says the same of what is elsewhere and of what does not exist.
    fn outside(&self, name: &str) -> String {
        let name = Printable(name);
        match self.folders.as_slice() {
            [] => {
                format!("{name}: no folder may be read; the server is started with --root FOLDER")
            }
            _ => format!("{name}: no such file below the folders of --root"),
        }
    }
}

fn read_into(path: &Path, name: &str, files: &mut Files) -> Result<(), String> {
    let refused = |what: &str| format!("{}: {what}", Printable(name));
    let ending = path.extension().and_then(|ending| ending.to_str());
    if !ending.is_some_and(|ending| MANIFESTS.contains(&ending)) {
        return Err(refused("manifests are in *.yaml, *.yml and *.json"));
    }
    let file = File::open(path).map_err(|_| refused("cannot be read"))?;
    // Neither a pipe nor a device, which need not end.
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(refused("is no file"));
    }
    let room = MAX_INPUT.saturating_sub(size(files));
    let text = input::read_up_to(name, file, room)?.text.to_string();
    add(files, name, text)
}

/// Adds a text to those of a call.
///
/// # Errors
/// If there is too much.
pub fn add(files: &mut Files, name: &str, text: String) -> Result<(), String> {
    if name.is_empty() || name == "-" {
        return Err("a text needs a name, and - is standard input".to_owned());
    }
    files.insert(name.to_owned(), text);
    if size(files) > MAX_INPUT || files.len() > MAX_FILES {
        let most = MAX_INPUT >> 20;
        return Err(format!(
            "a call reads at most {most} MB in {MAX_FILES} files"
        ));
    }
    Ok(())
}

fn size(files: &Files) -> usize {
    files.values().map(String::len).sum()
}

fn shown(path: &Path) -> String {
    Printable(&path.to_string_lossy()).to_string()
}

/// Manifests that later calls name.
#[derive(Default)]
pub struct Loaded {
    sets: BTreeMap<String, Files>,
}

impl Loaded {
    /// Keeps manifests under a name, in place of those before.
    ///
    /// # Errors
    /// If there is no room.
    pub fn keep(&mut self, name: &str, files: Files) -> Result<(), String> {
        let others = self.sets.iter().filter(|(other, _)| *other != name);
        let used: usize = others.map(|(_, files)| size(files)).sum();
        let is_new = !self.sets.contains_key(name);
        if used + size(&files) > MAX_LOADED || is_new && self.sets.len() >= MAX_NAMES {
            let most = MAX_LOADED >> 20;
            return Err(format!(
                "at most {most} MB under {MAX_NAMES} names can be loaded: load over a name that is not needed any more"
            ));
        }
        self.sets.insert(name.to_owned(), files);
        Ok(())
    }

    /// Adds what was loaded to the files of a call.
    ///
    /// # Errors
    /// If nothing has the name, or there is too much.
    pub fn add(&self, name: &str, files: &mut Files) -> Result<(), String> {
        let Some(set) = self.sets.get(name) else {
            let names: Vec<String> = self
                .sets
                .keys()
                .map(|it| Printable(it).to_string())
                .collect();
            let known = match names.is_empty() {
                true => "nothing is loaded".to_owned(),
                false => format!("loaded are {}", names.join(", ")),
            };
            return Err(format!(
                "{}: nothing was loaded by this name; {known}",
                Printable(name)
            ));
        };
        for (file, text) in set {
            add(files, file, text.clone())?;
        }
        Ok(())
    }
}
