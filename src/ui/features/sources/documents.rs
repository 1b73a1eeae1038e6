//! The documents of a manifest text, found by a line scan, for the list that jumps to them.

use berth_protocol::frame::PodFrame;

/// A document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its first line, from 1.
    pub line: u32,
    pub kind: String,
    pub name: String,
}

/// In a text longer than this, in bytes, no more than the listed documents are looked for: the scan runs after every
/// pause in typing, between two frames.
const BYTES: usize = 1 << 20;
/// A Scenario's title is among this many lines.
const BEGINNING: usize = 60;
/// Maximum number of documents in the list.
pub const LISTED: usize = 500;

/// Whether the list may end before the text does.
pub fn is_cut(text: &str, documents: &[Document]) -> bool {
    text.len() > BYTES && documents.len() >= LISTED
}

/// The documents of a text, and the items of lists in block style, in order. Those without a kind are left out.
pub fn documents(text: &str) -> Vec<Document> {
    let most = if text.len() > BYTES {
        LISTED
    } else {
        usize::MAX
    };
    let mut scan = Scan::default();
    for (number, line) in (1..).zip(text.lines()) {
        scan.read(number, line);
        if scan.found.len() > most {
            break;
        }
    }
    scan.close(0);
    scan.found.truncate(most);
    scan.found
}

/// The column of a Scenario's title, after its key.
pub const TITLE_COLUMN: u32 = 8;

/// The line of the Scenario's title, from 1, if the text begins with a Scenario.
pub fn title_line(text: &str) -> Option<u32> {
    let first = (1..).zip(text.lines().take(BEGINNING));
    let first = first.take_while(|(number, line)| *number == 1 || line.trim_end() != "---");
    let mut is_scenario = false;
    let mut title = None;
    for (number, line) in first {
        is_scenario |= line.starts_with("kind: Scenario");
        title = title.or(line.starts_with("title: ").then_some(number));
    }
    title.filter(|_| is_scenario)
}

/// A scan of lines.
#[derive(Default)]
struct Scan {
    found: Vec<Document>,
    now: Document,
    /// The column of the fields of the document or item.
    column: usize,
    /// The lines belong to its `metadata`.
    in_metadata: bool,
    /// The column of its fields, once one was seen.
    metadata_column: Option<usize>,
    /// The lines belong to `items` of the document, whose kind may follow them.
    list: Option<Document>,
}

