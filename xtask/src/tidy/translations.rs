//! Every translation is of a sentence, and is punctuated as Chinese is. Sentences without a translation are warnings of
//! the compiler.

use super::{File, Problem};
use std::collections::BTreeSet;

const CATALOGUE: &str = "src/words/zh-CN.txt";

/// Where sentences stand in the source.
const WORDS: &str = "src/words";
const REMARKS: &str = "crates/protocol/src/remark/table.rs";

pub fn check(files: &[File]) -> Vec<Problem> {
    let Some((path, catalogue)) = files.iter().find(|(path, _)| path.ends_with(CATALOGUE)) else {
        return Vec::new();
    };
    let is_source = |file: &&File| {
        let path = file.0.to_string_lossy();
        path.starts_with(WORDS) && path.ends_with(".rs") || path == REMARKS
    };
    let sentences: BTreeSet<&str> = files
        .iter()
        .filter(is_source)
        .flat_map(|(_, text)| literals(text))
        .collect();
    let mut lines = (1..).zip(catalogue.lines());
    let mut lines = lines.by_ref().filter(|(_, line)| {
        let is_comment = line.starts_with('#');
        !line.is_empty() && !is_comment
    });
    let mut problems = Vec::new();
    while let (Some((line, english)), Some((below, chinese))) = (lines.next(), lines.next()) {
        let mut report = |line, text: &str| {
            problems.push(Problem {
                file: path.clone(),
                line,
                text: text.to_owned(),
            });
        };
        if !sentences.contains(english) {
            report(
                line,
                "no sentence of the source: remove it with its translation",
            );
        }
        if is_half_width(chinese) {
            report(below, "half-width punctuation behind a Chinese letter");
        }
        if chinese.contains('您') {
            report(below, "the page says 你");
        }
    }
    problems
}

/// The contents of the string literals of the program's part of a source text.
fn literals(text: &str) -> impl Iterator<Item = &str> {
    let program = text.split("#[cfg(test)]\nmod tests").next();
    let code = program.into_iter().flat_map(str::lines);
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// Whether Latin punctuation follows a Chinese letter.
fn is_half_width(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters
        .windows(2)
        .any(|pair| matches!(pair, [before, ',' | ';' | '?' | '!'] if *before >= '\u{4e00}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, catalogue: &str) -> Vec<(usize, String)> {
        let files = [("src/words/a.rs", source), (CATALOGUE, catalogue)];
        let files = files.map(|(path, text)| (path.into(), text.to_owned()));
        let problems = check(&files).into_iter();
        problems.map(|it| (it.line, it.text)).collect()
    }

    #[test]
    fn a_translation_of_no_sentence_is_found_with_its_line() {
        let source = "pub const A: Text = text!(\"Share\");\n// \"Open\"\n";
        assert_eq!(found(source, "# a\nShare\n分享\n"), []);
        let gone = found(source, "# a\nShare\n分享\n\nOpen\n打开\n");
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].0, 5);
    }

    #[test]
    fn chinese_is_punctuated_in_full_width() {
        let source = "text!(\"A, b\")";
        assert_eq!(found(source, "A, b\n甲，b\n"), []);
        assert_eq!(found(source, "A, b\n甲,b\n")[0].0, 2);
    }
}
