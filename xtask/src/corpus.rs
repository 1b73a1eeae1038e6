//! `cargo xtask corpus FOLDER [TEST]`: packs recorded scenarios for a test.
//!
//! It writes two files: the scenarios, and the decisions of the real scheduler. Each
//! is a sequence of `CATEGORY/NAME LENGTH\n`, that many bytes, `\n`, compressed
//! with brotli. `tests/it/conformance/corpus.rs` reads them. The same folder yields
//! the same bytes.
//!
//! A folder of folders with a `case.yaml` has the answers of a real cluster: all their files become one, `answers.br`, as
//! `FOLDER/FILE LENGTH\n` and so on; what is compressed with xz is unpacked first.

use crate::layout::TESTS;
use crate::process::{Result, node, output, program, read, root, run, target_dir, write};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The test whose scenarios are packed if none is named.
const DEFAULT_TEST: &str = "conformance";

/// What was given to a real cluster, beside its answers.
const CASE: &str = "case.yaml";

/// Packs `FOLDER/CATEGORY/NAME.yaml` and `.json` into `tests/it/TEST/`. Files directly in FOLDER form a
/// category with the folder's name.
pub fn pack(args: &[String]) -> Result {
    let (folder, test) = match args {
        [folder] => (folder, DEFAULT_TEST),
        [folder, test] => (folder, test.as_str()),
        _ => return Err("usage: cargo xtask corpus FOLDER [TEST]".to_string()),
    };
    let to = root().join("tests").join(TESTS).join(test);
    let answers = answers(Path::new(folder))?;
    if !answers.is_empty() {
        return compress(&to.join("answers.br"), &answers);
    }
    let cases = cases(Path::new(folder))?;
    if cases.is_empty() {
        return Err(format!(
            "{folder} holds no [CATEGORY/]NAME.yaml with a .json beside it"
        ));
    }
    let (mut scenarios, mut expected) = (String::new(), String::new());
    for (name, yaml) in &cases {
        record(&mut scenarios, name, &read(yaml)?);
        record(
            &mut expected,
            name,
            &minify(&read(&yaml.with_extension("json"))?),
        );
    }
    println!("Packing {} scenarios (about a minute)…", cases.len());
    compress(&to.join("scenarios.br"), &scenarios)?;
    compress(&to.join("expected.br"), &expected)
}

/// Writes text compressed with brotli.
fn compress(packed: &Path, content: &str) -> Result {
    let name = packed.file_stem().unwrap_or_default().to_string_lossy();
    let raw = target_dir().join(format!("corpus-{name}"));
    write(&raw, content)?;
    write(packed, "")?;
    let script = include_str!("node/pack.mjs");
    run(node(&["--input-type=module", "--eval", script, "--"])
        .arg(&raw)
        .arg(packed))?;
    let size = std::fs::metadata(packed).map_or(0, |file| file.len());
    println!(
        "{:>9} of {:>9} bytes  {}",
        size,
        content.len(),
        packed.display()
    );
    Ok(())
}

/// The records of all files beside a case, by folder and name; empty if there is no case.
fn answers(folder: &Path) -> Result<String> {
    let mut answers = String::new();
    let folders = list(folder)?;
    for folder in folders.iter().filter(|folder| folder.join(CASE).is_file()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        for file in list(folder)? {
            let is_packed = file.extension().is_some_and(|ending| ending == "xz");
            let text = match is_packed {
                true => output(program("xz").args(["--decompress", "--stdout"]).arg(&file))?,
                false => read(&file)?,
            };
            let file = match is_packed {
                true => file.with_extension(""),
                false => file,
            };
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            record(&mut answers, &format!("{name}/{file}"), &text);
        }
    }
    Ok(answers)
}

/// The files and folders in a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// All scenarios as (`CATEGORY/NAME`, file), sorted.
fn cases(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut cases = Vec::new();
    let within = list(folder)?.into_iter().filter(|path| path.is_dir());
    for category in within.chain([folder.to_path_buf()]) {
        for yaml in list(&category)? {
            if yaml.extension().is_none_or(|ending| ending != "yaml")
                || !yaml.with_extension("json").is_file()
            {
                continue;
            }
            let part = |name: Option<&std::ffi::OsStr>| {
                name.unwrap_or_default().to_string_lossy().into_owned()
            };
            let name = format!("{}/{}", part(category.file_name()), part(yaml.file_stem()));
            cases.push((name, yaml));
        }
    }
    cases.sort();
    Ok(cases)
}

fn record(to: &mut String, name: &str, content: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(to, "{name} {}\n{content}", content.len());
}

/// JSON without the white space between its tokens.
fn minify(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    json.chars()
        .filter(|&c| {
            if in_string {
                in_string = escaped || c != '"';
                escaped = c == '\\' && !escaped;
                true
            } else {
                in_string = c == '"';
                !c.is_ascii_whitespace()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minifying_leaves_strings_alone() {
        let json = "{ \"a b\": [1,\n 2, \"\\\" x \\\\\"],\n\t\"c\" : null }";
        assert_eq!(minify(json), r#"{"a b":[1,2,"\" x \\"],"c":null}"#);
    }

    #[test]
    fn a_record_tells_its_length_in_bytes() {
        let mut text = String::new();
        record(&mut text, "mix/one", "é\n");
        assert_eq!(text, "mix/one 3\né\n\n");
    }
}
