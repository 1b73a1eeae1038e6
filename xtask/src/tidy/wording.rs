//! Words that comments of the sources do not use, and those that they use.

use super::{File, Problem, in_program, source};

/// What the house called a thing before it found the field's word.
const WORDS: [(&str, &str); 3] = [
    (" anew", "again"),
    (
        "first visit does not run it",
        "Cold: kept out of the first download.",
    ),
    ("|one, other|", "|a, b|"),
];

pub fn check(files: &[File]) -> Vec<Problem> {
    let sources = files
        .iter()
        .filter(|(path, _)| in_program(path).is_some() && source::is_rust(path));
    let mut problems = Vec::new();
    for (path, content) in sources {
        let code_too = !path.starts_with("src");
        for (number, line) in (1..).zip(content.lines()) {
            let is_comment = line.trim_start().starts_with("//");
            let found = WORDS.iter().filter(|(word, _)| {
                let is_code = word.starts_with('|');
                line.contains(word) && if is_code { code_too } else { is_comment }
            });
            problems.extend(found.map(|(word, instead)| Problem {
                file: path.clone(),
                line: number,
                text: format!("`{}`: write `{instead}`", word.trim()),
            }));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn former_words_are_found_in_comments() {
        let text =
            "/// Begins anew.\nlet anew = \" anew\";\nall.sort_by(|one, other| one.cmp(other));\n";
        let lines = |path: &str| -> Vec<usize> {
            let found = check(&[(PathBuf::from(path), text.to_owned())]);
            found.into_iter().map(|it| it.line).collect()
        };
        assert_eq!(lines("crates/base/src/a.rs"), [1, 3]);
        assert_eq!(lines("src/ui/a.rs"), [1]);
        assert_eq!(lines("docs/a.md"), [0; 0]);
    }
}
