//! The files of the page: those that the command contains, or those of a folder.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rust_embed::Embed;

use crate::cli::Stop;

/// The folder that `cargo xtask site` made before this command was compiled; empty if it was not run.
#[derive(Embed)]
#[folder = "site/"]
#[allow_missing = true]
struct Compiled;

pub enum Files {
    Compiled,
    Folder(PathBuf),
}

/// What an address names.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    File(String, Cow<'static, [u8]>),
    /// A folder whose address lacks its slash at the end.
    Moved(String),
    Missing,
}

impl Files {
    /// The files of `folder`, or those that the command contains.
    ///
    /// # Errors
    /// If there is no page.
    pub fn of(folder: Option<&Path>) -> Result<Self, Stop> {
        let files = match folder {
            Some(folder) => Self::Folder(folder.to_owned()),
            None => Self::Compiled,
        };
        if files.read("index.html").is_some() {
            return Ok(files);
        }
        Err(Stop::Message(match folder {
            Some(folder) => format!(
                "{} has no index.html: `cargo xtask site` makes such a folder, and berth-VERSION.zip has one",
                folder.display()
            ),
            None => "this command was compiled without the page: run `cargo xtask site`, then `cargo install --path . \
                     --features serve`; or name the folder of an unpacked berth-VERSION.zip"
                .to_owned(),
        }))
    }

    pub fn read(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        match self {
            Self::Compiled => Compiled::get(name).map(|file| file.data),
            Self::Folder(folder) => std::fs::read(folder.join(name)).ok().map(Cow::Owned),
        }
    }

    /// What the path of an address names, with the query.
    pub fn find(&self, address: &str) -> Found {
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let Some(mut name) = plain(path) else {
            return Found::Missing;
        };
        if name.is_empty() || name.ends_with('/') {
            name.push_str("index.html");
        }
        if let Some(content) = self.read(&name) {
            return Found::File(name, content);
        }
        match self.read(&format!("{name}/index.html")) {
            Some(_) => Found::Moved(format!("{path}/")),
            None => Found::Missing,
        }
    }
}

/// A path without its slash at the beginning; `None` if it may leave the folder, or name a hidden file. The page's files
/// have plain names.
fn plain(path: &str) -> Option<String> {
    let name = path.strip_prefix('/')?;
    let is_plain = |part: &str| {
        let mut chars = part.chars();
        !part.starts_with('.') && chars.all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    let inner = name.strip_suffix('/').unwrap_or(name);
    let mut parts = inner.split('/');
    let is_named = name.is_empty() || parts.all(|part| !part.is_empty() && is_plain(part));
    is_named.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_read() {
        for path in ["/", "/gallery/", "/assets/0a/berth-web_bg.wasm"] {
            assert!(plain(path).is_some(), "{path}");
        }
        for path in [
            "",
            "//",
            "/..",
            "/a/../b",
            "/a//b",
            "/.git/config",
            "/a%2fb",
            "/a\\b",
            "/c:",
            "/é",
        ] {
            assert!(plain(path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_folder_without_a_page_is_named() {
        let error = Files::of(Some(Path::new("src"))).err();
        assert!(
            matches!(error, Some(Stop::Message(text)) if text.starts_with("src has no index.html"))
        );
    }
}
