//! Every sentence of the page is in the words.

use std::fs;
use std::path::{Path, PathBuf};

use super::amount;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .filter(|path| !path.to_string_lossy().contains("test"))
        .collect()
}

/// The program's part of the page's source files, and their paths from `src`.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let text = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap()
            .to_owned();
        let name = path.strip_prefix(&root).unwrap().to_string_lossy();
        (name.into_owned(), text)
    };
    let modules = ["ui", "words"].iter().flat_map(|module| {
        let mut files = files(&root.join(module));
        files.push(root.join(module).with_extension("rs"));
        files
    });
    modules.map(read).collect()
}

/// The contents of the string literals of a source text, with the text before each on its line.
fn literals(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    for line in code {
        let parts: Vec<&str> = line.split('"').collect();
        let pairs = parts.iter().enumerate().skip(1).step_by(2);
        found.extend(pairs.map(|(at, inside)| (parts[..at].join("\""), (*inside).to_owned())));
    }
    found
}

/// Three English words, one after the other.
fn is_sentence(text: &str) -> bool {
    let is_word = |word: &&str| {
        word.len() > 1
            && word
                .chars()
                .all(|letter| letter.is_ascii_alphabetic() || letter == '\'')
    };
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(3).any(|three| three.iter().all(is_word))
}

#[test]
fn no_sentence_stands_outside_the_words() {
    // Class names, attributes of SVG, and what only developers read.
    let allowed = |before: &str| {
        ["class", "reason = ", "console", "d=", "style", "r#"]
            .iter()
            .any(|name| before.contains(name))
    };
    let mut found = Vec::new();
    for (name, text) in sources() {
        // The terminal's answers are in English, as kubectl's are.
        if name.starts_with("words") || name.starts_with("ui/engine") {
            continue;
        }
        let sentences = literals(&text)
            .into_iter()
            .filter(|(before, inside)| is_sentence(inside) && !allowed(before));
        found.extend(sentences.map(|(_, inside)| format!("{name}: {inside}")));
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn every_sentence_of_the_words_can_be_translated() {
    let mut found = Vec::new();
    for (name, text) in sources() {
        let is_words = name.starts_with("words") && name != "words/language.rs";
        for (before, inside) in literals(&text).into_iter().filter(|_| is_words) {
            let bare = before.trim_end_matches(|letter: char| letter.is_whitespace());
            if is_sentence(&inside) && bare.ends_with("format!(") {
                found.push(format!("{name}: {inside}"));
            }
            if bare.ends_with(": &str =") && is_sentence(&inside) && !inside.starts_with("kubectl")
            {
                found.push(format!("{name}: {inside}"));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new(), "use text!, say! or counted!");
}

#[test]
fn amounts_are_short() {
    assert_eq!(amount("cpu", 2500), "2.5");
    assert_eq!(amount("memory", 4 << 30), "4");
    assert_eq!(amount("pods", 110), "110");
}

#[test]
fn help_and_gallery_say_what_is_simulated() {
    let left_out = super::explain::LEFT_OUT.get();
    assert!(!left_out.contains("dynamic resource"), "{left_out}");
    assert!(super::gallery_lead("1.36").contains("kube-scheduler 1.36's"));
    assert_eq!(
        super::page::DEFAULT_RELEASE,
        berth_session::Version::default().minor()
    );
    assert!(super::gallery_lead("").contains("kube-scheduler 1.36's"));
}

#[test]
fn the_first_sentence_counts_the_lessons() {
    let index = include_str!("../../www/lessons/index.json");
    let index: serde_json::Value = serde_json::from_str(index).unwrap();
    let chapters = index["chapters"].as_array().unwrap();
    let lessons = chapters.iter().filter_map(|it| it["lessons"].as_array());
    let count = lessons.map(Vec::len).sum::<usize>();
    assert_eq!(
        super::learn_it(),
        format!("learn it in {count} short lessons")
    );
}

#[test]
fn pods_of_other_schedulers_are_not_gated() {
    let lane = |gated, unmanaged| {
        let (name, count) = super::held_back(gated, unmanaged);
        format!("{name}: {count}")
    };
    assert_eq!(lane(2, 0), "Gated: 2 Pods");
    assert_eq!(lane(2, 1), "Held back: 2 gated, 1 of other schedulers");
}
