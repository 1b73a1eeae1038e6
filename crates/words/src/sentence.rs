//! Sentences with placeholders, `{name}`.

/// The names of a sentence's placeholders, each once, in order.
///
/// # Errors
/// If a brace belongs to no placeholder.
pub fn names(sentence: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = sentence;
    while let Some(at) = rest.find(['{', '}']) {
        let placeholder = rest[at..].strip_prefix('{');
        let parts = placeholder.and_then(|inside| inside.split_once('}'));
        let Some((name, after)) = parts.filter(|(name, _)| is_name(name)) else {
            return Err(format!(
                "a brace in \"{sentence}\" belongs to no placeholder: write {{name}}"
            ));
        };
        if !names.contains(&name) {
            names.push(name);
        }
        rest = after;
    }
    Ok(names)
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    text.starts_with(is_letter)
        && text
            .chars()
            .all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

/// The value of a string literal; `None` if it is another kind of literal.
pub fn literal(token: &str) -> Option<String> {
    let inside = token.strip_prefix('"')?.strip_suffix('"')?;
    let mut letters = inside.chars().peekable();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next()? {
            '\n' => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
            escaped @ ('"' | '\\' | '\'') => text.push(escaped),
            // A sentence is one line, and has no letters that cannot be typed.
            _ => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{literal, names};

    #[test]
    fn placeholders_are_named() {
        assert_eq!(names("{a} and {b_2}, {a}"), Ok(vec!["a", "b_2"]));
        assert_eq!(names("no one"), Ok(Vec::new()));
        for wrong in ["{}", "{0}", "a } b", "{a", "{a.b}", "{a:02}"] {
            assert!(names(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn literals_are_read_as_rust_reads_them() {
        assert_eq!(literal("\"a \\\"b\\\"\"").as_deref(), Some("a \"b\""));
        assert_eq!(literal("\"a \\\n   b\"").as_deref(), Some("a b"));
        assert_eq!(literal("1"), None);
        assert_eq!(literal("\"a\\nb\""), None);
    }
}
