//! Replacements of ranges of a text.

use std::ops::Range;
use std::sync::Arc;

use crate::api::source::SourceFile;
use berth_protocol::edit::Change;

/// A range of a text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Splice {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }

    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::new(at..at, text)
    }
}

/// The text with splices applied, which must be sorted and disjoint.
pub(super) fn spliced(text: &str, splices: &[Splice]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for splice in splices {
        result.push_str(text.get(at..splice.range.start).unwrap_or_default());
        result.push_str(&splice.text);
        at = splice.range.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

/// Applies changes to files. Unchanged files share their text with the input.
///
/// `None` if the changes do not fit the files: a range is out of bounds or splits a character, or
/// ranges overlap or are out of order.
pub fn apply_changes(files: &[SourceFile], changes: &[Change]) -> Option<Vec<SourceFile>> {
    let mut result = files.to_vec();
    if changes.iter().any(|change| change.file >= files.len()) {
        return None;
    }
    for (index, file) in files.iter().enumerate() {
        let mut text = String::new();
        let mut at = 0;
        let own = changes.iter().filter(|change| change.file == index);
        for change in own {
            text.push_str(file.text.get(at..change.range.start)?);
            file.text.get(change.range.clone())?;
            text.push_str(&change.text);
            at = change.range.end;
        }
        if at > 0 || !text.is_empty() {
            text.push_str(file.text.get(at..)?);
            result.get_mut(index)?.text = Arc::from(text);
        }
    }
    Some(result)
}

/// An edited text as pieces of the original text and inserted ones (a piece table). It turns
/// successive splices into splices of the original text.
#[derive(Debug)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    old_length: usize,
}

#[derive(Debug)]
enum Piece {
    Old(Range<usize>),
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Piece::Old(range) => range.len(),
            Piece::New(text) => text.len(),
        }
    }

    /// Splits the piece at an offset within it.
    fn split(self, at: usize) -> (Piece, Piece) {
        match self {
            Piece::Old(range) => {
                let middle = range.start + at;
                (
                    Piece::Old(range.start..middle),
                    Piece::Old(middle..range.end),
                )
            }
            Piece::New(text) => {
                let before = text.get(..at).unwrap_or_default().to_owned();
                let after = text.get(at..).unwrap_or_default().to_owned();
                (Piece::New(before), Piece::New(after))
            }
        }
    }
}

impl Pieces {
    pub(super) fn new(old_length: usize) -> Self {
        Self {
            pieces: vec![Piece::Old(0..old_length)],
            old_length,
        }
    }

    /// Applies a splice of the current text.
    pub(super) fn splice(&mut self, splice: &Splice) {
        let first = self.cut(splice.range.start);
        let last = self.cut(splice.range.end);
        let new = Piece::New(splice.text.clone());
        self.pieces.splice(first..last.max(first), [new]);
    }

    /// Cuts at an offset of the current text; returns the index of the piece that starts there.
    fn cut(&mut self, offset: usize) -> usize {
        let mut start = 0;
        for index in 0..self.pieces.len() {
            let Some(piece) = self.pieces.get(index) else {
                break;
            };
            if offset <= start {
                return index;
            }
            let end = start + piece.len();
            if offset < end {
                let (before, after) = self.pieces.remove(index).split(offset - start);
                self.pieces.insert(index, after);
                self.pieces.insert(index, before);
                return index + 1;
            }
            start = end;
        }
        self.pieces.len()
    }

    /// The splices of the original text that are equivalent to all applied ones.
    pub(super) fn splices(&self, old: &str) -> Vec<Splice> {
        let mut splices: Vec<Splice> = Vec::new();
        let mut at = 0;
        let mut text = String::new();
        let end = Piece::Old(self.old_length..self.old_length);
        for piece in self.pieces.iter().chain([&end]) {
            match piece {
                Piece::New(new) => text.push_str(new),
                Piece::Old(range) => {
                    let is_end = range.start == self.old_length;
                    if range.is_empty() && !is_end {
                        continue;
                    }
                    if at < range.start || !text.is_empty() {
                        let new = std::mem::take(&mut text);
                        if old.get(at..range.start) != Some(new.as_str()) {
                            splices.push(Splice::new(at..range.start, new));
                        }
                    }
                    at = range.end;
                }
            }
        }
        splices
    }
}
