//! Manifests of a lesson's step, as elements.

use berth_protocol::lesson::{Line, LineMark};
use yew::{Html, html};

/// Manifests with what a step changes in them. Copied, they are as they become.
pub fn changes(lines: &[Line]) -> Html {
    let lines = lines.iter().map(|line| {
        let text = format!("{}\n", line.text);
        match line.mark {
            LineMark::Kept => html! { { text } },
            LineMark::New => html! { <ins>{ text }</ins> },
            LineMark::Gone => html! { <del>{ text }</del> },
            LineMark::Left => html! { <span class="muted">{ text }</span> },
        }
    });
    html! { <pre class="lesson__yaml" tabindex="0"><code>{ for lines }</code></pre> }
}

/// The lines that change, each with the line above it, and which object it is; all lines if none changes.
pub fn essence(lines: &[Line]) -> Vec<Line> {
    let changes = |line: &Line| matches!(line.mark, LineMark::New | LineMark::Gone);
    if !lines.iter().any(changes) {
        return lines.to_vec();
    }
    let names = ["---", "kind:", "  name:"];
    let is_essential = |(at, line): &(usize, &Line)| {
        changes(line)
            || names.iter().any(|name| line.text.starts_with(name))
            || (line.mark == LineMark::Kept && lines.get(at + 1).is_some_and(changes))
    };
    let essential = lines.iter().enumerate().filter(is_essential);
    essential.map(|(_, line)| line.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        let lines = text.lines().map(|line| {
            let (sign, text) = line.split_at(1);
            let mark = match sign {
                "+" => LineMark::New,
                "-" => LineMark::Gone,
                "." => LineMark::Left,
                _ => LineMark::Kept,
            };
            Line {
                mark,
                text: text.to_owned(),
            }
        });
        lines.collect()
    }

    #[test]
    fn the_essence_is_what_changes_and_where() {
        let all = lines(
            " kind: Deployment
 metadata:
   name: web
 spec:
   template:
.    …
     spec:
-      a: 1
+      a: 2
       b:
.      …
+      - c
 ---
 kind: Service
 metadata:
   name: web
+spec: {}",
        );
        let short = lines(
            " kind: Deployment
   name: web
     spec:
-      a: 1
+      a: 2
+      - c
 ---
 kind: Service
   name: web
+spec: {}",
        );
        assert_eq!(essence(&all), short);
        let whole = lines(" kind: Namespace\n metadata:\n   name: fresh");
        assert_eq!(essence(&whole), whole);
    }
}
