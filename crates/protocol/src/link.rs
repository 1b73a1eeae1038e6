//! Links: a whole visit in the fragment of an address, `#1.` and the base64url of the zlib of a JSON text.
//!
//! The JSON text is defined here; each face compresses it by its own means. Links are frozen: every fragment of
//! `tests/it/links` opens for ever, so a field here changes its name or meaning only together with a new version.

use std::fmt;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::command::{Input, Mutation, Recorded, Recording, Replay};
use super::compare::Pairing;
use super::defaults::{Defaults, Edition};
use super::moment::Moment;

/// The version of the links that this program writes.
pub const VERSION: u32 = 1;
/// Maximum bytes of a link's JSON text. A short link can inflate to anything.
pub const MAX_TEXT: usize = 32 << 20;
/// Fragments of at most this length travel everywhere: chats, mails, QR codes.
pub const SHORT: usize = 2000;
/// Longer fragments are not offered as links, but as files.
pub const LONGEST: usize = 8000;

/// What a link holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The manifests as they are now: name and text of each file. First, so that it survives a truncated link.
    #[serde(rename = "f")]
    pub files: Vec<(String, String)>,
    /// The version of Berth that wrote it.
    #[serde(rename = "b", default)]
    pub berth: String,
    /// The Kubernetes release that the scenario follows where neither its manifests nor its reader choose: `1.34`.
    /// `None`: the default of the edition.
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<String>,
    /// The edition by which it plays. `None`: that of [`Link::berth`].
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<Edition>,
    /// The changes of the visit; empty if it only opened the files.
    #[serde(rename = "j", default, skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<Recorded>,
    /// The position of the run.
    #[serde(default, skip_serializing_if = "is_start")]
    pub at: Moment,
    /// Whether a line of the terminal is suspended there.
    #[serde(rename = "w", default, skip_serializing_if = "is_false")]
    pub waits: bool,
    /// The digest of the state there. Empty: not known.
    #[serde(rename = "d", default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    #[serde(rename = "v", default, skip_serializing_if = "View::is_default")]
    pub view: View,
    /// The language of the page, a BCP 47 tag. Empty: that of the reader.
    #[serde(rename = "l", default, skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// The sides that are compared.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<Box<Pairing>>,
    /// Lessons for a class, in place of a visit. A reader that does not know it opens the files.
    #[serde(rename = "class", default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
}

/// A list of lessons, in the order in which they are taught.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    #[serde(rename = "t", default)]
    pub title: String,
    /// A lesson of the link, by the name of its file, or one of the course, by its own. `NAME.TAG.yaml` among the link's
    /// files has the texts of `NAME.yaml` in the language of that tag.
    #[serde(rename = "l")]
    pub lessons: Vec<String>,
}

/// What the page shows of the moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct View {
    /// The chosen Pod, `namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// The position of the explained attempt in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<usize>,
    /// The chosen cell of the matrix: node and plugin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<(String, String)>,
    /// The step within the attempt that comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<usize>,
    /// The topology key by which nodes are grouped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<String>,
    /// The zoom, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoom: Option<u32>,
    /// Whether the terminal is shown in place of the manifests.
    #[serde(skip_serializing_if = "is_false")]
    pub terminal: bool,
}

impl View {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

fn is_start(at: &Moment) -> bool {
    *at == Moment::default()
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Why a link cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// The text is not a link.
    NotALink,
    /// A later version of Berth made it.
    TooNew { version: u32 },
    /// It holds changes that this version does not know; the parser's message. Its files are whole.
    LaterChanges { message: String },
    /// It follows a Kubernetes release that this version does not simulate. Its files are whole.
    UnknownRelease { kubernetes: String },
    /// Characters are missing or wrong: the checksum does not match.
    Damaged,
    /// It inflates to more than [`MAX_TEXT`].
    TooLarge,
    /// Its text is not a link's JSON; the parser's message.
    Unreadable { message: String },
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotALink => write!(f, "not a Berth link: it has no `#{VERSION}.`"),
            Self::TooNew { version } => {
                write!(
                    f,
                    "a link of version {version}; this Berth reads up to {VERSION}"
                )
            }
            Self::LaterChanges { message } => write!(
                f,
                "a later version of Berth made the link, with changes that this one does not know ({message})"
            ),
            Self::UnknownRelease { kubernetes } => write!(
                f,
                "the link follows Kubernetes {kubernetes}, which this Berth does not simulate"
            ),
            Self::Damaged => f.write_str("characters of the link are missing or wrong"),
            Self::TooLarge => write!(f, "the link holds more than {} MiB", MAX_TEXT >> 20),
            Self::Unreadable { message } => write!(f, "the link's content: {message}"),
        }
    }
}

impl std::error::Error for LinkError {}

/// A link that cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub error: LinkError,
    /// The files that can still be read from it.
    pub salvaged: Vec<(String, String)>,
}

impl From<LinkError> for Damage {
    fn from(error: LinkError) -> Self {
        Self {
            error,
            salvaged: Vec::new(),
        }
    }
}

