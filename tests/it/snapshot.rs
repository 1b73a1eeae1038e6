//! Expected output that tests compare, and that `cargo xtask snapshots` rewrites.

use std::fmt::Write as _;
use std::path::Path;

/// Environment variable that makes [`assert_snapshot`] write the text instead of comparing it.
const WRITE: &str = "BERTH_WRITE_SNAPSHOTS";

/// Maximum number of lines of a difference to print.
const SHOWN: usize = 40;

/// Number of lines before a difference to print with it.
const CONTEXT: usize = 3;

/// Compares `actual` with the committed text of `file` (from `tests/it`), line by line.
#[track_caller]
pub fn assert_snapshot(file: &str, committed: &str, actual: &str) {
    if std::env::var_os(WRITE).is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it")
            .join(file);
        std::fs::write(&path, actual).unwrap_or_else(|error| panic!("{file}: {error}"));
        return;
    }
    if let Some(difference) = difference(committed, actual) {
        panic!(
            "tests/it/{file} differs (`-` committed, `+` now):\n{difference}\
             if that was meant, `cargo xtask snapshots` writes it again"
        );
    }
}

/// The lines between the first and the last that differ, with some context.
fn difference(committed: &str, actual: &str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (committed.lines().collect(), actual.lines().collect());
    if old == new {
        return None;
    }
    let shorter = old.len().min(new.len());
    let start = (0..shorter)
        .find(|&at| old[at] != new[at])
        .unwrap_or(shorter);
    let same_end = (0..shorter - start)
        .find(|&back| old[old.len() - 1 - back] != new[new.len() - 1 - back])
        .unwrap_or(shorter - start);
    let mut text = format!("@@ line {} @@\n", start + 1);
    for line in &old[start.saturating_sub(CONTEXT)..start] {
        let _ = writeln!(text, "  {line}");
    }
    for (mark, lines) in [("-", &old), ("+", &new)] {
        let changed = &lines[start..lines.len() - same_end];
        for line in changed.iter().take(SHOWN) {
            let _ = writeln!(text, "{mark} {line}");
        }
        if let more @ 1.. = changed.len().saturating_sub(SHOWN) {
            let _ = writeln!(text, "{mark} … {more} more lines");
        }
    }
    Some(text)
}

#[test]
fn a_difference_shows_what_changed_and_what_comes_before() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    let text = difference("a\nb\nc\nd\n", "a\nx\ny\nd\n").expect("they differ");
    assert_eq!(text, "@@ line 2 @@\n  a\n- b\n- c\n+ x\n+ y\n");
    let text = difference("a\n", "a\na\n").expect("they differ");
    assert_eq!(text, "@@ line 2 @@\n  a\n+ a\n");
}
