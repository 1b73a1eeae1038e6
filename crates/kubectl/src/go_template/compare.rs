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
pub(super) fn equal(one: &Datum<'_>, other: &Datum<'_>) -> Result<bool, String> {
    Ok(match (one, other) {
        (Datum::Nothing, Datum::Nothing) => true,
        (Datum::Nothing, _) | (_, Datum::Nothing) => false,
        (Datum::Bool(one), Datum::Bool(other)) => one == other,
        (Datum::Int(one), Datum::Int(other)) => one == other,
        (Datum::Float(one), Datum::Float(other)) => one == other,
        (Datum::Text(one), Datum::Text(other)) => one == other,
        (Datum::List(_) | Datum::Map(_), Datum::List(_) | Datum::Map(_)) => {
            let (text, kind) = (other.text(), other.type_name());
            return Err(format!("non-comparable type {text}: {kind}"));
        }
        _ => return Err(OTHER_KINDS.to_owned()),
    })
}

/// Whether two numbers or strings are in this order.
pub(super) fn compare(one: &Datum<'_>, other: &Datum<'_>, order: Order) -> Result<bool, String> {
    let has_order = |it: &Datum<'_>| matches!(it, Datum::Int(_) | Datum::Float(_) | Datum::Text(_));
    let ordering = match (one, other) {
        (Datum::Int(one), Datum::Int(other)) => one.cmp(other),
        (Datum::Float(one), Datum::Float(other)) => {
            one.partial_cmp(other).unwrap_or(Ordering::Equal)
        }
        (Datum::Text(one), Datum::Text(other)) => one.cmp(other),
        (one, other) if has_order(one) && has_order(other) => return Err(OTHER_KINDS.to_owned()),
        _ => return Err("invalid type for comparison".to_owned()),
    };
    Ok(match order {
        Order::Less => ordering.is_lt(),
        Order::LessOrEqual => ordering.is_le(),
        Order::Greater => ordering.is_gt(),
        Order::GreaterOrEqual => ordering.is_ge(),
    })
}
