//! `resource.Quantity`: exact numbers with units, as parsed and printed by `apimachinery` v1.34.

use std::cmp::Ordering;
use std::fmt;

/// Digits after the decimal point: 10⁻⁹ is the finest unit.
const NANO_DIGITS: i32 = 9;

/// Nanos in one unit.
const NANOS: i128 = 1_000_000_000;

/// Larger exponents are clamped: the value saturates or is below a nano.
const MAX_EXPONENT: i64 = 64;

/// The family of suffixes that a quantity is written with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// `n u m k M G T P E`, powers of 1000.
    #[default]
    DecimalSi,
    /// `Ki Mi Gi Ti Pi Ei`, powers of 1024.
    BinarySi,
    /// `1e3`.
    DecimalExponent,
}

/// An exact amount in nanos, rounded away from zero when parsed.
///
/// Saturates beyond ±1.7 × 10²⁹ (Kubernetes keeps such amounts, but no field accepts them).
/// Ordering and equality compare amounts: `1` equals `1000m`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

/// Why a text is not a quantity, with the API server's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseQuantityError {
    /// Not a number with a suffix.
    Format,
    /// A number with an unknown suffix.
    Suffix,
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseQuantityError::Format => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            ParseQuantityError::Suffix => "unable to parse quantity's suffix",
        })
    }
}

impl std::error::Error for ParseQuantityError {}

impl Quantity {
    /// Parses a quantity: `2`, `500m`, `1.5Gi`, `1e3`. Missing digits count as 0, as in `m`.
    ///
    /// # Errors
    /// The API server's error for invalid text.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        let parts = Parts::split(text)?;
        let (base, exponent, format) =
            interpret_suffix(parts.suffix).ok_or(ParseQuantityError::Suffix)?;
        let magnitude = match base {
            2 => binary_nanos(&parts, exponent),
            _ => decimal_nanos(&parts, exponent),
        };
        let nanos = if parts.negative {
            magnitude.saturating_neg()
        } else {
            magnitude
        };
        // Fractions below one are printed in decimal: `0.5Ki` stays binary, `0.0001Ki` does not.
        let below_one = base == 2 && (1..NANOS).contains(&magnitude);
        Ok(Quantity {
            nanos,
            format: if below_one { Format::DecimalSi } else { format },
        })
    }

    /// A whole number of units.
    pub fn from_value(value: i64) -> Self {
        Quantity {
            nanos: i128::from(value) * NANOS,
            format: Format::DecimalSi,
        }
    }

    /// A number of thousandths.
    pub fn from_milli_value(milli: i64) -> Self {
        Quantity {
            nanos: i128::from(milli) * (NANOS / 1000),
            format: Format::DecimalSi,
        }
    }

    /// The same amount in another family of suffixes.
    #[must_use]
    pub fn with_format(self, format: Format) -> Self {
        Quantity { format, ..self }
    }

    /// The family of suffixes.
    pub fn format(self) -> Format {
        self.format
    }

    /// The amount rounded up to whole units, clamped to 2⁶³ − 1 in magnitude.
    pub fn value(self) -> i64 {
        self.rounded_up(NANOS)
    }

    /// The amount rounded up to thousandths, in thousandths, clamped to 2⁶³ − 1 in magnitude.
    pub fn milli_value(self) -> i64 {
        self.rounded_up(NANOS / 1000)
    }

    /// The amount as the nearest floating-point number.
    pub fn as_f64(self) -> f64 {
        self.nanos as f64 / NANOS as f64
    }

    /// The exact amount in nanos.
    pub fn nanos(self) -> i128 {
        self.nanos
    }

    /// Whether the amount is 0.
    pub fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Whether the amount is below 0.
    pub fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// The sum, in the format of `self`, or of `other` if `self` is 0.
    #[must_use]
    #[allow(
        clippy::should_implement_trait,
        reason = "not commutative: the format is the left one's"
    )]
    pub fn add(self, other: Quantity) -> Quantity {
        Quantity {
            nanos: self.nanos.saturating_add(other.nanos),
            format: self.format_with(other),
        }
    }

    /// The difference, in the format of `self`, or of `other` if `self` is 0.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "as `add`")]
    pub fn sub(self, other: Quantity) -> Quantity {
        Quantity {
            nanos: self.nanos.saturating_sub(other.nanos),
            format: self.format_with(other),
        }
    }

    /// The format of a sum or difference.
    fn format_with(self, other: Quantity) -> Format {
        if self.is_zero() {
            other.format
        } else {
            self.format
        }
    }

    /// The amount rounded away from zero to 1/1000, as stored by defaulting.
    #[must_use]
    pub fn rounded_up_to_milli(self) -> Quantity {
        let step = NANOS / 1000;
        let whole = self.nanos / step * step;
        let nanos = if whole == self.nanos {
            whole
        } else {
            whole.saturating_add(step * self.nanos.signum())
        };
        Quantity { nanos, ..self }
    }

    /// `nanos / step`, rounded away from zero, within 64 bits.
    fn rounded_up(self, step: i128) -> i64 {
        let inexact = self.nanos % step != 0;
        let rounded = self.nanos / step + if inexact { self.nanos.signum() } else { 0 };
        i64::try_from(rounded).unwrap_or(if rounded > 0 { i64::MAX } else { i64::MIN })
    }
}

/// The parts of a quantity's text.
struct Parts<'t> {
    negative: bool,
    whole: &'t str,
    fraction: &'t str,
    suffix: &'t str,
}

