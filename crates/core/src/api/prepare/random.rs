//! Generated names: the safe alphabet, seeded suffixes, template hashes.

use serde::Serialize;

use berth_base::hash::Fnv;
use berth_base::json;

/// The characters of generated names: without vowels, so that no words occur, and without similar characters.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// The 32-bit hash of a Pod template that controllers put into names and labels.
///
/// Kubernetes hashes a dump of the Go struct, which depends on Go's types. Here the template's JSON is
/// hashed with the same function and encoding: the hash looks alike and is as stable, but differs.
pub(super) fn template_hash(template: &impl Serialize) -> String {
    let mut hash = Fnv::new();
    hash.bytes(json::text(template).as_bytes());
    let wide = hash.0;
    let folded = u32::try_from((wide ^ (wide >> 32)) & u64::from(u32::MAX)).unwrap_or_default();
    safe_encode(&folded.to_string())
}

/// Replaces every character with one of the safe alphabet (`rand.SafeEncodeString` of apimachinery).
fn safe_encode(text: &str) -> String {
    text.bytes().map(|byte| letter(u64::from(byte))).collect()
}

fn letter(number: u64) -> char {
    let index = usize::try_from(number % 27).unwrap_or_default();
    ALPHABET.get(index).map_or('b', |byte| char::from(*byte))
}

/// A stream of five-character suffixes, determined by its owner and start index.
pub(super) struct NameSuffix {
    state: u64,
}

impl NameSuffix {
    /// `owner`: the parts that identify the owner; `index`: where the stream starts.
    pub(super) fn new(owner: &[&str], index: u64) -> Self {
        let mut seed = Fnv::new();
        for part in owner {
            seed.bytes(part.as_bytes());
            seed.bytes(&[0]);
        }
        seed.bytes(&index.to_le_bytes());
        NameSuffix { state: seed.0 }
    }

    /// The next suffix.
    pub(super) fn next(&mut self) -> String {
        // SplitMix64: every seed gives a full-period stream.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (0..5)
            .map(|_| {
                let next = letter(mixed);
                mixed /= 27;
                next
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_safe_and_depend_on_owner_and_index() {
        let mut stream = NameSuffix::new(&["ReplicaSet", "default", "web"], 0);
        let (first, second) = (stream.next(), stream.next());
        assert_ne!(first, second);
        assert_eq!(first.len(), 5);
        assert!(first.bytes().all(|byte| ALPHABET.contains(&byte)));
        assert_eq!(
            first,
            NameSuffix::new(&["ReplicaSet", "default", "web"], 0).next()
        );
        assert_ne!(
            first,
            NameSuffix::new(&["ReplicaSet", "default", "api"], 0).next()
        );
    }

    #[test]
    fn template_hash_follows_the_template() {
        let hash = template_hash(&serde_json::json!({"a": 1}));
        assert_eq!(hash, template_hash(&serde_json::json!({"a": 1})));
        assert_ne!(hash, template_hash(&serde_json::json!({"a": 2})));
        assert!(hash.len() <= 10 && hash.bytes().all(|byte| ALPHABET.contains(&byte)));
    }

    #[test]
    fn safe_encoding_is_that_of_apimachinery() {
        assert_eq!(safe_encode("0123456789"), "456789bcdf");
    }
}
