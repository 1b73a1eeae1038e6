//! What a step of a lesson changes in the manifests of its start, line by line.

use berth_core::api::load::{Document, Loaded};
use berth_protocol::lesson::{Line, LineMark};

/// Beginnings of the lines that identify the object.
const HEAD: [&str; 3] = ["kind:", "metadata:", "  name:"];

/// The lines of manifests that a step applies: those that are new, those that they replace, and the lines above them
/// that say where they belong. A document whose object is not among `start` is shown whole.
pub fn changes(start: &Loaded, applied: &Loaded) -> Vec<Line> {
    let mut lines = Vec::new();
    for document in &applied.documents {
        if !lines.is_empty() {
            lines.push(line(LineMark::Kept, "---"));
        }
        let text = lines_of(applied, document);
        let mut before = start.documents.iter();
        let before = before.find(|old| old.reference() == document.reference());
        match before {
            Some(before) => lines.extend(shortened(compared(&lines_of(start, before), &text))),
            None => lines.extend(text.into_iter().map(|text| line(LineMark::Kept, text))),
        }
    }
    lines
}

fn line(mark: LineMark, text: &str) -> Line {
    Line {
        mark,
        text: text.to_owned(),
    }
}

/// The lines of a document without empty lines and comments.
fn lines_of<'t>(loaded: &'t Loaded, document: &Document) -> Vec<&'t str> {
    let lines = loaded.text(&document.source).lines().map(str::trim_end);
    lines
        .filter(|line| !matches!(line.trim_start().bytes().next(), None | Some(b'#')))
        .filter(|line| *line != "---")
        .collect()
}

/// Both texts as one, by their longest common subsequence of lines.
fn compared<'t>(before: &[&'t str], after: &[&'t str]) -> Vec<(LineMark, &'t str)> {
    let width = after.len() + 1;
    let mut common = vec![0usize; (before.len() + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    for (row, old) in before.iter().enumerate().rev() {
        for (column, new) in after.iter().enumerate().rev() {
            let longest = match old == new {
                true => common.get(at(row + 1, column + 1)).copied().unwrap_or(0) + 1,
                false => {
                    let below = common.get(at(row + 1, column)).copied().unwrap_or(0);
                    below.max(common.get(at(row, column + 1)).copied().unwrap_or(0))
                }
            };
            if let Some(cell) = common.get_mut(at(row, column)) {
                *cell = longest;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut merged = Vec::new();
    loop {
        let step = match (before.get(row), after.get(column)) {
            (Some(old), Some(new)) if old == new => (LineMark::Kept, *new),
            (Some(old), Some(_))
                if common.get(at(row + 1, column)) >= common.get(at(row, column + 1)) =>
            {
                (LineMark::Gone, *old)
            }
            (_, Some(new)) => (LineMark::New, *new),
            (Some(old), None) => (LineMark::Gone, *old),
            (None, None) => return merged,
        };
        row += usize::from(step.0 != LineMark::New);
        column += usize::from(step.0 != LineMark::Gone);
        merged.push(step);
    }
}

/// The lines that differ, with the kind, the name and the keys that they are under; other lines are left out. All lines
/// if none differs.
fn shortened(lines: Vec<(LineMark, &str)>) -> Vec<Line> {
    let is_same = lines.iter().all(|(mark, _)| *mark == LineMark::Kept);
    let shown = match is_same {
        true => vec![true; lines.len()],
        false => shown(&lines),
    };
    let mut short: Vec<Line> = Vec::new();
    for ((mark, text), is_shown) in lines.into_iter().zip(shown) {
        if is_shown {
            short.push(line(mark, text));
        } else if short.last().is_some_and(|last| last.mark != LineMark::Left) {
            let indent = " ".repeat(indentation(text));
            short.push(line(LineMark::Left, &format!("{indent}…")));
        }
    }
    short
}

/// Which lines differ, say what object it is, or are keys above lines that differ.
fn shown(lines: &[(LineMark, &str)]) -> Vec<bool> {
    let mut shown = vec![false; lines.len()];
    // Depth of the nearest line below that is shown: a line with less is a key above it.
    let mut below = 0;
    for ((mark, text), is_shown) in lines.iter().zip(&mut shown).rev() {
        let own = depth(text);
        let is_head = HEAD.iter().any(|head| text.starts_with(head));
        if *mark != LineMark::Kept || own < below || is_head {
            *is_shown = true;
            below = own;
        }
    }
    shown
}

/// How deep a line is in its document. The items of a list may be indented as its key is.
fn depth(text: &str) -> usize {
    indentation(text) * 2 + usize::from(text.trim_start_matches(' ').starts_with('-'))
}

fn indentation(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use berth_core::api::load::load;

    use super::*;
    use berth_core::api::source::SourceFile;

    const START: &str = "\
apiVersion: v1
kind: Namespace
metadata:
  name: other
---
# A comment
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  template:
    metadata:
      labels: {app: web}
    spec:
      nodeSelector: {disk: hdd}
      containers:
      - name: web
        image: nginx
";

    fn drawn(applied: &str) -> String {
        let start = load(&[SourceFile::new("", START)]);
        let lines = changes(&start, &load(&[SourceFile::new("", applied)]));
        let lines = lines.iter().map(|line| {
            let sign = match line.mark {
                LineMark::Kept | LineMark::Left => ' ',
                LineMark::New => '+',
                LineMark::Gone => '-',
            };
            format!("{sign}{}\n", line.text)
        });
        lines.collect()
    }

    #[test]
    fn a_change_is_shown_with_the_keys_above_it() {
        let applied = START
            .split_once("---\n")
            .map(|(_, own)| own.replace("hdd", "ssd"))
            .unwrap();
        assert_eq!(
            drawn(&applied),
            " kind: Deployment
 metadata:
   name: web
 spec:
   …
   template:
     …
     spec:
-      nodeSelector: {disk: hdd}
+      nodeSelector: {disk: ssd}
       …
"
        );
    }

    #[test]
    fn what_is_taken_away_and_added_at_several_depths_keeps_its_keys() {
        let applied = START
            .split_once("---\n")
            .map(|(_, own)| {
                let own = own.replace("      nodeSelector: {disk: hdd}\n", "");
                own.replace("replicas: 2\n", "replicas: 3\n").replace(
                    "        image: nginx\n",
                    "        image: nginx\n        ports:\n        - containerPort: 80\n",
                )
            })
            .unwrap();
        assert_eq!(
            drawn(&applied),
            " kind: Deployment
 metadata:
   name: web
 spec:
-  replicas: 2
+  replicas: 3
   template:
     …
     spec:
-      nodeSelector: {disk: hdd}
       containers:
       - name: web
         …
+        ports:
+        - containerPort: 80
"
        );
    }

    #[test]
    fn a_new_object_and_an_unchanged_one_are_shown_whole() {
        let new = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: fresh\n";
        let unchanged = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: other\n";
        let drawn = drawn(&format!("{new}---\n{unchanged}"));
        let whole =
            |text: &str| -> String { text.lines().map(|line| format!(" {line}\n")).collect() };
        assert_eq!(drawn, format!("{} ---\n{}", whole(new), whole(unchanged)));
    }
}
