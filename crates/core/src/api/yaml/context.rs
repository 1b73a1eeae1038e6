//! State and limits while one document is read.

use std::ops::Range;

use serde::de::Error;
use serde_json::Value;

use super::syntax::EXPANDS_TOO_MUCH;
use super::value::{Duplicate, Parsed};

/// Maximum size that aliases and merge keys may add to a document, in nodes plus bytes of text.
/// Without them, a document has at most two such units for each of its bytes.
const MAX_EXPANSION: usize = 4 << 20;

/// The state while one document is read.
pub(super) struct Context<'t> {
    text: &'t str,
    /// The remaining budget of nodes plus bytes.
    budget: usize,
    /// Path of the current node, for duplicate keys.
    pub(super) path: String,
    pub(super) duplicates: Vec<Duplicate>,
    /// Offset of the first string since the last reset.
    pub(super) first_offset: Option<usize>,
    /// For each item of a top-level `items`: the offset of its first string.
    pub(super) item_offsets: Vec<Option<usize>>,
}

impl<'t> Context<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Context {
            text,
            budget: text.len().saturating_mul(2).saturating_add(MAX_EXPANSION),
            path: String::new(),
            duplicates: Vec::new(),
            first_offset: None,
            item_offsets: Vec::new(),
        }
    }

    pub(super) fn finish(self, value: Value) -> Parsed {
        let items = item_ranges(self.text, &self.item_offsets);
        Parsed {
            value,
            duplicates: self.duplicates,
            items,
        }
    }

    pub(super) fn spend<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        match self.budget.checked_sub(bytes.saturating_add(1)) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(E::custom(EXPANDS_TOO_MUCH)),
        }
    }

    /// The offset of a string that is borrowed from the text.
    pub(super) fn offset_of(&self, borrowed: &str) -> Option<usize> {
        let offset = (borrowed.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (offset <= self.text.len()).then_some(offset)
    }

    pub(super) fn is_plain(&self, borrowed: &str) -> bool {
        let Some(before) = self
            .offset_of(borrowed)
            .and_then(|offset| self.text.get(..offset))
        else {
            return false;
        };
        !before.ends_with(['\'', '"']) && !before.trim_end_matches(' ').ends_with("!!str")
    }

    pub(super) fn note_offset(&mut self, borrowed: &str) {
        if self.first_offset.is_none() {
            self.first_offset = self.offset_of(borrowed);
        }
    }
}

/// The ranges of a list's items: in block style from the line of the dash, in flow style from the
/// opening brace.
fn item_ranges(text: &str, offsets: &[Option<usize>]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = offsets
        .iter()
        .map(|offset| offset.map_or(text.len(), |at| item_start(text, at)))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| start..end.max(start))
        .collect()
}

fn item_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let indentation = before.get(line_start..).unwrap_or_default();
    if indentation.trim_start().starts_with("- ") {
        return line_start;
    }
    // The dash may have a line of its own.
    let above = before.get(..line_start).unwrap_or_default().trim_end();
    let dash_line = above.rfind('\n').map_or(0, |newline| newline + 1);
    if indentation.trim().is_empty() && above.get(dash_line..).map(str::trim) == Some("-") {
        return dash_line;
    }
    before.rfind('{').unwrap_or(offset)
}
