//! A block of a page, as a source of manifests whose lines are those of the page.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::Path;

use berth_session::{Printable, SourceFile};

use super::include::{self, Include};
use crate::cli::fences::attributes::Attributes;
use crate::cli::input;

/// A block as its page has it.
pub struct Raw<'a> {
    /// The line of its fence, directive or shortcode, from 0.
    pub at: usize,
    pub attributes: Attributes<'a>,
    pub body: Body<'a>,
}

/// What a block shows.
pub enum Body<'a> {
    /// Lines of the page.
    Text(Text<'a>),
    /// A file, under the name that the page gives it.
    File(Include<'a>),
    /// A fence that is never closed.
    Open,
}

/// The lines of a block, without their indentation.
pub struct Text<'a> {
    /// The index of the first one in the page.
    pub first: usize,
    /// Characters of indentation.
    pub indent: usize,
    pub lines: Vec<Cow<'a, str>>,
}

/// A block with what it shows.
pub struct Block<'a> {
    /// Name of the page.
    pub page: String,
    /// Its line in the page, from 1.
    pub line: u32,
    pub attributes: Attributes<'a>,
    pub shown: Shown,
}

/// What a block shows, once it is read.
pub enum Shown {
    Manifests(Manifests),
    /// A part of a file, or a file that only the tool finds.
    Partial,
    /// Why there is nothing.
    Missing(String),
}

/// The text of a block: of the page, with all else blank, or of a file.
#[derive(Clone)]
pub struct Manifests {
    pub source: SourceFile,
    /// Its lines in the source, from 1. The one after them may be where something is missing.
    pub lines: RangeInclusive<u32>,
    /// Columns that the page has before each line.
    pub indent: u32,
    /// Whether it is the whole of a file.
    pub is_file: bool,
}

impl<'a> Block<'a> {
    /// Reads what a block shows.
    pub fn of(path: &Path, page: &str, raw: Raw<'a>) -> Self {
        let hidden = raw.attributes.foreign("hidelines");
        let shown = match raw.body {
            Body::Text(text) => match include::of_block(&text.lines) {
                Some(include) => read(path, include),
                None => Shown::Manifests(manifests(page, &text, hidden)),
            },
            Body::File(include) => read(path, include),
            Body::Open => Shown::Missing("the block is never closed".to_owned()),
        };
        Block {
            page: page.to_owned(),
            line: number(raw.at + 1),
            attributes: raw.attributes,
            shown,
        }
    }

    /// `page.md:12`.
    pub fn place(&self) -> String {
        format!("{}:{}", Printable(&self.page), self.line)
    }
}

fn manifests(page: &str, text: &Text, hidden: Option<&str>) -> Manifests {
    let mut whole = "\n".repeat(text.first);
    for line in &text.lines {
        match hidden.and_then(|prefix| line.trim_start().strip_prefix(prefix)) {
            Some(rest) => {
                let blanks = line.len() - line.trim_start().len();
                whole.push_str(line.get(..blanks).unwrap_or_default());
                whole.push_str(rest);
            }
            None => whole.push_str(line),
        }
        whole.push('\n');
    }
    Manifests {
        source: SourceFile::new(page, whole),
        lines: number(text.first + 1)..=number(text.first + text.lines.len() + 1),
        indent: number(text.indent),
        is_file: false,
    }
}

fn read(page: &Path, include: Include) -> Shown {
    let path = match include::find(page, include) {
        include::Found::File(path) => path,
        include::Found::Elsewhere => return Shown::Partial,
        include::Found::Nothing(message) => return Shown::Missing(message),
    };
    match input::read_file(&path) {
        Ok(source) => Shown::Manifests(Manifests {
            source,
            lines: 0..=u32::MAX,
            indent: 0,
            is_file: true,
        }),
        Err(complaint) => Shown::Missing(complaint),
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
