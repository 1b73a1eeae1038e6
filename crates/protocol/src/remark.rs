//! The engine's own messages: problems of the input, advice, refusals, unmet expectations. A message is data, a name and
//! values, until a face renders it: the command in English, the page in its language.

mod table;

use std::cmp::Ordering;
use std::fmt::{self, Display};

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sentence::filled;

/// A remark with its values. The default says nothing.
///
/// Its sentence is in [`remarks!`](crate::remarks), or it quotes Kubernetes or a library, which stay in English.
#[derive(Clone, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Remark {
    /// A [`Kind`].
    kind: u16,
    values: Box<[Value]>,
}

/// A value of a remark.
#[derive(Clone, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Value {
    /// A name, a number, a text of the input.
    Text(String),
    /// Other remarks, separated by semicolons.
    Remarks(Vec<Remark>),
    /// Names or amounts, separated by commas.
    List(Vec<String>),
}

/// How a face renders remarks.
pub struct Voice {
    /// Fills a sentence with values, in the face's language.
    pub say: fn(&'static str, &[&dyn Display]) -> String,
    /// Separates several remarks.
    pub semicolon: &'static str,
    /// Separates names and amounts.
    pub comma: &'static str,
    /// Marks before and after a quotation.
    pub quotes: (&'static str, &'static str),
}

macro_rules! define {
    ($($name:ident($($value:ident),*) = $sentence:tt;)*) => {
        /// The remarks by name.
        #[allow(non_camel_case_types, reason = "named as their constructors")]
        #[derive(Clone, Copy)]
        enum Kind { nothing, quoted, $($name),* }

        /// The English sentences, in the order of [`Kind`].
        const SENTENCES: &[&str] = &["", "", $($sentence),*];

        impl Remark {
            $(
                #[doc = $sentence]
                pub fn $name($($value: impl Into<Value>),*) -> Self {
                    Self { kind: Kind::$name as u16, values: Box::new([$($value.into()),*]) }
                }
            )*
        }
    };
}

crate::remarks!(define);

/// How many of the first sentences the page may show on a first visit. They have a table of their own, so that a first
/// visit does not load the others.
const SHOWN_FIRST: usize = Kind::node_cordoned as usize + 1;

/// Copies sentences: a slice would refer to the whole table.
const fn copied<const N: usize>(from: usize) -> [&'static str; N] {
    let mut copy = [""; N];
    let mut at = 0;
    while at < N {
        copy[at] = SENTENCES[from + at];
        at += 1;
    }
    copy
}

fn sentence(kind: u16) -> &'static str {
    const FIRST: [&str; SHOWN_FIRST] = copied(0);
    let kind = usize::from(kind);
    match FIRST.get(kind) {
        Some(sentence) => sentence,
        None => later_sentence(kind - SHOWN_FIRST),
    }
}

#[inline(never)]
fn later_sentence(at: usize) -> &'static str {
    const LATER: [&str; SENTENCES.len() - SHOWN_FIRST] = copied(SHOWN_FIRST);
    LATER.get(at).copied().unwrap_or_default()
}

impl Remark {
    /// The words of Kubernetes or of a library, which no face translates.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self {
            kind: Kind::quoted as u16,
            values: Box::new([Value::Text(text.into())]),
        }
    }

    /// Whether it is [`Remark::quoted`].
    pub fn is_quoted(&self) -> bool {
        self.kind == Kind::quoted as u16
    }

    /// The name that it suggests in place of a misspelt one ([`Remark::did_you_mean`]).
    pub fn suggested(&self) -> Option<&str> {
        match &*self.values {
            [Value::Text(meant)] if self.kind == Kind::did_you_mean as u16 => {
                Some(meant.trim_matches('"'))
            }
            _ => None,
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.kind == Kind::nothing as u16
    }

    /// Without the quoted messages, for places that show them already.
    pub fn without_messages(&self) -> Self {
        let inner = |value: &Value| match value {
            Value::Remarks(all) => Value::Remarks(all.iter().map(Self::without_messages).collect()),
            other => other.clone(),
        };
        let values: Box<[Value]> = self.values.iter().map(inner).collect();
        if self.kind == Kind::prefixed as u16
            && let Some(Value::Remarks(inner)) = values.first()
            && let [what] = inner.as_slice()
        {
            return what.clone();
        }
        Self {
            kind: self.kind,
            values,
        }
    }

    /// Without the field path, which would give the answer away. Empty if nothing is left.
    pub fn without_field(&self) -> Self {
        if self.kind == Kind::field_is as u16 {
            return Self {
                kind: Kind::now_is as u16,
                values: self.values.iter().skip(1).cloned().collect(),
            };
        }
        match [Kind::lacks as u16, Kind::neither as u16].contains(&self.kind) {
            true => Self::default(),
            false => self.clone(),
        }
    }

    /// The remark as a sentence.
    pub fn render(&self, voice: &Voice) -> String {
        let mut values = self.values.iter().map(|it| it.render(voice));
        if self.kind == Kind::quoted as u16 {
            let text = values.next().unwrap_or_default();
            let (before, after) = voice.quotes;
            return format!("{before}{text}{after}");
        }
        let values: Vec<String> = values.collect();
        let values: Vec<&dyn Display> = values.iter().map(|it| it as &dyn Display).collect();
        (voice.say)(sentence(self.kind), &values)
    }
}

