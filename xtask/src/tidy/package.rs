//! No text installs a package called `berth`: those belong to strangers (`docs/decisions/package-name.md`).

use super::{File, Problem};

/// What comes before a package's name.
const INSTALLS: [&str; 9] = [
    "npm i",
    "npm install",
    "npx",
    "pip install",
    "pipx install",
    "uvx",
    "cargo add",
    "cargo install",
    "cargo binstall",
];

/// The name that is taken. (Apart from the lines above, so that this file holds none that installs it.)
const TAKEN: &str = "berth";

pub fn check(files: &[File]) -> Vec<Problem> {
    let lines = files.iter().flat_map(|(path, content)| {
        let lines = content.lines().enumerate();
        lines.map(move |(at, line)| (path, at + 1, line))
    });
    lines
        .filter(|(_, _, line)| INSTALLS.iter().any(|verb| installs(line, verb)))
        .map(|(path, line, _)| Problem {
            file: path.clone(),
            line,
            text: "installs a stranger's package: ours is `kube-berth`".to_owned(),
        })
        .collect()
}

/// Whether a line has the verb, then flags, then the taken name.
fn installs(line: &str, verb: &str) -> bool {
    line.match_indices(verb).any(|(at, _)| {
        let rest = line.get(at + verb.len()..).unwrap_or_default();
        let mut words = rest
            .split_whitespace()
            .skip_while(|word| word.starts_with('-'));
        let is_separate = rest.starts_with(char::is_whitespace);
        let name = words.next().unwrap_or_default();
        let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
        let (name, _) = name.split_once('@').unwrap_or((name, ""));
        is_separate && name == TAKEN
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn count(line: &str) -> usize {
        check(&[(PathBuf::from("README.md"), line.to_owned())]).len()
    }

    #[test]
    fn a_package_of_strangers_is_found() {
        for verb in INSTALLS {
            assert_eq!(count(&format!("`{verb} {TAKEN}`, and")), 1, "{verb}");
            assert_eq!(
                count(&format!("run {verb} --locked {TAKEN}@1")),
                1,
                "{verb}"
            );
            assert_eq!(count(&format!("{verb} kube-{TAKEN}")), 0, "{verb}");
            assert_eq!(count(&format!("{verb} {TAKEN}-docs")), 0, "{verb}");
        }
    }
}
