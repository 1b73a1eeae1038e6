//! Lists the functions of the first module, to find what makes it large.

use crate::choice::{Parts, local, size};
use std::collections::BTreeSet;
use walrus::{FunctionId, Module};

/// A line for each function: bytes before `wasm-opt`, `ran` or why it stays, and its name; the largest first.
pub fn of_first(module: &Module, parts: &Parts, ran: &BTreeSet<FunctionId>) -> String {
    let mut rows: Vec<(usize, &str, &str)> = Vec::new();
    for function in module.funcs.iter() {
        let id = function.id();
        let name = function.name.as_deref().unwrap_or("?");
        match local(module, id) {
            None => {}
            Some(_) if parts.entries.contains_key(&id) => rows.push((STUB_BYTES, "stub", name)),
            Some(_) if parts.moved.contains(&id) => {}
            Some(body) if ran.contains(&id) => rows.push((size(body), "ran", name)),
            Some(body) => rows.push((size(body), "called", name)),
        }
    }
    rows.sort_by(|a, b| b.0.cmp(&a.0).then(a.2.cmp(b.2)));
    let lines = rows.iter().map(|(bytes, why, name)| format!("{bytes:>7} {why:<6} {}\n", plain(name)));
    lines.collect()
}

/// Approximate size of a stub.
const STUB_BYTES: usize = 20;

/// A name without the hashes of crates and functions, which change with every build.
fn plain(name: &str) -> String {
    let name = match name.rfind("::h") {
        Some(at) if is_hash(&name[at + 3..]) => &name[..at],
        _ => name,
    };
    let mut plain = String::new();
    let mut left = name;
    while let Some((before, after)) = left.split_once('[') {
        plain.push_str(before);
        match after.split_once(']') {
            Some((hash, next)) if is_hash(hash) => left = next,
            _ => {
                plain.push('[');
                left = after;
            }
        }
    }
    plain + left
}

fn is_hash(text: &str) -> bool {
    (13..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_are_the_same_in_every_build() {
        assert_eq!(plain("a::b::h0123456789abcdef"), "a::b");
        assert_eq!(
            plain("<a[0123456789abcdef]::b<[u8; 4]>>::c"),
            "<a::b<[u8; 4]>>::c"
        );
        assert_eq!(plain("a::halt"), "a::halt");
    }
}
