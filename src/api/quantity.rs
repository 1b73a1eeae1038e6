//! Placeholder until the reader's quantities are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity(i128);
impl Quantity {
    pub fn parse(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
        let suffix = &text[digits.len()..];
        let factor: i128 = match suffix {
            "" => 1_000_000_000,
            "m" => 1_000_000,
            "k" => 1_000_000_000_000,
            "M" => 1_000_000_000_000_000,
            "G" => 1_000_000_000_000_000_000,
            "Ki" => 1024_000_000_000,
            "Mi" => 1_048_576_000_000_000,
            "Gi" => 1_073_741_824_000_000_000,
            _ => 1_000_000_000,
        };
        let (whole, frac) = digits.split_once('.').unwrap_or((digits, ""));
        let mut v: i128 = whole.parse::<i128>().unwrap_or(0) * factor;
        if !frac.is_empty() {
            v += frac.parse::<i128>().unwrap_or(0) * factor / 10i128.pow(frac.len() as u32);
        }
        Ok(Self(v))
    }
    pub fn value(&self) -> i64 {
        ((self.0 + 999_999_999) / 1_000_000_000) as i64
    }
    pub fn milli_value(&self) -> i64 {
        ((self.0 + 999_999) / 1_000_000) as i64
    }
}
