//! Words as a shell reads them.

/// A word as a shell reads it: quoted unless it is plain.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_word_with_a_quote_stays_one_word() {
        assert_eq!(shell_word("out/kwok-1"), "out/kwok-1");
        assert_eq!(shell_word("my files"), "'my files'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
