//! Uids for objects that the input does not identify.

/// A uid derived from the object's identity, formatted as a UUID (version 8).
pub fn made_uid(kind: &str, namespace: &str, name: &str) -> String {
    // FNV-1a, 128 bits. NUL separates the parts, because valid names do not contain it.
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let parts = [kind, "\0", namespace, "\0", name];
    let hash = parts
        .iter()
        .flat_map(|part| part.bytes())
        .fold(OFFSET, |hash, byte| {
            (hash ^ u128::from(byte)).wrapping_mul(PRIME)
        });
    let hash = (hash & !(0xf << 76) | (8 << 76)) & !(0b11 << 62) | (0b10 << 62);
    let hex = format!("{hash:032x}");
    let (a, rest) = hex.split_at(8);
    let (b, rest) = rest.split_at(4);
    let (c, rest) = rest.split_at(4);
    let (d, e) = rest.split_at(4);
    format!("{a}-{b}-{c}-{d}-{e}")
}

#[cfg(test)]
mod tests {
    use super::made_uid;

    #[test]
    fn uids_are_stable_and_distinct() {
        let uid = made_uid("Pod", "default", "web");
        assert_eq!(uid, made_uid("Pod", "default", "web"));
        assert_ne!(uid, made_uid("Pod", "default", "web-1"));
        assert_ne!(made_uid("Pod", "a", "bc"), made_uid("Pod", "ab", "c"));
        assert_eq!(uid.len(), 36);
        assert_eq!(uid.as_bytes()[14], b'8');
    }
}
