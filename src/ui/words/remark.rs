//! Remarks of the engine. Their English is in `berth_protocol::remark`, and the compiler looks up each translation.

use berth_protocol::remark::Remark;
use berth_words::known;

use super::language::{say, semicolon};

macro_rules! translated {
    ($($name:ident($($value:ident),*) = $sentence:tt;)*) => {
        const _: &[&str] = &[$(known!($sentence)),*];
    };
}

berth_protocol::remarks!(translated);

/// A remark in the language in use.
#[inline(never)]
pub fn remark(remark: &Remark) -> String {
    remark.told(say, semicolon())
}