impl<'t> Parts<'t> {
    fn split(text: &'t str) -> Result<Self, ParseQuantityError> {
        if text.is_empty() {
            return Err(ParseQuantityError::Format);
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(after) => split_digits(after),
            None => ("", rest),
        };
        let letters = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
        let exponent = letters.strip_prefix(['+', '-']).unwrap_or(letters);
        if !split_digits(exponent).1.is_empty() {
            return Err(ParseQuantityError::Format);
        }
        Ok(Parts {
            negative: text.starts_with('-'),
            whole,
            fraction,
            suffix,
        })
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// Base, exponent and family of a suffix.
fn interpret_suffix(suffix: &str) -> Option<(u8, i32, Format)> {
    let si = |exponent| Some((10, exponent, Format::DecimalSi));
    let binary = |exponent| Some((2, exponent, Format::BinarySi));
    match suffix {
        "" => si(0),
        "n" => si(-9),
        "u" => si(-6),
        "m" => si(-3),
        "k" => si(3),
        "M" => si(6),
        "G" => si(9),
        "T" => si(12),
        "P" => si(15),
        "E" => si(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let digits = suffix.strip_prefix(['e', 'E'])?;
            let exponent: i64 = digits.parse().ok()?;
            let exponent = i32::try_from(exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT)).ok()?;
            Some((10, exponent, Format::DecimalExponent))
        }
    }
}

/// `whole.fraction × 10^exponent` in nanos, rounded up, saturating.
fn decimal_nanos(parts: &Parts<'_>, exponent: i32) -> i128 {
    let fraction_digits = i32::try_from(parts.fraction.len()).unwrap_or(i32::MAX);
    let digits = || {
        parts
            .whole
            .bytes()
            .chain(parts.fraction.bytes())
            .map(|byte| i128::from(byte - b'0'))
    };
    let shift = exponent
        .saturating_add(NANO_DIGITS)
        .saturating_sub(fraction_digits);
    let kept = if shift < 0 {
        // Digits below a nano only affect rounding.
        let total = parts.whole.len() + parts.fraction.len();
        total.saturating_sub(usize::try_from(shift.unsigned_abs()).unwrap_or(usize::MAX))
    } else {
        usize::MAX
    };
    let mut amount: i128 = 0;
    for digit in digits().take(kept) {
        amount = amount.saturating_mul(10).saturating_add(digit);
    }
    if digits().skip(kept).any(|digit| digit != 0) {
        amount = amount.saturating_add(1);
    }
    for _ in 0..shift.max(0) {
        if amount == 0 {
            break;
        }
        amount = amount.saturating_mul(10);
    }
    amount
}

/// `whole.fraction × 2^exponent` in nanos, rounded up, at most 2⁶³ − 1.
fn binary_nanos(parts: &Parts<'_>, exponent: i32) -> i128 {
    const LIMIT: i128 = i64::MAX as i128 * NANOS;
    let factor = 1i128 << exponent.clamp(0, 60);
    let mut whole: i128 = 0;
    for digit in parts.whole.bytes() {
        whole = whole
            .saturating_mul(10)
            .saturating_add(i128::from(digit - b'0'));
    }
    // Long division by 10, from the last digit: digits below the kept ones only matter as a
    // remainder.
    let kept = 18;
    let mut numerator: i128 = 0;
    let mut denominator: i128 = 1;
    for digit in parts.fraction.bytes().take(kept) {
        numerator = numerator * 10 + i128::from(digit - b'0');
        denominator *= 10;
    }
    let has_rest = parts.fraction.bytes().skip(kept).any(|digit| digit != b'0');
    // numerator / denominator × factor × 10⁹ in two steps that stay within 128 bits.
    let scaled = numerator * factor;
    let (units, rest) = (scaled / denominator, scaled % denominator);
    let fine = rest * NANOS;
    let round_up = fine % denominator != 0 || has_rest;
    let fraction = units
        .saturating_mul(NANOS)
        .saturating_add(fine / denominator)
        .saturating_add(i128::from(round_up));
    whole
        .saturating_mul(factor)
        .saturating_mul(NANOS)
        .saturating_add(fraction)
        .min(LIMIT)
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl fmt::Display for Quantity {
    /// The canonical form: no fraction, the largest exact suffix.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SI: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
        if self.is_zero() {
            return f.write_str("0");
        }
        let is_whole = self.nanos % NANOS == 0;
        if self.format == Format::BinarySi && is_whole && self.nanos.abs() >= 1024 * NANOS {
            let (mantissa, steps) = reduce(self.nanos / NANOS, 1024, BINARY.len() - 1);
            return write!(f, "{mantissa}{}", BINARY.get(steps).unwrap_or(&""));
        }
        let (mantissa, steps) = reduce(self.nanos, 1000, usize::MAX);
        if self.format != Format::DecimalExponent
            && let Some(suffix) = SI.get(steps)
        {
            return write!(f, "{mantissa}{suffix}");
        }
        let exponent =
            i64::try_from(steps).unwrap_or(i64::MAX).saturating_mul(3) - i64::from(NANO_DIGITS);
        if exponent == 0 {
            write!(f, "{mantissa}")
        } else {
            write!(f, "{mantissa}e{exponent}")
        }
    }
}

/// Divides by `base` while the division is exact, at most `limit` times.
fn reduce(mut amount: i128, base: i128, limit: usize) -> (i128, usize) {
    let mut steps = 0;
    while steps < limit && amount != 0 && amount % base == 0 {
        amount /= base;
        steps += 1;
    }
    (amount, steps)
}

#[cfg(test)]
mod tests;
