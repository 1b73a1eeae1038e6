//! Factors of costs, estimated and actual.

/// The cost of traversing a text, for each of its characters.
pub const STRING_FACTOR: f64 = 0.1;

/// A size times a factor, rounded up, without overflow.
pub fn scaled(size: u64, factor: f64) -> u64 {
    let product = (size as f64 * factor).ceil();
    if product >= u64::MAX as f64 {
        u64::MAX
    } else {
        product as u64
    }
}
