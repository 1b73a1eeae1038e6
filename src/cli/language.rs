//! The language of the command: that of `--lang`, or else of the environment.

use berth_catalogue::OTHER;
use intl_pluralrules::{PluralCategory, PluralRuleType, PluralRules};
use unic_langid::LanguageIdentifier;

use crate::words::language::{Language, install, set_current};

/// The catalogues of [`Language::translated`].
const CATALOGUES: &[&str] = berth_words::catalogues!();

/// The variables that name the language of messages, the strongest first (POSIX).
const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// The language that `--lang` names.
///
/// # Errors
/// The languages that there are.
pub fn parse(tag: &str) -> Result<Language, String> {
    Language::of_tag(&tag.replace('_', "-"))
        .ok_or_else(|| format!("there is no such language; use {}", tags()))
}

/// What `--lang` does.
pub fn help() -> String {
    format!(
        "The language of the output, {}; without it, that of LC_ALL, LC_MESSAGES or LANG. Kubernetes' own messages, help and data (JSON and the like) are in English",
        tags()
    )
}

fn tags() -> String {
    let tags: Vec<&str> = Language::all().map(Language::tag).collect();
    tags.join(" or ")
}

/// Sets the language of what is printed.
pub fn set(asked: Option<Language>) {
    let language = asked.unwrap_or_else(|| of_environment(|name| std::env::var(name).ok()));
    let mut catalogues = Language::translated().zip(CATALOGUES);
    if let Some((_, text)) = catalogues.find(|(own, _)| *own == language) {
        install(language, (*text).to_owned(), category(language.tag()));
    }
    set_current(language);
}

/// The plural category of a count in a language, or in that of which it is a variant.
fn category(tag: &str) -> impl Fn(usize) -> String + use<> {
    let primary = tag.split('-').next().unwrap_or_default();
    let rules = |tag: &str| {
        let language: LanguageIdentifier = tag.parse().ok()?;
        PluralRules::create(language, PluralRuleType::CARDINAL).ok()
    };
    let rules = rules(tag).or_else(|| rules(primary));
    move |count| {
        let category = rules.as_ref().and_then(|rules| rules.select(count).ok());
        let category = match category {
            Some(PluralCategory::ZERO) => "zero",
            Some(PluralCategory::ONE) => "one",
            Some(PluralCategory::TWO) => "two",
            Some(PluralCategory::FEW) => "few",
            Some(PluralCategory::MANY) => "many",
            Some(PluralCategory::OTHER) | None => OTHER,
        };
        category.to_owned()
    }
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
    use super::{CATALOGUES, Language, category, of_environment, parse};

    #[test]
    fn the_strongest_variable_decides() {
        let of = |set: &[(&str, &str)]| {
            of_environment(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let chinese = parse("zh-CN").unwrap();
        assert_eq!(of(&[]), Language::SOURCE);
        assert_eq!(of(&[("LANG", "zh_CN.UTF-8")]), chinese);
        let both = [("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8")];
        assert_eq!(of(&both), Language::SOURCE);
        let empty = [("LC_ALL", ""), ("LC_MESSAGES", "zh_TW")];
        assert_eq!(of(&empty), chinese);
        assert_eq!(of(&[("LANG", "fr_FR@euro")]), Language::SOURCE);
        assert!(parse("fr").is_err_and(|why| why.contains("en or zh-CN")));
    }

    #[test]
    fn every_language_has_its_catalogue() {
        assert_eq!(Language::translated().count(), CATALOGUES.len());
        for (language, text) in Language::translated().zip(CATALOGUES) {
            assert_eq!(berth_catalogue::head(text, "name"), Some(language.name()));
        }
    }

    #[test]
    fn counts_have_the_categories_of_their_language() {
        let of = |tag| [1, 2, 5, 22].map(category(tag));
        assert_eq!(of("pl"), ["one", "few", "many", "few"]);
        assert_eq!(of("pt-BR"), ["one", "other", "other", "other"]);
        assert_eq!(of("zh-CN"), ["other"; 4]);
        assert_eq!(of("tlh"), ["other"; 4], "a language that CLDR has not");
    }
}