/// The base64url part of an address, a fragment with or without `#`, or the part itself with its version. The text
/// around a link is left out: brackets, quotes, a full stop.
///
/// # Errors
/// If it has no version, or one that this program does not know.
pub fn payload(address: &str) -> Result<&str, LinkError> {
    let is_payload = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut fragments = address.rsplit('#').filter_map(|fragment| {
        let (version, rest) = fragment.trim_start().split_once('.')?;
        Some((version.parse::<u32>().ok()?, rest))
    });
    // `See #2.` behind a link has the form of a version, but nothing follows it.
    let link = fragments
        .clone()
        .find(|(_, rest)| rest.starts_with(is_payload));
    match link.or_else(|| fragments.next()) {
        Some((VERSION, rest)) => {
            let end = rest.find(|c| !is_payload(c)).unwrap_or(rest.len());
            Ok(rest.get(..end).unwrap_or_default())
        }
        Some((version, _)) if version > VERSION => Err(LinkError::TooNew { version }),
        _ => Err(LinkError::NotALink),
    }
}

/// The fragment with a payload, `#` included.
pub fn fragment(payload: &str) -> String {
    format!("#{VERSION}.{payload}")
}

impl Link {
    /// A link to a recorded visit. What the visit did before it last opened a scenario is left out, unless an undo may
    /// reach it. `kubernetes`: the default release of this version (`1.34`).
    pub fn of(recording: Recording, files: Vec<(String, String)>, kubernetes: &str) -> Self {
        let Recording {
            mut recorded,
            at,
            waits,
        } = recording;
        let undoes = |recorded: &Recorded| {
            matches!(
                recorded.what,
                Replay::Mutation(Mutation::Undo | Mutation::Redo)
            )
        };
        let defaults = settle_defaults(&mut recorded, kubernetes);
        if let Some(last) = recorded.iter().rposition(Recorded::opens)
            && !recorded[last..].iter().any(undoes)
        {
            let settings = recorded.drain(..last).filter(|recorded| {
                matches!(&recorded.what, Replay::Mutation(mutation) if mutation.outlives_scenario())
            });
            let kept: Vec<Recorded> = settings.collect();
            let first = kept.len();
            recorded.splice(..0, kept);
            for earlier in recorded.iter_mut().take(first + 1) {
                earlier.before = Moment::default();
            }
        }
        // Files are there for lines of the terminal.
        if !recorded.iter().any(is_line) {
            recorded.retain(|recorded| !is_files(recorded));
        }
        if let ([only], [(_, text)]) = (&*recorded, &*files)
            && opened(only) == Some(text)
        {
            recorded = Vec::new();
        }
        let berth = env!("CARGO_PKG_VERSION").to_owned();
        Self {
            files,
            edition: Some(defaults.edition).filter(|edition| *edition != Edition::of(&berth)),
            berth,
            kubernetes: defaults.kubernetes,
            recorded,
            at,
            waits,
            ..Self::default()
        }
    }

    /// The defaults by which it plays.
    fn defaults(&self) -> Defaults {
        let edition = self.edition.unwrap_or_else(|| Edition::of(&self.berth));
        Defaults::of(edition, self.kubernetes.clone())
    }

    /// The visit: its changes, and the manifests as one text.
    pub fn visit(self) -> (Recording, String) {
        let text = joined(&self.files);
        let defaults = self.defaults();
        let mut recorded = self.recorded;
        if recorded.is_empty() {
            let open = Replay::Mutation(Mutation::Open { text: text.clone() });
            recorded.push(Recorded::new(Moment::default(), open));
        }
        if defaults != Defaults::default() {
            for opening in recorded.iter_mut().filter(|recorded| recorded.opens()) {
                opening.defaults.get_or_insert_with(|| defaults.clone());
            }
        }
        let recording = Recording {
            recorded,
            at: self.at,
            waits: self.waits,
        };
        (recording, text)
    }

