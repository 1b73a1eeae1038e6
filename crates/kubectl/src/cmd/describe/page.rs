//! The page that `describe` fills: indented lines of cells, aligned at the end.

use crate::printers::tabwriter;

/// The lines so far. Cells end in tabs; each level of depth indents by two spaces.
#[derive(Default)]
pub(crate) struct Page {
    aligned: String,
    text: String,
}

impl Page {
    /// A line at a depth of indentation.
    pub(crate) fn line(&mut self, depth: usize, text: impl AsRef<str>) {
        self.text.extend(std::iter::repeat_n("  ", depth));
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// A field: its name, a colon, and its value in the next column.
    pub(crate) fn field(&mut self, depth: usize, name: &str, value: impl AsRef<str>) {
        self.line(depth, format!("{name}:\t{}", value.as_ref()));
    }

    /// A field with several values, one per line; `<none>` if there are none.
    pub(crate) fn values(&mut self, prefix: &str, name: &str, values: &[String]) {
        let Some((first, more)) = values.split_first() else {
            self.line(0, format!("{prefix}{name}:\t<none>"));
            return;
        };
        self.line(0, format!("{prefix}{name}:\t{first}"));
        for value in more {
            self.line(0, format!("\t{value}"));
        }
    }

    /// Aligns the lines so far on their own: no column continues past this point.
    pub(crate) fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.aligned.push_str(&tabwriter::align(&text, 0, 2));
    }

    /// The unaligned text, with its tabs.
    pub(crate) fn raw(self) -> String {
        self.text
    }

    /// The aligned text.
    pub(crate) fn finish(mut self) -> String {
        self.flush();
        self.aligned
    }
}
