//! `cargo xtask site`: the folder to publish. `cargo xtask serve --release`: such a folder, as a host serves it.

use crate::layout::{RELEASED, SITE};
use crate::process::{Result, node, root, run};
use crate::{chromium, setup, test};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Makes the folder from the released page, which is built if it is missing or older than its sources.
pub fn site(args: &[String]) -> Result {
    let (folder, url) = read(args)?;
    setup::for_page()?;
    build_if_stale()?;
    run(node(&["xtask/src/node/site.mjs"])
        .arg(root().join(RELEASED))
        .arg(here(folder)?)
        .args(url)
        .env("BERTH_CHROMIUM", chromium::chromium()?))
}

/// Builds the released page if it is missing or older than its sources.
pub fn build_if_stale() -> Result {
    match is_stale(&root().join(RELEASED).join("index.html")) {
        true => test::build_page(),
        false => Ok(()),
    }
}

/// Serves a folder until interrupted.
pub fn host(args: &[String]) -> Result {
    let Some((folder, options)) = args.split_first() else {
        return Err("say which folder: `cargo xtask serve --release site`".to_string());
    };
    let folder = here(folder)?;
    if !folder.join("index.html").is_file() {
        return Err(format!(
            "{} has no index.html: `cargo xtask site` makes such a folder",
            folder.display()
        ));
    }
    run(node(&["xtask/src/node/host.mjs"])
        .arg(folder)
        .args(options)
        .stdin(Stdio::inherit()))
}

/// The folder, and where it will be published.
fn read(args: &[String]) -> Result<(&str, Option<&str>)> {
    let (mut folder, mut url) = (SITE, None);
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "--url" => url = Some(address(args.next())?),
            arg if arg.starts_with('-') => return Err(format!("there is no option `{arg}`")),
            arg => folder = arg,
        }
    }
    Ok((folder, url))
}

/// Where something will be published.
pub fn address(url: Option<&str>) -> Result<&str> {
    match url {
        None => Err("--url needs an address".to_string()),
        Some(url) if !(url.starts_with("https://") || url.starts_with("http://")) => {
            Err(format!("{url} is no address: it begins with https://"))
        }
        Some(url) if !url.ends_with('/') => Err(format!("{url} names a folder: end it with /")),
        Some(url) => Ok(url),
    }
}

/// A path from the folder in which the command was called, since programs run in the project's root.
pub fn here(path: &str) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|e| format!("{path}: {e}"))
}

/// Whether a source of the page is newer than the build, or there is none.
fn is_stale(built: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
    let Some(built) = changed(built) else {
        return true;
    };
    let mut paths = crate::layout::page_sources(&root());
    while let Some(path) = paths.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            paths.extend(entries.flatten().map(|entry| entry.path()));
        } else if changed(&path).is_none_or(|changed| changed > built) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Result<(String, Option<String>)> {
        let args: Vec<String> = line.split_whitespace().map(String::from).collect();
        read(&args).map(|(folder, url)| (folder.to_string(), url.map(String::from)))
    }

    #[test]
    fn the_folder_and_the_address_may_be_given() {
        assert_eq!(args(""), Ok((SITE.to_string(), None)));
        let url = "https://example.org/berth/".to_string();
        let given = args("out --url https://example.org/berth/");
        assert_eq!(given, Ok(("out".to_string(), Some(url))));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (line, part) in [
            ("--url", "needs"),
            ("--url example.org/", "https://"),
            ("--url https://example.org/berth", "end it with /"),
            ("--zip", "`--zip`"),
        ] {
            let error = args(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
