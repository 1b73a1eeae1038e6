//! Descriptions, cut to what fits a small window beside the text.

/// How much is kept: `sentences`, and none that begins behind so many `bytes`.
#[derive(Clone, Copy)]
pub struct Length {
    sentences: usize,
    bytes: usize,
}

/// For what Berth is about.
pub const LONG: Length = Length {
    sentences: 4,
    bytes: 360,
};

/// For what only has to be recognized.
pub const SHORT: Length = Length {
    sentences: 2,
    bytes: 70,
};

/// What the reference says before pointing elsewhere; the addresses fit no small window.
const POINTERS: [&str; 6] = [
    "More info:",
    "More information:",
    "More Info:",
    "See http",
    "http",
    "For more information",
];

/// The first sentences, on one line.
pub fn brief(text: &str, length: Length) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut kept = String::new();
    for sentence in sentences(&line).take(length.sentences) {
        let pointer = POINTERS
            .iter()
            .filter_map(|words| sentence.find(words))
            .min();
        let part = sentence
            .get(..pointer.unwrap_or(sentence.len()))
            .unwrap_or_default();
        if !kept.is_empty() && !part.trim().is_empty() {
            kept.push(' ');
        }
        kept.push_str(part.trim());
        if pointer.is_some() || kept.len() > length.bytes {
            break;
        }
    }
    kept
}

/// A sentence ends with a stop before a space and a capital or a quotation mark; lists (`- Honor: …`) belong to theirs.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .match_indices(". ")
            .map(|(at, _)| at + 1)
            .find(|&end| {
                let (before, after) = rest.split_at(end);
                let abbreviated = ["e.g.", "i.e.", "etc.", "vs."];
                let starts = |c: char| c.is_uppercase() || "\"'`".contains(c);
                !abbreviated.iter().any(|word| before.ends_with(word))
                    && after.trim_start().starts_with(starts)
            })
            .unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentences_are_enough() {
        let text = "One.\nTwo, e.g. 2.\n\nThree. Four. Five.";
        assert_eq!(brief(text, SHORT), "One. Two, e.g. 2.");
        assert_eq!(brief(text, LONG), "One. Two, e.g. 2. Three. Four.");
    }

    #[test]
    fn a_list_is_not_cut() {
        let text = "Options are: - A: one. - B: two. Next. Last.";
        assert_eq!(brief(text, SHORT), "Options are: - A: one. - B: two. Next.");
    }

    #[test]
    fn pointers_are_left_out() {
        let text = "The name. More info: https://example.org. Next.";
        assert_eq!(brief(text, LONG), "The name.");
    }

    #[test]
    fn long_sentences_count_too() {
        let text = format!("A {}. Second. Third.", "very ".repeat(100).trim_end());
        assert!(brief(&text, LONG).ends_with("very."));
    }
}
