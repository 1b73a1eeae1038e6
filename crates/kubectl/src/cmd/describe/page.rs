//! The page that `describe` fills: indented lines of cells, aligned when it is done.

use crate::printers::tabwriter;

/// Lines so far. Cells end in tabs; below a heading the lines stand two blanks deeper.
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

    /// A field with several values: one each line, below each other; `<none>` without any.
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

    /// Aligns what stands there by itself: columns do not reach over this point.
    pub(crate) fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.aligned.push_str(&tabwriter::align(&text, 0, 2));
    }

    /// The text with its tabs.
    pub(crate) fn raw(self) -> String {
        self.text
    }

    /// The aligned text.
    pub(crate) fn finish(mut self) -> String {
        self.flush();
        self.aligned
    }
}
