//! `cargo xtask size`: what a first visit downloads.

use crate::layout::{self, RELEASED};
use crate::process::{Result, node, output, root};
use crate::{setup, test};
use std::path::{Path, PathBuf};

/// Limit for the sum of all files, each compressed with brotli.
const BUDGET_BYTES: u64 = 626_000;

/// Files that a visitor's browser never asks for, and examples, which it asks for one by one.
const NOT_DOWNLOADED: [&str; 4] = [".d.ts", ".map", ".md", ".yaml"];

/// Files that the page does not need to be drawn and to play its run in English: the editor, whose place a text area takes
/// until it is loaded, and what is fetched when the page is idle or on first use: the editor's data, the lazy module of the
/// program, lessons, and what only other people's pages and exported pictures need; the files of other languages are not
/// listed. The test `tests/browser/first-visit.test.mjs` compares the list with what a browser asks for.
const LATER: [&str; 23] = [
    "THIRD-PARTY.txt",
    "_lazy.wasm",
    "board.css",
    "bookmarklet.js",
    "builder.css",
    "compare.css",
    "docks.css",
    "editor.js",
    "embed.css",
    "embed.js",
    "explain.json",
    "fields.json",
    "forms.css",
    "frame.js",
    "gallery.css",
    "handout.css",
    "lesson.css",
    "lessons/course.json",
    "lessons/index.json",
    "picture.js",
    "pictures.json",
    "presenter.css",
    "scenario.schema.json",
];

/// Builds the page for release and measures it.
pub fn build_and_measure() -> Result {
    setup::setup()?;
    test::build_page()?;
    measure()
}

/// Prints every file of the released page with its sizes; an error if the sum exceeds the budget.
pub fn measure() -> Result {
    let dist = root().join(RELEASED);
    let mut files = Vec::new();
    list(&dist, &mut files)
        .map_err(|e| format!("{}: {e}; build the page first", dist.display()))?;
    files.retain(|file| {
        let name = file.to_string_lossy();
        !NOT_DOWNLOADED.iter().any(|ending| name.ends_with(ending))
    });
    files.sort();
    let sizes = output(node(&["--input-type=module", "--eval", SCRIPT, "--"]).args(&files))?;
    let languages = layout::languages(&root())?;
    let (mut raw_sum, mut packed_sum) = (0, 0);
    println!("{:>11} {:>11}  file", "raw", "brotli");
    for (file, line) in files.iter().zip(sizes.lines()) {
        let (raw, packed) = parse(line).ok_or_else(|| format!("unexpected size: {line}"))?;
        let name = file.strip_prefix(&dist).unwrap_or(file);
        let tag = layout::tag_in(name);
        let later = languages.iter().any(|(own, _)| Some(own.as_str()) == tag)
            || LATER
                .iter()
                .any(|ending| name.to_string_lossy().ends_with(ending));
        if !later {
            raw_sum += raw;
            packed_sum += packed;
        }
        let note = if later { " (later)" } else { "" };
        println!("{raw:>11} {packed:>11}  {}{note}", name.display());
    }
    println!("{raw_sum:>11} {packed_sum:>11}  in all (budget {BUDGET_BYTES})");
    if packed_sum > BUDGET_BYTES {
        let excess = packed_sum - BUDGET_BYTES;
        return Err(format!("a first visit is {excess} bytes above the budget"));
    }
    Ok(())
}

/// Node.js is required anyway and includes brotli.
const SCRIPT: &str = include_str!("node/sizes.mjs");

fn parse(line: &str) -> Option<(u64, u64)> {
    let (raw, packed) = line.split_once(' ')?;
    Some((raw.parse().ok()?, packed.parse().ok()?))
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
