//! Reads the words after a fence: the language, Berth's attributes, and what is for the tool.

use super::attributes::{self, Attributes};

/// How a tool writes that a block is one of YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `yaml berth view=matrix`. The adapters rewrite this one.
    Words,
    /// `berth {view="matrix"}`, as Hugo's render hook has it.
    Hugo,
    /// `{.yaml view=matrix}`, as Pandoc and Superfences have it.
    Braces,
    /// `{code-block} yaml`, as MyST has it; the attributes are the first lines of the block.
    Myst,
}

/// The info string of a block of YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info<'a> {
    pub form: Form,
    /// The language as it is written: `yaml{1,3}`.
    pub language: &'a str,
    pub attributes: Attributes<'a>,
}

/// Reads an info string; `None` if the block is of another language.
pub fn read(info: &str) -> Option<Info<'_>> {
    let (form, language, words) = form_of(info)?;
    let mut attributes = attributes::of_words(&words);
    attributes.is_live |= form == Form::Hugo;
    Some(Info {
        form,
        language,
        attributes,
    })
}

fn form_of(info: &str) -> Option<(Form, &str, Vec<&str>)> {
    let all = words(info);
    let (first, rest) = all.split_first()?;
    if is_yaml(first) {
        return Some((Form::Words, first, rest.to_vec()));
    }
    if *first == "berth" {
        let after = info.trim().strip_prefix("berth").unwrap_or_default();
        return Some((Form::Hugo, first, words(unbraced(after)?)));
    }
    if matches!(*first, "{code-block}" | "{code}" | "{sourcecode}") {
        let (language, rest) = rest.split_first()?;
        return is_yaml(language).then(|| (Form::Myst, *language, rest.to_vec()));
    }
    let inside = words(unbraced(info)?);
    let (first, rest) = inside.split_first()?;
    let language = first.strip_prefix('.')?;
    let rest = rest
        .iter()
        .map(|word| word.strip_prefix('.').unwrap_or(word));
    is_yaml(language).then(|| (Form::Braces, language, rest.collect()))
}

/// The text within braces; an empty text has none, and needs none.
fn unbraced(text: &str) -> Option<&str> {
    let text = text.trim();
    match text.is_empty() {
        true => Some(text),
        false => text.strip_prefix('{')?.strip_suffix('}'),
    }
}

/// Whether a word names YAML, whatever the tool reads of what follows: `yaml`, `yml`, `yaml{1,3}`.
pub fn is_yaml(word: &str) -> bool {
    let after = word.strip_prefix("yaml").or(word.strip_prefix("yml"));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    after.is_some_and(|after| !after.starts_with(is_word))
}

/// The words of an info string; blanks within the quotes of `name="value"` do not separate.
pub fn words(info: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = info.trim_start();
    while !rest.is_empty() {
        let plain = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let end = quoted_end(rest).unwrap_or(plain);
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

/// The end of a `name="value"` at the beginning of a text.
fn quoted_end(text: &str) -> Option<usize> {
    let equals = text.find('=').filter(|at| *at > 0)?;
    if text[..equals].contains(char::is_whitespace) {
        return None;
    }
    let value = &text[equals + 1..];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let end = equals + 2 + value[1..].find(quote)? + 1;
    let ends = text[end..].chars().next().is_none_or(char::is_whitespace);
    ends.then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Given<'i> = (Form, Vec<(&'i str, &'i str)>, bool);

    fn given(info: &str) -> Option<Given<'_>> {
        let info = read(info)?;
        Some((info.form, info.attributes.given, info.attributes.is_live))
    }

    #[test]
    fn each_tool_writes_yaml_in_its_way() {
        let matrix = vec![("view", "matrix")];
        for (info, form, attributes, is_live) in [
            ("yaml", Form::Words, vec![], false),
            ("yml berth view=matrix", Form::Words, matrix.clone(), true),
            (
                "yaml cluster=lab",
                Form::Words,
                vec![("cluster", "lab")],
                false,
            ),
            ("berth {view=\"matrix\"}", Form::Hugo, matrix.clone(), true),
            ("berth", Form::Hugo, vec![], true),
            (
                "{.yaml .berth view=matrix}",
                Form::Braces,
                matrix.clone(),
                true,
            ),
            ("{ .yaml title=\"a b\" }", Form::Braces, vec![], false),
            ("{code-block} yaml", Form::Myst, vec![], false),
        ] {
            assert_eq!(given(info), Some((form, attributes, is_live)), "{info}");
        }
        for info in [
            "",
            "sh berth",
            "yamllint",
            "{code-block} sh",
            "{note}",
            "{.sh}",
            "{",
            "berth x",
        ] {
            assert_eq!(given(info), None, "{info}");
        }
    }
}
