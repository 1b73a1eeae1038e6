//! The blocks of YAML of a page in Markdown, and Hugo's shortcodes that show a file.

use std::borrow::Cow;

use super::blocks::{Body, Raw, Text};
use super::include::Include;
use crate::cli::fences::attributes::{self, Attributes};
use crate::cli::fences::info::{self, Form};
use crate::cli::fences::{Fence, fences};

/// Shortcodes of kubernetes.io that show a file, with the names that it had for them before.
const SHORTCODES: [&str; 3] = ["code_sample", "codenew", "code"];

/// The blocks of a page, in its order.
pub fn blocks<'a>(lines: &[&'a str]) -> Vec<Raw<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    for fence in fences(lines) {
        found.extend(shortcodes(lines, at, fence.first));
        at = fence.end.map_or(lines.len(), |end| end + 1);
        found.extend(block(&fence, lines));
    }
    found.extend(shortcodes(lines, at, lines.len()));
    found
}

fn block<'a>(fence: &Fence<'a>, lines: &[&'a str]) -> Option<Raw<'a>> {
    let info = info::read(fence.info)?;
    let mut attributes = info.attributes;
    let mut content = fence.content(lines);
    let mut first = fence.first + 1;
    if info.form == Form::Myst {
        let options = content
            .iter()
            .take_while(|line| line.starts_with(':'))
            .count();
        let given = content.drain(..options).filter_map(attributes::option);
        attributes.add_options(given.collect());
        first += options;
    }
    let text = Text {
        first,
        indent: fence.prefix.chars().count(),
        lines: content.into_iter().map(Cow::from).collect(),
    };
    Some(Raw {
        at: fence.first,
        attributes,
        body: match fence.end {
            Some(_) => Body::Text(text),
            None => Body::Open,
        },
    })
}

/// The shortcodes of some lines.
fn shortcodes<'a>(lines: &[&'a str], from: usize, to: usize) -> Vec<Raw<'a>> {
    let some = lines.get(from..to).unwrap_or_default();
    let numbered = (from..).zip(some);
    let found = numbered.flat_map(|(at, line)| {
        let calls = outside_code(line)
            .into_iter()
            .flat_map(|text| text.split("{{").skip(1));
        let calls = calls.filter_map(shortcode);
        calls.map(move |(name, attributes)| Raw {
            at,
            attributes,
            body: Body::File(Include::Sample(name)),
        })
    });
    found.collect()
}

/// The parts of a line that are no code.
fn outside_code(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        parts.push(&rest[..start]);
        let code = &rest[start..];
        let after = code.trim_start_matches('`');
        // Without its like, a mark is text.
        rest = after_code(after, code.len() - after.len()).unwrap_or(after);
    }
    parts.push(rest);
    parts
}

/// The text after a mark of so many backticks.
fn after_code(text: &str, ticks: usize) -> Option<&str> {
    let mut rest = text;
    loop {
        let mark = &rest[rest.find('`')?..];
        let after = mark.trim_start_matches('`');
        if mark.len() - after.len() == ticks {
            return Some(after);
        }
        rest = after;
    }
}

/// Reads `% code_sample file="pods/pod.yaml" %}}`: the file, and the other parameters.
fn shortcode(text: &str) -> Option<(&str, Attributes<'_>)> {
    let mark = text.chars().next().filter(|c| matches!(c, '%' | '<'))?;
    let end = match mark {
        '%' => "%}}",
        _ => ">}}",
    };
    let (inside, _) = text.get(1..)?.split_once(end)?;
    let words = info::words(inside.trim().trim_end_matches('/'));
    let (name, words) = words.split_first()?;
    if !SHORTCODES.contains(name) {
        return None;
    }
    let attributes = attributes::of_words(words);
    Some((attributes.foreign("file")?, attributes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Line, attributes, and text or file.
    fn found(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.split('\n').collect();
        let of = |raw: &Raw| {
            let body = match &raw.body {
                Body::Text(text) => format!("{}:{}", text.first + 1, text.lines.join("|")),
                Body::File(include) => format!("{include:?}"),
                Body::Open => "open".to_owned(),
            };
            format!("{} {:?} {body}", raw.at + 1, raw.attributes.given)
        };
        blocks(&lines).iter().map(of).collect()
    }

    #[test]
    fn fences_and_shortcodes_are_found_in_their_order() {
        let page = "\
Text
```yaml cluster=lab
a: 1
```
{{% code_sample file=\"pods/pod.yaml\" expect=\"web: Bound\" %}} {{< codenew file=\"b.yaml\" >}}
```sh
{{% code_sample file=\"shown.yaml\" %}}
```
<!--
~~~yaml
b: 2
~~~
-->
{{%/* code_sample file=\"c.yaml\" */%}} `{{% code_sample file=\"d.yaml\" %}}` ```` ``` {{< code file=\"e.yaml\" >}} ````
```{code-block} yaml
:caption: A Pod
:cluster: lab

c: 3
```
```yaml
never closed";
        let expected = [
            "2 [(\"cluster\", \"lab\")] 3:a: 1",
            "5 [(\"expect\", \"web: Bound\")] Sample(\"pods/pod.yaml\")",
            "5 [] Sample(\"b.yaml\")",
            "10 [] 11:b: 2",
            "15 [(\"cluster\", \"lab\")] 18:|c: 3",
            "21 [] open",
        ];
        assert_eq!(found(page), expected);
    }
}
