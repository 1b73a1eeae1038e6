//! Generated names: a base, and five characters that no object of that base has yet.
//!
//! The characters depend on the owner and on how many names were generated for it, not on a seed. So the n-th Pod of a
//! workload has the same name wherever it is made: by scheduling alone, in a living cluster, and in every run of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use berth_base::hash::Fnv;
use berth_base::json;
use berth_base::random::Random;

/// The characters of generated names: without vowels, so that no words occur, and without similar characters
/// (apimachinery `util/rand`).
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// Generated characters per name.
const SUFFIX: usize = 5;

/// The longest base of a generated name, in bytes: 63 without the suffix.
const MAX_BASE: usize = 63 - SUFFIX;

/// What generated names belong to: kind, namespace and name of the controller. Without a controller, the object's own kind
/// and namespace, and the base.
pub type NameOwner<'a> = [&'a str; 3];

/// How many names were generated for each owner. A copy shares its memory until one of both changes.
#[derive(Clone, Debug, Default)]
pub struct GeneratedNames {
    counts: Arc<BTreeMap<String, u64>>,
}

impl GeneratedNames {
    /// The next name of `base` for an owner, leaving out those that are taken.
    pub fn next(
        &mut self,
        owner: NameOwner<'_>,
        base: &str,
        is_taken: impl Fn(&str) -> bool,
    ) -> String {
        let base = base_of(base);
        let count = Arc::make_mut(&mut self.counts)
            .entry(owner.join("/"))
            .or_default();
        loop {
            let name = format!("{base}{}", suffix(owner, *count));
            *count += 1;
            if !is_taken(&name) {
                return name;
            }
        }
    }

    /// Counts a name that was generated for the owner elsewhere.
    pub fn skip(&mut self, owner: NameOwner<'_>) {
        *Arc::make_mut(&mut self.counts)
            .entry(owner.join("/"))
            .or_default() += 1;
    }
}

/// The characters with this number, from 0, of an owner.
fn suffix(owner: NameOwner<'_>, number: u64) -> String {
    of_parts(&owner, 0, number)
}

/// The suffix that version 0.1 gave to a document with `generateName`.
pub(crate) fn suffix_of_document(kind: &str, base: &str, document: u64) -> String {
    of_parts(&[kind, base], document, 0)
}

fn of_parts(parts: &[&str], start: u64, number: u64) -> String {
    let mut seed = Fnv::new();
    for part in parts {
        seed.bytes(part.as_bytes());
        seed.bytes(&[0]);
    }
    seed.bytes(&start.to_le_bytes());
    let mut mixed = Random::nth(seed.0, number);
    (0..SUFFIX)
        .map(|_| {
            let next = letter(mixed);
            mixed /= LETTERS.len() as u64;
            next
        })
        .collect()
}

/// Five characters drawn from a sequence, as version 0.1 named what controllers create.
pub fn drawn_suffix(random: &mut Random) -> String {
    (0..SUFFIX)
        .map(|_| letter(random.below(LETTERS.len() as u64)))
        .collect()
}

/// As much of `generateName` as leaves room for the suffix (apiserver's `names.SimpleNameGenerator`).
pub fn base_of(base: &str) -> &str {
    let mut end = base.len().min(MAX_BASE);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    base.get(..end).unwrap_or(base)
}

/// Replaces every character with one that cannot form words (`rand.SafeEncodeString`).
pub(crate) fn safe(text: &str) -> String {
    text.bytes().map(|byte| letter(u64::from(byte))).collect()
}

fn letter(number: u64) -> char {
    let index = usize::try_from(number % LETTERS.len() as u64).unwrap_or_default();
    LETTERS.get(index).map_or('b', |byte| char::from(*byte))
}

/// The hash of a template in the names of version 0.1: of its JSON, as it is written. Kubernetes' own is
/// [`super::template_hash`].
pub(crate) fn json_hash(template: &impl Serialize) -> String {
    let mut hash = Fnv::new();
    hash.bytes(json::text(template).as_bytes());
    let folded = (hash.0 ^ (hash.0 >> 32)) & u64::from(u32::MAX);
    safe(&folded.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEB: NameOwner<'_> = ["ReplicaSet", "default", "web"];

    fn next(names: &mut GeneratedNames) -> String {
        names.next(WEB, "web-", |_| false)
    }

    #[test]
    fn names_depend_on_their_owner_and_number_alone() {
        let mut names = GeneratedNames::default();
        let first = next(&mut names);
        assert_eq!(first.len(), "web-".len() + SUFFIX);
        assert!(first.bytes().skip(4).all(|byte| LETTERS.contains(&byte)));
        assert_ne!(first, next(&mut names));
        assert_eq!(first, next(&mut GeneratedNames::default()));
        let of_job = names.next(["Job", "default", "web"], "web-", |_| false);
        assert_ne!(first, of_job);
    }

    #[test]
    fn taken_names_are_left_out_and_skipped_ones_never_come() {
        let mut names = GeneratedNames::default();
        let all: Vec<String> = (0..3).map(|_| next(&mut names)).collect();
        let mut names = GeneratedNames::default();
        assert_eq!(names.next(WEB, "web-", |name| name == all[0]), all[1]);
        let mut names = GeneratedNames::default();
        names.skip(WEB);
        names.skip(WEB);
        assert_eq!(next(&mut names), all[2]);
    }

    #[test]
    fn a_long_base_leaves_room_for_the_suffix() {
        let base = "ä".repeat(40);
        let name = GeneratedNames::default().next(WEB, &base, |_| false);
        assert_eq!(name.len(), MAX_BASE + SUFFIX);
    }
}
