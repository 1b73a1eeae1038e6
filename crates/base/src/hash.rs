//! FNV-1a with 64 bits: the same on every platform, which the standard library's hasher does not guarantee.

/// The state of a hash.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Self {
        Self::new()
    }
}

impl Fnv {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Hashes the text and an end mark, so that "ab", "c" and "a", "bc" differ.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    pub fn number(&mut self, number: i64) {
        self.bytes(&number.to_le_bytes());
    }
}
