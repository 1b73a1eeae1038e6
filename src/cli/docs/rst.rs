//! The blocks of YAML of a page in reStructuredText.

use std::borrow::Cow;

use super::blocks::{Body, Raw, Text};
use super::include::Include;
use crate::cli::fences::attributes::{self, Attributes};
use crate::cli::fences::indentation;
use crate::cli::fences::info::is_yaml;

/// Directives whose content is code. `berth` is the adapter's, and always YAML.
const CODE: [&str; 4] = ["code-block", "code", "sourcecode", "berth"];

/// Options of `literalinclude` that choose lines.
const PARTS: [&str; 6] = [
    "lines",
    "pyobject",
    "start-after",
    "start-at",
    "end-before",
    "end-at",
];

/// The blocks of a page, in its order. Those in comments are found, too, and are hidden.
pub fn blocks<'a>(lines: &[&'a str]) -> Vec<Raw<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let end = end_of(lines, at);
        match directive(line.trim()) {
            Some((name, argument)) if CODE.contains(&name) => {
                if name == "berth" || is_yaml(argument) {
                    found.push(code(lines, at, end, name == "berth"));
                }
                at = end;
            }
            Some(("literalinclude", argument)) => {
                found.extend(file(lines, at, end, argument));
                at = end;
            }
            None if line.trim_end().ends_with("::") && !line.trim().starts_with("..") => at = end,
            _ => at += 1,
        }
    }
    found
}

/// Name and argument of `.. name:: argument`.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (name, argument) = line.strip_prefix(".. ")?.split_once("::")?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then(|| (name, argument.trim()))
}

/// The first line after those that are indented more than this one.
fn end_of(lines: &[&str], at: usize) -> usize {
    let width = lines.get(at).map_or(0, |line| indentation(line));
    let ends = |line: &&str| !line.trim().is_empty() && indentation(line) <= width;
    let after = lines.iter().skip(at + 1).position(ends);
    after.map_or(lines.len(), |after| at + 1 + after)
}

/// The options of a directive, and the index of the line after them.
fn options<'a>(lines: &[&'a str], at: usize, end: usize) -> (Vec<(&'a str, &'a str)>, usize) {
    let inside = lines.get(at + 1..end).unwrap_or_default();
    let given = inside.iter().map_while(|line| attributes::option(line));
    let given: Vec<(&str, &str)> = given.collect();
    let after = at + 1 + given.len();
    (given, after)
}

fn code<'a>(lines: &[&'a str], at: usize, end: usize, is_live: bool) -> Raw<'a> {
    let (given, first) = options(lines, at, end);
    let mut attributes = Attributes {
        is_live,
        ..Attributes::default()
    };
    attributes.add_options(given);
    let content = lines.get(first..end).unwrap_or_default();
    let blanks = |line: &&str| line.len() - line.trim_start().len();
    let written = content.iter().filter(|line| !line.trim().is_empty());
    let indent = written.map(blanks).min().unwrap_or(0);
    let shown = content
        .iter()
        .map(|line| Cow::from(line.get(indent..).unwrap_or_default()));
    Raw {
        at,
        attributes,
        body: Body::Text(Text {
            first,
            indent,
            lines: shown.collect(),
        }),
    }
}

/// A file of YAML, by its option or its name.
fn file<'a>(lines: &[&'a str], at: usize, end: usize, name: &'a str) -> Option<Raw<'a>> {
    let (given, _) = options(lines, at, end);
    let language = given.iter().find(|(name, _)| *name == "language");
    let is_meant = match language {
        Some((_, language)) => is_yaml(language),
        None => name.ends_with(".yaml") || name.ends_with(".yml"),
    };
    let is_part = given.iter().any(|(name, _)| PARTS.contains(name));
    let mut attributes = Attributes::default();
    attributes.add_options(given);
    is_meant.then_some(Raw {
        at,
        attributes,
        body: Body::File(match is_part {
            true => Include::Part,
            false => Include::Beside(name),
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.split('\n').collect();
        let of = |raw: &Raw| {
            let body = match &raw.body {
                Body::Text(text) => format!(
                    "{}+{}:{}",
                    text.first + 1,
                    text.indent,
                    text.lines.join("|")
                ),
                Body::File(include) => format!("{include:?}"),
                Body::Open => "open".to_owned(),
            };
            let live = if raw.attributes.is_live { " live" } else { "" };
            format!("{}{live} {:?} {body}", raw.at + 1, raw.attributes.given)
        };
        blocks(&lines).iter().map(of).collect()
    }

    #[test]
    fn directives_are_found_with_their_options() {
        let page = "\
Title
=====

.. code-block:: yaml
   :caption: A Pod
   :cluster: lab

   a: 1
     b: 2

.. berth::
   :view: matrix

   c: 3
..
   .. code:: yaml

      hidden: 1

.. code-block:: sh

   .. code-block:: yaml

      shown: 1

An example::

   .. code-block:: yaml

      shown: 2

.. literalinclude:: pod.yaml
.. literalinclude:: part.yaml
   :lines: 2-4
.. literalinclude:: main.py
";
        let expected = [
            "4 [(\"cluster\", \"lab\")] 7+3:|a: 1|  b: 2|",
            "11 live [(\"view\", \"matrix\")] 13+3:|c: 3",
            "16 [] 17+6:|hidden: 1|",
            "32 [] Beside(\"pod.yaml\")",
            "33 [] Part",
        ];
        assert_eq!(found(page), expected);
    }

    #[test]
    fn no_text_panics() {
        for text in [
            "",
            ".. ",
            "..",
            ".. ::",
            ".. berth::",
            ".. code-block:: yaml\n :é",
            "::",
            "é::\n\té",
        ] {
            let _ = found(text);
        }
    }
}
