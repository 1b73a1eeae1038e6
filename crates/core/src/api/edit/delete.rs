//! Deletes documents and items of lists.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::change::{Goal, Planned};
use super::objects::gone;
use super::page::Page;
use super::plan;
use super::splice::{Splice, spliced};
use super::workspace::{Place, Workspace};
use crate::api::yaml::{self, tree};
use berth_protocol::edit::{EditError, PathStep};
use berth_protocol::remark::Remark;

/// Lists up to this size are parsed again as a whole after an edit of their items. Larger ones are
/// parsed again only if items were deleted: each changed item is checked on its own.
const CHECKED_LIST_BYTES: usize = 1 << 20;

impl Workspace<'_> {
    /// Deletes a document, or an item of a list, from its file.
    pub(super) fn delete(&mut self, index: usize) -> Result<(), EditError> {
        let place = self.places.get(index).cloned().ok_or_else(gone)?;
        let splices = if place.item.is_some() {
            self.objects.value_at(index)?;
            self.item_splices(index, &place)?
        } else {
            self.document_splices(index, &place)?
        };
        for splice in splices.into_iter().rev() {
            self.splice(place.file, None, splice);
        }
        if let Some(place) = self.places.get_mut(index) {
            place.is_deleted = true;
        }
        Ok(())
    }

    fn item_splices(&self, index: usize, place: &Place) -> Result<Vec<Splice>, EditError> {
        let text = self
            .files
            .get(place.file)
            .map_or("", |file| file.text.as_str());
        let at = place.range.start;
        let chunk = yaml::documents(text)
            .into_iter()
            .find(|chunk| chunk.range.contains(&at))
            .ok_or_else(gone)?;
        let start = chunk.range.start;
        let text = text.get(chunk.range).unwrap_or_default();
        let root = tree::tree(text).map_err(|unclear| self.unclear(index, start, unclear))?;
        let page = Page::new(text, &root);
        let siblings = self.places.iter().filter(|other| {
            !other.is_deleted && other.file == place.file && other.ordinal == place.ordinal
        });
        let before: BTreeSet<_> = siblings.filter_map(|other| other.item).collect();
        let position = before
            .iter()
            .filter(|item| Some(**item) < place.item)
            .count();
        let items = PathStep::Key("items".to_owned());
        let planned = if before.len() <= 1 {
            let mut expected = yaml::parse(text).map_err(|_| gone())?.value;
            if let Some(items) = expected.get_mut("items") {
                *items = Value::Array(Vec::new());
            }
            Planned {
                path: vec![items],
                goal: Goal::Set,
                expected,
            }
        } else {
            Planned {
                path: vec![items, PathStep::Index(position)],
                goal: Goal::Remove,
                expected: Value::Null,
            }
        };
        let mut splices = plan::splices(&page, &root, &planned)
            .map_err(|obstacle| self.error_at(index, at, obstacle.message, obstacle.help))?;
        let reads = planned.goal == Goal::Remove
            || yaml::parse(&spliced(text, &splices))
                .is_ok_and(|parsed| parsed.value == planned.expected);
        if !reads {
            return Err(self.error_at(index, at, Remark::item_stays(), Remark::remove_in_text()));
        }
        for splice in &mut splices {
            splice.range = start + splice.range.start..start + splice.range.end;
        }
        Ok(splices)
    }

    fn document_splices(&self, index: usize, place: &Place) -> Result<Vec<Splice>, EditError> {
        let text = self
            .files
            .get(place.file)
            .map_or("", |file| file.text.as_str());
        let splices = cut_document(text, &place.range);
        let new = spliced(text, &splices);
        let (old_parts, new_parts) = (yaml::documents(text), yaml::documents(&new));
        let others = old_parts.iter().filter(|chunk| chunk.range != place.range);
        let others: Vec<_> = others.collect();
        // Comments may have moved to a neighbor, but the text of the other documents must not change.
        let stays = |(old, new_chunk): (&&yaml::Chunk, &yaml::Chunk)| {
            let old = text.get(old.range.clone()).unwrap_or_default().trim();
            let new = new.get(new_chunk.range.clone()).unwrap_or_default();
            new.contains(old)
        };
        let same = others.len() == new_parts.len() && others.len() + 1 == old_parts.len();
        if !same || !others.iter().zip(&new_parts).all(stays) {
            let at = place.range.start;
            return Err(self.error_at(
                index,
                at,
                Remark::document_stays(),
                Remark::remove_in_text(),
            ));
        }
        Ok(splices)
    }

    /// Parses edited lists again and compares every item with its expected value.
    pub(super) fn check_lists(&self) -> Result<(), EditError> {
        let mut lists = BTreeSet::new();
        for (place, entry) in self.places.iter().zip(&self.objects.entries) {
            if let (Some(ordinal), Some(_)) = (place.ordinal, place.item)
                && (entry.is_changed || place.is_deleted)
            {
                lists.insert((place.file, ordinal));
            }
        }
        for (file, ordinal) in lists {
            let items: Vec<(usize, &Place)> = self
                .places
                .iter()
                .enumerate()
                .filter(|(_, place)| place.file == file && place.ordinal == Some(ordinal))
                .collect();
            if self.check_list(file, ordinal, &items) == Some(false) {
                let index = items.iter().map(|(index, _)| *index);
                let index = index.into_iter().find(|index| self.is_changed(*index));
                let at = items.first().map_or(0, |(_, place)| place.range.start);
                let (message, help) = (Remark::other_items(), Remark::document_or_hand());
                return Err(self.error_at(index.unwrap_or(0), at, message, help));
            }
        }
        Ok(())
    }

    fn is_changed(&self, index: usize) -> bool {
        let entry = self.objects.entries.get(index);
        entry.is_some_and(|entry| entry.is_changed)
    }

    /// Whether the list has the expected items; `None` if it is not checked.
    fn check_list(&self, file: usize, ordinal: u32, items: &[(usize, &Place)]) -> Option<bool> {
        let old_text = &self.originals().get(file)?.text;
        let new_text = &self.files.get(file)?.text;
        let (_, kept) = items.iter().find(|(_, place)| !place.is_deleted)?;
        let old_chunk = yaml::documents(old_text)
            .into_iter()
            .nth(ordinal as usize)?;
        if old_chunk.range.len() > CHECKED_LIST_BYTES
            && !items.iter().any(|(_, place)| place.is_deleted)
        {
            return None;
        }
        let mut chunks = yaml::documents(new_text).into_iter();
        let new_chunk = chunks.find(|chunk| chunk.range.contains(&kept.range.start))?;
        let mut expected = yaml::parse(old_text.get(old_chunk.range)?).ok()?.value;
        let found = yaml::parse(new_text.get(new_chunk.range)?);
        let values = expected.get_mut("items")?.as_array_mut()?;
        for (index, place) in items {
            let value = self.objects.entries.get(*index)?.value.as_ref();
            let (Some(item), Some(value)) = (place.item, value) else {
                continue;
            };
            match values.get_mut(item) {
                Some(slot) if self.is_changed(*index) => *slot = value.clone(),
                Some(_) => {}
                None => values.push(value.clone()),
            }
        }
        let deleted = items.iter().filter(|(_, place)| place.is_deleted);
        let mut deleted: Vec<usize> = deleted.filter_map(|(_, place)| place.item).collect();
        deleted.sort_unstable();
        for item in deleted.into_iter().rev() {
            if item < values.len() {
                values.remove(item);
            }
        }
        Some(found.is_ok_and(|found| found.value == expected))
    }
}

