//! `cargo xtask course`: the course as a zip for a stick, or as a SCORM 1.2 package.

use crate::layout::{self, RELEASED};
use crate::process::{Result, cargo, node, root, run, target_dir};
use crate::{chromium, setup, site};
use std::path::{Path, PathBuf};

/// What is to be made.
#[derive(Debug, Default, PartialEq)]
struct Wanted<'a> {
    /// The folder for the zip.
    folder: Option<&'a str>,
    /// Where the lessons will be, for links on paper.
    url: Option<&'a str>,
    scorm: bool,
    /// The percentage of lessons that passes.
    mastery: Option<u8>,
}

/// Makes the zip from the released page, which is built if it is missing or older than its sources.
pub fn course(args: &[String]) -> Result {
    let wanted = read(args)?;
    let folder = site::here(wanted.folder.unwrap_or("."))?;
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    setup::for_page()?;
    site::build_if_stale()?;
    let mut make = node(&["xtask/src/node/course.mjs"]);
    make.arg(root().join(RELEASED)).arg(folder);
    if wanted.scorm {
        make.arg("--scorm");
        make.args(wanted.mastery.map(|percent| format!("--mastery={percent}")));
    } else {
        let handouts = target_dir().join("handouts");
        write_handouts(&handouts, wanted.url.unwrap_or("../"))?;
        make.arg(handouts);
    }
    run(make.env("BERTH_CHROMIUM", chromium::chromium()?))
}

/// Writes the handouts and the solution sheets of all lessons, in all languages that have them.
fn write_handouts(folder: &Path, url: &str) -> Result {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let command = ["run", "--locked", "--quiet", "--package", "berth", "--"];
    let translated = layout::complete_languages(&root())?.into_iter();
    let translated = translated.map(|tag| (tag.clone(), format!("{tag}.html")));
    let languages = [("en".to_owned(), "html".to_owned())]
        .into_iter()
        .chain(translated);
    for (language, ending) in languages {
        for (name, option) in [("handouts", None), ("solutions", Some("--solutions"))] {
            let file: PathBuf = folder.join(format!("{name}.{ending}"));
            run(cargo(&command)
                .args([
                    "handout",
                    "www/lessons",
                    "--language",
                    &language,
                    "--url",
                    url,
                ])
                .args(option)
                .arg("--output")
                .arg(file))?;
        }
    }
    Ok(())
}

fn read(args: &[String]) -> Result<Wanted<'_>> {
    let mut wanted = Wanted::default();
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        match arg {
            "--scorm" => wanted.scorm = true,
            "--url" => wanted.url = Some(site::address(args.next())?),
            "--mastery" => {
                let percent = args.next().and_then(|it| it.parse().ok());
                let percent = percent.filter(|percent| (1..=100).contains(percent));
                wanted.mastery = Some(percent.ok_or("--mastery needs a percentage: 1 to 100")?);
            }
            arg if arg.starts_with('-') => return Err(format!("there is no option `{arg}`")),
            arg => wanted.folder = Some(arg),
        }
    }
    if wanted.mastery.is_some() && !wanted.scorm {
        return Err("--mastery is of a SCORM package: add --scorm".to_string());
    }
    if wanted.url.is_some() && wanted.scorm {
        return Err("--url is for links on paper, which a SCORM package has not".to_string());
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn folder_address_and_mastery_may_be_given() {
        assert_eq!(read(&[]), Ok(Wanted::default()));
        let line = args("out --url https://example.org/berth/");
        let wanted = Wanted {
            folder: Some("out"),
            url: Some("https://example.org/berth/"),
            ..Wanted::default()
        };
        assert_eq!(read(&line), Ok(wanted));
        let line = args("--scorm --mastery 80");
        let wanted = Wanted {
            scorm: true,
            mastery: Some(80),
            ..Wanted::default()
        };
        assert_eq!(read(&line), Ok(wanted));
    }

    #[test]
    fn wrong_arguments_are_named() {
        for (line, part) in [
            ("--url", "needs"),
            ("--url https://example.org/berth", "end it with /"),
            ("--scorm --mastery 101", "1 to 100"),
            ("--mastery 80", "--scorm"),
            ("--scorm --url https://example.org/", "on paper"),
            ("--zip", "`--zip`"),
        ] {
            let error = read(&args(line)).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