impl Scan {
    fn read(&mut self, number: u32, line: &str) {
        if line.trim_end() == "---" || line.starts_with("--- ") {
            self.close(number + 1);
            return;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let text = line.get(indent..).unwrap_or_default();
        if self.list.is_some() {
            if let Some(field) = text.strip_prefix("- ")
                && (self.column == 0 || indent + 2 == self.column)
            {
                self.begin_item(number, indent + 2);
                self.field(field);
                return;
            }
            if indent == 0 && !text.is_empty() && !text.starts_with('#') {
                // A field of the list itself, after its items.
                self.end_items();
            }
        }
        if indent == self.column {
            if self.list.is_none() && text.trim_end() == "items:" {
                self.list = Some(std::mem::take(&mut self.now));
                self.in_metadata = false;
                return;
            }
            self.field(text);
        } else if self.in_metadata && !text.is_empty() && !text.starts_with('#') {
            let column = *self.metadata_column.get_or_insert(indent);
            let name = text.strip_prefix("name:");
            if let Some(name) = name.filter(|_| indent == column) {
                self.now.name = value(name);
            }
        }
    }

    /// A field of the document or item.
    fn field(&mut self, text: &str) {
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        self.in_metadata = false;
        if let Some(kind) = text.strip_prefix("kind:") {
            self.now.kind = value(kind);
        } else if let Some(rest) = text.strip_prefix("metadata:") {
            self.in_metadata = true;
            self.metadata_column = None;
            if let Some((_, after)) = rest.split_once("name:") {
                self.now.name = value(after);
            }
        }
    }

    fn begin_item(&mut self, line: u32, column: usize) {
        self.keep();
        self.now.line = line;
        self.column = column;
    }

    /// Goes on with the document that holds the items. It is listed before them.
    fn end_items(&mut self) {
        self.keep();
        self.column = 0;
        if let Some(list) = self.list.take() {
            self.now = list;
        }
    }

    /// Ends the document; the next begins at this line.
    fn close(&mut self, next: u32) {
        self.end_items();
        self.keep();
        self.now.line = next;
    }

    fn keep(&mut self) {
        let mut now = std::mem::take(&mut self.now);
        now.line = now.line.max(1);
        if !now.kind.is_empty() {
            let at = self.found.partition_point(|known| known.line < now.line);
            self.found.insert(at, now);
        }
        self.in_metadata = false;
    }
}

/// The last line, from 1, in which the new text differs from the old one. `None` if they are equal.
pub fn last_change(old: &str, new: &str) -> Option<u32> {
    if old == new {
        return None;
    }
    let pairs = new.lines().rev().zip(old.lines().rev());
    let below = pairs.take_while(|(new, old)| new == old).count();
    let line = new.lines().count().saturating_sub(below).max(1);
    u32::try_from(line).ok()
}

/// Whether more than half of the lines of a text are replaced, so that it is another one.
pub fn is_another(old: &str, new: &str) -> bool {
    let above = new.lines().zip(old.lines());
    let above = above.take_while(|(new, old)| new == old).count();
    let lines = old.lines().count();
    let below = new.lines().rev().zip(old.lines().rev());
    let below = below.take_while(|(new, old)| new == old).count();
    2 * lines.saturating_sub(above + below) > lines
}

/// The first line of the document that a Pod comes from: its own, its owner's or its Deployment's.
pub fn line_of(documents: &[Document], pod: &PodFrame) -> Option<u32> {
    let own = ("Pod", pod.key.rsplit('/').next().unwrap_or_default());
    let owner = pod.owner.split_once('/').unwrap_or(own);
    let deployment = ("Deployment", pod.workload_name());
    let line = |(kind, name): (&str, &str)| {
        let mut documents = documents.iter();
        let found = documents.find(|document| document.kind == kind && document.name == name);
        found.map(|document| document.line)
    };
    [own, owner, deployment].into_iter().find_map(line)
}

/// The position of the document that a line belongs to: of what is above all of them, the first.
pub fn at(documents: &[Document], line: u32) -> Option<usize> {
    let here = documents.iter().rposition(|document| document.line <= line);
    here.or((!documents.is_empty()).then_some(0))
}

/// A scalar without quotes, trailing comment, and the rest of a flow mapping.
fn value(text: &str) -> String {
    let text = text.split(" #").next().unwrap_or_default();
    let end = text.find([',', '}']).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default().trim();
    text.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{BYTES, Document, LISTED, at, documents, is_another, is_cut, last_change, line_of};
    use berth_protocol::frame::PodFrame;

    #[test]
    fn the_title_is_that_of_a_scenario_at_the_beginning() {
        let scenario =
            "# A note.\napiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: New\n---\n";
        assert_eq!(super::title_line(scenario), Some(4));
        assert_eq!(super::title_line(&format!("---\n{scenario}")), Some(5));
        assert_eq!(super::title_line("kind: Pod\ntitle: no\n"), None);
        assert_eq!(super::title_line("kind: Scenario\n---\ntitle: no\n"), None);
    }

    #[test]
    fn a_pod_comes_from_its_own_document_its_owners_or_its_deployments() {
        let text = "kind: Node\nmetadata: {name: web}\n---\nkind: Deployment\nmetadata: {name: web}\n---\n\
                    kind: StatefulSet\nmetadata: {name: db}\n---\nkind: Pod\nmetadata: {name: report}\n";
        let documents = documents(text);
        let pod = |key: &str, owner: &str| {
            let labels = [("pod-template-hash".to_owned(), "5d8".to_owned())];
            let (key, owner) = (key.to_owned(), owner.to_owned());
            let pod = PodFrame {
                key,
                owner,
                labels: labels.into(),
                ..PodFrame::default()
            };
            line_of(&documents, &pod)
        };
        assert_eq!(pod("default/web-5d8-x7k2p", "ReplicaSet/web-5d8"), Some(4));
        assert_eq!(pod("default/db-0", "StatefulSet/db"), Some(7));
        assert_eq!(pod("default/report", ""), Some(10));
        assert_eq!(pod("default/web", "ReplicaSet/other"), None);
    }

    #[test]
    fn the_last_line_that_changed_is_found() {
        assert_eq!(last_change("a\nb\n", "a\nb\n"), None);
        assert_eq!(last_change("a\nb\nc\n", "a\nd\nc\n"), Some(2));
        assert_eq!(last_change("a\nb\n", "a\nb\n---\nc\n"), Some(4));
        assert_eq!(last_change("a\nb\nc\n", "a\nc\n"), Some(1));
        assert_eq!(last_change("a\n", ""), Some(1));
    }

    #[test]
    fn a_text_is_another_one_if_more_than_half_of_it_is_replaced() {
        assert!(!is_another("", "a\n"));
        assert!(!is_another("a\nb\nc\n", "a\nd\nc\n"));
        assert!(!is_another("a\nb\n", "a\nb\n---\nc\n"));
        assert!(is_another("a\nb\nc\n", "a\nd\ne\nf\n"));
        assert!(is_another("a\nb\nc\nd\n", "x\nd\n"));
    }

    #[test]
    fn a_line_above_all_documents_belongs_to_the_first() {
        let found = [3, 5].map(|line| Document {
            line,
            ..Document::default()
        });
        let here = [1, 3, 4, 5].map(|line| at(&found, line));
        assert_eq!(here, [Some(0), Some(0), Some(0), Some(1)]);
        assert_eq!(at(&[], 1), None);
    }

    #[test]
    fn a_long_text_has_a_list_that_may_be_cut() {
        let text = "kind: Pod\n---\n".repeat(BYTES / 14 + 1);
        let found = documents(&text);
        assert_eq!(found.len(), LISTED);
        assert!(is_cut(&text, &found));
        let found = documents(&text[..BYTES]);
        assert!(found.len() > LISTED && !is_cut(&text[..BYTES], &found));
    }

    #[test]
    fn items_of_a_list_are_found_in_both_indentations() {
        let found = |text: &str| -> Vec<_> {
            documents(text)
                .into_iter()
                .map(|document| (document.line, document.kind, document.name))
                .collect()
        };
        let dump = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    labels:\n      name: no\n    \
                    name: one\n  spec:\n    kind: no\n    taints:\n    - key: a\n- kind: Pod\n  metadata:\n    name: two\n\
                    kind: List\nmetadata:\n  resourceVersion: \"\"\n---\nkind: Pod\nmetadata: {name: three}\n";
        let expected = [
            (1, "List", ""),
            (3, "Node", "one"),
            (13, "Pod", "two"),
            (20, "Pod", "three"),
        ];
        let expected = expected.map(|(line, kind, name)| (line, kind.to_owned(), name.to_owned()));
        assert_eq!(found(dump), expected);
        let indented = "kind: List\nitems:\n  - kind: Pod\n    metadata:\n      name: two\n    spec:\n      - kind: no\n";
        let expected = [(1, "List", ""), (3, "Pod", "two")];
        let expected = expected.map(|(line, kind, name)| (line, kind.to_owned(), name.to_owned()));
        assert_eq!(found(indented), expected);
    }

    #[test]
    fn kinds_and_names_are_found_in_both_styles() {
        let text = "# first\nkind: Node\nmetadata:\n  labels: {a: b}\n  name: 'one' # ok\n---\n\
                    # nothing\n---\nkind: Pod\nmetadata: {labels: {}, name: two, x: y}\n";
        let found: Vec<_> = documents(text)
            .into_iter()
            .map(|document| (document.line, document.kind, document.name))
            .collect();
        let expected = [(1, "Node", "one"), (9, "Pod", "two")];
        let expected = expected.map(|(line, kind, name)| (line, kind.to_owned(), name.to_owned()));
        assert_eq!(found, expected);
    }
}
