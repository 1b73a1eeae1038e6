//! Keys of objects: `namespace/name`.

/// The key without the namespace if that is `default`.
pub fn short(key: &str) -> &str {
    key.strip_prefix("default/").unwrap_or(key)
}
