//! `cargo xtask size functions`: what the first module of the program consists of, or how it differs from an earlier one.

use crate::process::{Result, root};
use std::collections::BTreeMap;
use std::path::Path;

/// Written by each release build (xtask/split/src/list.rs): bytes before `wasm-opt`, why the function is in the first
/// part (`ran`, `called` or `stub`), and its name.
const LIST: &str = "target/split/first.txt";

/// Rows to print.
const SHOWN: usize = 60;

/// Prints the largest functions, or with an earlier list the largest differences.
pub fn print(args: &[String]) -> Result {
    let now = read(&root().join(LIST))?;
    let text = match args {
        [] => largest(&now),
        [earlier] => differences(&read(Path::new(earlier))?, &now),
        _ => return Err("usage: cargo xtask size functions [EARLIER LIST]".to_string()),
    };
    print!("{text}");
    Ok(())
}

/// Bytes and number of functions by reason and name: several functions may have one name.
type Functions = BTreeMap<(String, String), (i64, usize)>;

fn read(path: &Path) -> Result<Functions> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| format!("{}: {e}; build the page first", path.display()))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Functions> {
    let mut functions = Functions::new();
    for line in text.lines() {
        let unexpected = || format!("unexpected line: {line}");
        let (bytes, rest) = line.trim_start().split_once(' ').ok_or_else(unexpected)?;
        let (why, name) = rest.split_once(' ').ok_or_else(unexpected)?;
        let bytes: i64 = bytes.parse().map_err(|_| unexpected())?;
        let key = (why.to_string(), name.trim_start().to_string());
        let (sum, count) = functions.entry(key).or_default();
        *sum += bytes;
        *count += 1;
    }
    Ok(functions)
}

fn largest(now: &Functions) -> String {
    let mut sums: BTreeMap<&str, (i64, usize)> = BTreeMap::new();
    for ((why, _), (bytes, count)) in now {
        let (sum, number) = sums.entry(why).or_default();
        *sum += bytes;
        *number += count;
    }
    let head = sums
        .iter()
        .map(|(why, (bytes, count))| format!("{bytes:>9} {why}: {count} functions\n"));
    let rows = now.iter().map(|(key, (bytes, _))| (*bytes, key));
    head.collect::<String>() + &listed(rows.collect())
}

fn differences(earlier: &Functions, now: &Functions) -> String {
    let bytes = |of: &Functions, key| of.get(key).map_or(0, |(bytes, _)| *bytes);
    let keys = earlier.keys().chain(now.keys());
    let rows = keys.map(|key| (key, bytes(now, key) - bytes(earlier, key)));
    let rows: BTreeMap<_, _> = rows.filter(|(_, more)| *more != 0).collect();
    let sum: i64 = rows.values().sum();
    let rows = rows.into_iter().map(|(key, more)| (more, key));
    format!("{sum:>+9} in all\n") + &listed(rows.collect())
}

fn listed(mut rows: Vec<(i64, &(String, String))>) -> String {
    rows.sort_by_key(|(bytes, key)| (-bytes.abs(), *key));
    let rows = rows
        .into_iter()
        .take(SHOWN)
        .map(|(bytes, (why, name))| format!("{bytes:>9} {why:<6} {name}\n"));
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLIER: &str =
        "   4000 ran    a::view\n    700 ran    b::<u8>::of\n     20 stub   c::form\n";

    #[test]
    fn functions_of_one_name_are_added() {
        let now = parse("   300 ran    b::of\n   200 ran    b::of\n").unwrap();
        assert_eq!(now[&("ran".to_string(), "b::of".to_string())], (500, 2));
        assert!(parse("what").is_err());
    }

    #[test]
    fn new_functions_come_first() {
        let earlier = parse(EARLIER).unwrap();
        let now = parse("   4100 ran    a::view\n   9000 ran    c::form\n").unwrap();
        let expected = "    +8380 in all\n     9000 ran    c::form\n     -700 ran    b::<u8>::of\n";
        let shown = differences(&earlier, &now);
        assert!(shown.starts_with(expected), "{shown}");
        assert!(shown.contains("100 ran    a::view\n      -20 stub   c::form\n"));
    }

    #[test]
    fn reasons_are_summed_up() {
        let shown = largest(&parse(EARLIER).unwrap());
        assert!(shown.starts_with("     4700 ran: 2 functions\n       20 stub: 1 functions\n"));
    }
}
