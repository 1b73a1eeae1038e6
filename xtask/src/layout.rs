//! Where things are in the project: the one place to change when a folder or a package moves.

use crate::process::{Result, read};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The package with the page, the command and the JavaScript API.
pub const PACKAGE: &str = "berth";

/// The folder of all packages of the workspace but the root package. Each has its sources in `src`.
pub const CRATES: &str = "crates";

/// The packages that the page, the command and the JavaScript API share.
pub const ENGINE: [&str; 8] = [
    "berth-base",
    "berth-core",
    "berth-kubectl",
    "berth-protocol",
    "berth-scheduler",
    "berth-session",
    "berth-shell",
    "berth-sim",
];

/// Those of [`ENGINE`] that tests spend most of their time in.
pub const BUSIEST: [&str; 4] = ["berth-base", "berth-core", "berth-scheduler", "berth-sim"];

/// Integration tests, all in one binary.
pub const TESTS: &str = "it";

/// Every feature of the native program.
pub const FEATURES: &str = "berth/cli,berth/mcp,berth/serve,berth/ui";

/// The features of the command, without the page.
pub const COMMAND: &str = "berth/cli,berth/mcp,berth/serve";

/// The released page, from the project's root. Browser tests read it from here.
pub const RELEASED: &str = "dist";

/// The folder to publish, from the project's root. The command with the feature `serve` contains it.
pub const SITE: &str = "site";

/// The folder of the catalogues, one a language, named after its tag; `berth_catalogue` has their format.
pub const CATALOGUES: &str = "src/words";

/// The tag of a catalogue's language; `None` for other files.
pub fn language_of(path: &Path) -> Option<&str> {
    let is_catalogue =
        path.parent() == Some(Path::new(CATALOGUES)) && path.extension() == Some(OsStr::new("txt"));
    path.file_stem()?.to_str().filter(|_| is_catalogue)
}

/// The tags of the languages that have a catalogue, and its text.
pub fn languages(root: &Path) -> Result<Vec<(String, String)>> {
    let folder = root.join(CATALOGUES);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut languages = Vec::new();
    for path in paths {
        let inside = path.strip_prefix(root).unwrap_or(&path);
        if let Some(tag) = language_of(inside) {
            languages.push((tag.to_owned(), read(&path)?));
        }
    }
    languages.sort();
    Ok(languages)
}

/// The tags of those that have a translation of everything, lessons and examples as well.
pub fn complete_languages(root: &Path) -> Result<Vec<String>> {
    let languages = languages(root)?.into_iter();
    let complete =
        languages.filter(|(_, text)| berth_catalogue::head(text, "complete") == Some("yes"));
    Ok(complete.map(|(tag, _)| tag).collect())
}

/// The language of a file that is for one language only: a catalogue, or `NAME.TAG.yaml`.
pub fn tag_in(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.rsplit('.').next()
}

/// Sources of the page: `cargo xtask serve` rebuilds it when one of these changes.
pub const PAGE_SOURCES: [&str; 7] = [
    "Cargo.lock",
    "Cargo.toml",
    CRATES,
    "THIRD-PARTY.txt",
    "index.html",
    "src",
    "www",
];

/// A source file's path from its package's `src`; `None` for files that are not part of the program.
pub fn in_program(path: &Path) -> Option<&Path> {
    if let Ok(inside) = path.strip_prefix("src") {
        return Some(inside);
    }
    let mut parts = path.strip_prefix(CRATES).ok()?.components();
    parts.next()?;
    parts.as_path().strip_prefix("src").ok()
}

/// The paths of those [`PAGE_SOURCES`] that exist.
pub fn page_sources(root: &Path) -> Vec<PathBuf> {
    PAGE_SOURCES
        .iter()
        .map(|name| root.join(name))
        .filter(|path| path.exists())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_all_packages_belong_to_the_program() {
        let inside = |path| in_program(Path::new(path)).and_then(Path::to_str);
        assert_eq!(inside("src/ui/app.rs"), Some("ui/app.rs"));
        assert_eq!(inside("crates/core/src/api.rs"), Some("api.rs"));
        assert_eq!(inside("crates/core/tests/x.rs"), None);
        assert_eq!(inside("tests/it/main.rs"), None);
    }

    #[test]
    fn files_name_their_language() {
        let of = |path| language_of(Path::new(path));
        assert_eq!(of("src/words/zh-CN.txt"), Some("zh-CN"));
        assert_eq!(
            (of("src/words/page.rs"), of("docs/zh-CN.txt")),
            (None, None)
        );
        let tag = |path| tag_in(Path::new(path));
        assert_eq!(tag("lessons/01-a.zh-CN.yaml"), Some("zh-CN"));
        assert_eq!(tag("zh-CN.txt"), Some("zh-CN"));
    }
}
