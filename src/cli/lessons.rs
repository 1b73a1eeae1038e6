//! Lessons and their translations among files and folders.

use std::path::{Path, PathBuf};

use berth_session::SourceFile;

use super::{Stop, input};

/// The lessons of a path. In a folder with some, translations and files without a lesson are skipped.
pub fn files_of(path: &Path) -> Result<Vec<SourceFile>, Stop> {
    let files = input::read_all(&[path.to_path_buf()])?;
    if !path.is_dir() {
        return Ok(files);
    }
    let is_lesson = |file: &SourceFile| {
        let is_translation = language(Path::new(&file.name)).is_some();
        !is_translation && file.name.ends_with(".yaml") && file.text.contains("kind: Scenario")
    };
    match files.iter().any(is_lesson) {
        true => Ok(files.into_iter().filter(is_lesson).collect()),
        false => Ok(files),
    }
}

/// `zh-CN` of `05-name.zh-CN.yaml`; `None` for a lesson.
pub fn language(path: &Path) -> Option<&str> {
    let (_, language) = path.file_stem()?.to_str()?.rsplit_once('.')?;
    Some(language)
}

/// The translations beside a lesson.
pub fn translations(path: &Path) -> Result<Vec<SourceFile>, Stop> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(|it| it.to_str()))
    else {
        return Ok(Vec::new());
    };
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> = paths
        .filter(|other| {
            let name = other.file_stem().and_then(|name| name.to_str());
            let own = name.and_then(|name| name.strip_prefix(stem)?.strip_prefix('.'));
            own.is_some() && other.extension().is_some_and(|ending| ending == "yaml")
        })
        .collect();
    paths.sort();
    let read = paths.iter().map(|path| input::read_file(path));
    Ok(read.collect::<Result<_, String>>()?)
}