/// The splices that remove a document with one separator and keep comments that are not its own.
fn cut_document(text: &str, range: &Range<usize>) -> Vec<Splice> {
    let chunk = text.get(range.clone()).unwrap_or_default();
    let own = own_lines(chunk);
    let head = chunk.get(..own.start).unwrap_or_default();
    let tail = chunk.get(own.end..).unwrap_or_default();
    let mut start = range.start + own.start;
    let mut end = range.start + own.end;
    if head.trim().is_empty() {
        start = range.start;
    }
    if tail.trim().is_empty() {
        end = range.end;
    }
    let body = Splice::new(start..end, "");
    if chunk.starts_with("---") {
        // The separator is part of the document's text.
        return vec![body];
    }
    let behind = marker_behind(text, range.end);
    let before = marker_before(text, range.start);
    match (behind, before) {
        (Some(marker), _) => joined(body, Splice::new(marker, "")),
        (None, Some(marker)) => joined(Splice::new(marker, ""), body),
        (None, None) => vec![body],
    }
}

fn joined(first: Splice, second: Splice) -> Vec<Splice> {
    if first.range.end == second.range.start {
        return vec![Splice::new(first.range.start..second.range.end, "")];
    }
    vec![first, second]
}

/// The lines from the first to the last one with content, with the comments directly above them.
fn own_lines(chunk: &str) -> Range<usize> {
    let mut start = 0;
    let mut offset = 0;
    for line in chunk.split_inclusive('\n') {
        let content = line.trim();
        if content.is_empty() {
            start = offset + line.len();
        } else if !content.starts_with('#') {
            break;
        }
        offset += line.len();
    }
    // A block scalar may end in lines that look like comments.
    let content_end = tree::tree(chunk).map_or(chunk.trim_end().len(), |root| root.end);
    let rest = chunk.get(content_end..).unwrap_or_default();
    let line_end = match chunk.get(..content_end).unwrap_or_default().ends_with('\n') {
        true => 0,
        false => rest.find('\n').map_or(rest.len(), |newline| newline + 1),
    };
    start..(content_end + line_end).max(start)
}

/// The separator line at `at`, with a `...` line before it; `None` if the line has other content.
fn marker_behind(text: &str, at: usize) -> Option<Range<usize>> {
    if at > 0 && !text.get(..at)?.ends_with('\n') {
        return None;
    }
    let mut end = at;
    let mut lines = text.get(at..)?.split_inclusive('\n');
    let mut line = lines.next()?;
    if line.trim_end() == "..." {
        end += line.len();
        line = lines.next().unwrap_or_default();
    }
    if line.trim_end() == "---" {
        end += line.len();
    }
    (end > at).then_some(at..end)
}

/// The separator line that ends at `at`; `None` if the line has other content.
fn marker_before(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text.get(..at)?;
    let line = before.split_inclusive('\n').next_back()?;
    let is_marker = line.trim_end() == "---";
    is_marker.then(|| at - line.len()..at)
}
