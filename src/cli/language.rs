//! The language of the command: that of `--lang`, or else of the environment.

use crate::words::language::{Language, install, set_current};

const CHINESE: &str = include_str!("../words/zh-CN.txt");

/// The variables that name the language of messages, the strongest first (POSIX).
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// The language that `--lang` names.
///
/// # Errors
/// The languages that there are.
pub fn parse(tag: &str) -> Result<Language, String> {
    Language::of_tag(&tag.replace('_', "-")).ok_or_else(|| {
        let known = Language::ALL.map(Language::tag).join(" or ");
        format!("there is no such language; use {known}")
    })
}

/// Sets the language of what is printed.
pub fn set(asked: Option<Language>) {
    let language = asked.unwrap_or_else(|| of_environment(|name| std::env::var(name).ok()));
    if language == Language::Chinese {
        install(CHINESE.to_owned());
    }
    set_current(language);
}

/// The language of the first variable that is set; English for `C`, `POSIX` and languages that there are not.
fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Language {
    let mut set = VARIABLES.into_iter().filter_map(variable);
    let locale = set.find(|value| !value.is_empty()).unwrap_or_default();
    // `zh_CN.UTF-8`.
    let tag = locale.split(['.', '@']).next().unwrap_or_default();
    parse(tag).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Language, of_environment, parse};

    #[test]
    fn the_strongest_variable_decides() {
        let of = |set: &[(&str, &str)]| {
            of_environment(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[]), Language::English);
        assert_eq!(of(&[("LANG", "zh_CN.UTF-8")]), Language::Chinese);
        let both = [("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")];
        assert_eq!(of(&both), Language::English);
        let empty = [("LC_ALL", ""), ("LC_MESSAGES", "zh_TW")];
        assert_eq!(of(&empty), Language::Chinese);
        assert_eq!(of(&[("LANG", "fr_FR@euro")]), Language::English);
        assert!(parse("fr").is_err_and(|why| why.contains("zh-CN")));
    }
}