impl Value {
    fn render(&self, voice: &Voice) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Remarks(remarks) => {
                let remarks = remarks.iter().map(|it| it.render(voice));
                remarks.collect::<Vec<String>>().join(voice.semicolon)
            }
            Self::List(all) => all.join(voice.comma),
        }
    }
}

/// In English.
impl Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Voice {
            say: |sentence, values| filled(sentence, sentence, values),
            semicolon: "; ",
            comma: ", ",
            quotes: ("", ""),
        }))
    }
}

impl std::error::Error for Remark {}

impl fmt::Debug for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

/// By their English text, so that the order of problems does not depend on the table.
impl Ord for Remark {
    fn cmp(&self, other: &Self) -> Ordering {
        self.to_string().cmp(&other.to_string())
    }
}

impl PartialOrd for Remark {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<str> for Remark {
    fn eq(&self, text: &str) -> bool {
        let sentence = self.to_string();
        sentence == text
    }
}

impl PartialEq<&str> for Remark {
    fn eq(&self, text: &&str) -> bool {
        self == *text
    }
}

/// JSON has the English sentence.
impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Remark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text: String = Deserialize::deserialize(deserializer)?;
        Ok(if text.is_empty() {
            Self::default()
        } else {
            Self::quoted(text)
        })
    }
}

impl From<String> for Remark {
    fn from(text: String) -> Self {
        Self::quoted(text)
    }
}

impl From<&str> for Remark {
    fn from(text: &str) -> Self {
        Self::quoted(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<Vec<String>> for Value {
    fn from(all: Vec<String>) -> Self {
        Self::List(all)
    }
}

impl From<Remark> for Value {
    fn from(remark: Remark) -> Self {
        Self::Remarks(vec![remark])
    }
}

impl From<Vec<Remark>> for Value {
    fn from(remarks: Vec<Remark>) -> Self {
        Self::Remarks(remarks)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Text(number.to_string())
            }
        })*
    };
}

numbers!(u32, i32, i64, usize);

#[cfg(test)]
mod tests {
    use super::{Remark, SENTENCES, sentence};
    use crate::sentence::placeholders;

    #[test]
    fn remarks_are_written_with_their_values() {
        let seen = vec![
            Remark::bound("web-0", "node-1"),
            Remark::prefixed(
                Remark::seen("web-1", "Pending"),
                Remark::quoted("0/1 {nodes}"),
            ),
        ];
        let remark = Remark::some_hold(1usize, 3usize, seen);
        assert_eq!(
            remark,
            "1 of 3 are: web-0 is Bound on node-1; web-1 is Pending: 0/1 {nodes}"
        );
        assert_eq!(
            remark.without_messages(),
            "1 of 3 are: web-0 is Bound on node-1; web-1 is Pending"
        );
        let field = Remark::field_is("spec.replicas", "3");
        assert_eq!(field.without_field(), "now 3");
        assert!(
            Remark::neither(field, Remark::default())
                .without_field()
                .is_empty()
        );
        let absent = Remark::absent("Pod/web");
        assert_eq!(absent.without_field(), absent);
        let bytes = borsh::to_vec(&remark).unwrap();
        assert_eq!(borsh::from_slice::<Remark>(&bytes).unwrap(), remark);
        assert!(Remark::default().is_empty());
        assert_eq!(Remark::default().to_string(), "");
    }

    #[test]
    fn values_are_named_in_the_order_of_the_sentence() {
        macro_rules! check {
            ($($name:ident($($value:ident),*) = $sentence:tt;)*) => {
                $(
                    let mut names: Vec<&str> = Vec::new();
                    for (_, name) in placeholders($sentence) {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                    let values: &[&str] = &[$(stringify!($value)),*];
                    assert_eq!(names, values, "{}", $sentence);
                )*
            };
        }
        crate::remarks!(check);
        for (kind, &known) in SENTENCES.iter().enumerate() {
            assert_eq!(sentence(u16::try_from(kind).unwrap()), known);
        }
        assert_eq!(
            SENTENCES.len(),
            SENTENCES
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .len()
                + 1
        );
    }
}
