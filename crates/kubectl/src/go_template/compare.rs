//! `eq`, `ne`, `lt`, `le`, `gt` and `ge`: only values of one kind compare.

use std::cmp::Ordering;

use super::Datum;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

const OTHER_KINDS: &str = "incompatible types for comparison";

/// Whether two values are equal. Nil is equal to nil alone.
pub(super) fn equal(a: &Datum<'_>, b: &Datum<'_>) -> Result<bool, String> {
    Ok(match (a, b) {
        (Datum::Nothing, Datum::Nothing) => true,
        (Datum::Nothing, _) | (_, Datum::Nothing) => false,
        (Datum::Bool(a), Datum::Bool(b)) => a == b,
        (Datum::Int(a), Datum::Int(b)) => a == b,
        (Datum::Float(a), Datum::Float(b)) => a == b,
        (Datum::Text(a), Datum::Text(b)) => a == b,
        (Datum::List(_) | Datum::Map(_), Datum::List(_) | Datum::Map(_)) => {
            let (text, kind) = (b.text(), b.type_name());
            return Err(format!("non-comparable type {text}: {kind}"));
        }
        _ => return Err(OTHER_KINDS.to_owned()),
    })
}

/// Whether two numbers or strings are in this order.
pub(super) fn compare(a: &Datum<'_>, b: &Datum<'_>, order: Order) -> Result<bool, String> {
    let has_order = |it: &Datum<'_>| matches!(it, Datum::Int(_) | Datum::Float(_) | Datum::Text(_));
    let ordering = match (a, b) {
        (Datum::Int(a), Datum::Int(b)) => a.cmp(b),
        (Datum::Float(a), Datum::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Datum::Text(a), Datum::Text(b)) => a.cmp(b),
        (a, b) if has_order(a) && has_order(b) => return Err(OTHER_KINDS.to_owned()),
        _ => return Err("invalid type for comparison".to_owned()),
    };
    Ok(match order {
        Order::Less => ordering.is_lt(),
        Order::LessOrEqual => ordering.is_le(),
        Order::Greater => ordering.is_gt(),
        Order::GreaterOrEqual => ordering.is_ge(),
    })
}
