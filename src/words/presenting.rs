//! Names of keys, as presentation size shows them.

use berth_words::text;

/// A pressed key; none for a modifier alone.
pub fn key(key: &str, command: bool, shift: bool) -> Option<String> {
    let name = match key {
        // A clicker sends these; they are not shortcuts to learn.
        "PageDown" | "PageUp" => return None,
        "Control" | "Shift" | "Alt" | "Meta" | "AltGraph" | "Dead" | "Unidentified" => return None,
        " " => text!("Space").get(),
        "ArrowLeft" => "←",
        "ArrowRight" => "→",
        "ArrowUp" => "↑",
        "ArrowDown" => "↓",
        "Escape" => "Esc",
        other => other,
    };
    // Shift is part of a character such as `?`.
    let is_letter = name.chars().count() == 1 && !name.contains(['←', '→', '↑', '↓']);
    let mut text = String::new();
    if command {
        text.push_str("Ctrl ");
    }
    if shift && (!is_letter || command) {
        text.push_str("Shift ");
    }
    if is_letter {
        text.push_str(&name.to_uppercase());
    } else {
        text.push_str(name);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn keys_have_the_names_that_are_printed_on_them() {
        let of =
            |name: &str, command: bool, shift: bool| key(name, command, shift).unwrap_or_default();
        assert_eq!(of("ArrowRight", false, true), "Shift →");
        assert_eq!(of("z", true, true), "Ctrl Shift Z");
        assert_eq!(
            (of("?", false, true), of(" ", false, false)),
            ("?".into(), "Space".into())
        );
        assert_eq!(key("Shift", false, true), None);
        assert_eq!(key("PageDown", false, false), None);
    }
}