    /// Every text of manifests in it: its files, and those that the visit opened, typed or gave to the terminal.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        let mut texts: Vec<&mut String> = self.files.iter_mut().map(|(_, text)| text).collect();
        for recorded in &mut self.recorded {
            match &mut recorded.what {
                Replay::Mutation(Mutation::Open { text } | Mutation::Type { text, .. }) => {
                    texts.push(text);
                }
                Replay::Mutation(Mutation::Terminal(Input::Files(files))) => {
                    texts.extend(files.iter_mut().map(|(_, text)| text));
                }
                _ => {}
            }
        }
        texts
    }

    /// A link to a class; `files`: its own lessons and their translations.
    pub fn of_class(class: Class, files: Vec<(String, String)>) -> Self {
        Self {
            files,
            berth: env!("CARGO_PKG_VERSION").to_owned(),
            class: Some(class),
            ..Self::default()
        }
    }

    /// The text of a file.
    pub fn file(&self, name: &str) -> Option<&str> {
        let mut files = self.files.iter();
        let (_, text) = files.find(|(own, _)| own == name)?;
        Some(text)
    }

    /// The JSON text.
    pub fn to_json(&self) -> String {
        // Only maps with keys other than strings fail, and there are none.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the JSON text. `simulates`: whether this version simulates a release of Kubernetes (`1.34`).
    ///
    /// # Errors
    /// If it is not a link's JSON, or has changes or a release that this version does not know.
    pub fn from_json(text: &str, simulates: impl Fn(&str) -> bool) -> Result<Self, Damage> {
        let link = Self::parse(text)?;
        match link.kubernetes {
            Some(kubernetes) if !simulates(&kubernetes) => Err(Damage {
                error: LinkError::UnknownRelease { kubernetes },
                salvaged: link.files,
            }),
            _ => Ok(link),
        }
    }

    fn parse(text: &str) -> Result<Self, Damage> {
        serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
            match Self::salvaged(text) {
                Some(salvaged) if is_json => Damage {
                    error: LinkError::LaterChanges { message },
                    salvaged,
                },
                _ => LinkError::Unreadable { message }.into(),
            }
        })
    }

    /// What is left of a link whose characters are damaged: `text` is the beginning of its JSON text.
    pub fn damaged(text: &str) -> Damage {
        Damage {
            error: LinkError::Damaged,
            salvaged: Self::salvaged(text).unwrap_or_default(),
        }
    }

    /// The files in the beginning of a JSON text.
    fn salvaged(text: &str) -> Option<Vec<(String, String)>> {
        #[derive(Deserialize)]
        struct Files {
            f: Vec<(String, String)>,
        }
        let files: Files = serde_json::from_str(&closed(text)).ok()?;
        Some(files.f).filter(|files| files.iter().any(|(_, text)| !text.trim().is_empty()))
    }
}

/// The name of the file with a lesson's texts in another language.
pub fn translation_of(name: &str, language: &str) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "yaml"));
    format!("{stem}.{language}.{ending}")
}

/// The manifests of several files as one text, as the page opens them.
pub fn joined(files: &[(String, String)]) -> String {
    let texts: Vec<&str> = files.iter().map(|(_, text)| text.as_str()).collect();
    texts.join("\n---\n")
}

/// Moves the defaults of the scenario that was opened last out of its change, for the link itself to name, and completes
/// those of earlier ones that differ.
fn settle_defaults(recorded: &mut [Recorded], kubernetes: &str) -> Defaults {
    let complete = |defaults: Option<Defaults>| {
        let defaults = defaults.unwrap_or_default();
        Defaults {
            kubernetes: defaults.kubernetes.or_else(|| Some(kubernetes.to_owned())),
            ..defaults
        }
    };
    let mut last = None;
    for opening in recorded
        .iter_mut()
        .rev()
        .filter(|recorded| recorded.opens())
    {
        let defaults = complete(opening.defaults.take());
        let last = last.get_or_insert_with(|| defaults.clone());
        opening.defaults = Some(defaults).filter(|defaults| defaults != last);
    }
    last.unwrap_or_else(|| complete(None))
}

fn is_files(recorded: &Recorded) -> bool {
    matches!(
        recorded.what,
        Replay::Mutation(Mutation::Terminal(Input::Files(_)))
    )
}

fn is_line(recorded: &Recorded) -> bool {
    matches!(
        recorded.what,
        Replay::Mutation(Mutation::Terminal(
            Input::Line { .. } | Input::Edited { .. }
        ))
    )
}

/// The manifests, if the change opens a scenario.
fn opened(recorded: &Recorded) -> Option<&str> {
    if let Replay::Mutation(Mutation::Open { text }) = &recorded.what {
        Some(text)
    } else {
        None
    }
}

/// The beginning of a JSON text with its open string, arrays and objects closed. If an array of two ends early, the
/// missing items are empty strings.
fn closed(text: &str) -> String {
    let mut open = Vec::new();
    let (mut in_string, mut escape) = (false, 0);
    // Where the text is cut: before an incomplete escape.
    let mut end = text.len();
    for (at, byte) in text.bytes().enumerate() {
        if escape > 0 {
            escape -= 1;
            if byte == b'u' && escape == 0 && text.as_bytes().get(at - 1) == Some(&b'\\') {
                escape = 4;
            }
            if escape == 0 {
                end = text.len();
            }
            continue;
        }
        match (in_string, byte) {
            (true, b'\\') => {
                escape = 1;
                end = at;
            }
            (_, b'"') => in_string = !in_string,
            (false, b'[') => open.push(']'),
            (false, b'{') => open.push('}'),
            (false, b']' | b'}') => drop(open.pop()),
            _ => (),
        }
    }
    let mut text = text.get(..end).unwrap_or_default().to_owned();
    if in_string {
        text.push('"');
    }
    let text = text.trim_end_matches(',');
    let close: String = open.iter().rev().collect();
    format!("{text}{close}")
}

#[cfg(test)]
mod tests;
