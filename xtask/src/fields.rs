//! `cargo xtask fields`: writes the descriptions of the fields that the editor shows.
//!
//! They come from the schemas of `k8s-openapi`, which takes a minute to compile with them. So the
//! file is kept in the repository, with a stamp of what it was made from; `tidy` compares that.

use crate::process::{Result, cargo, output, read, root, run, target_dir, write};
use std::path::Path;

/// Where the descriptions are.
pub const FILE: &str = "www/editor/fields.json";

/// The package that writes them.
pub const FOLDER: &str = "fields";

/// Tests the generator, runs it, and keeps what it prints.
pub fn fields() -> Result {
    let manifest = format!("{FOLDER}/Cargo.toml");
    let with = |command: &str| {
        let mut cargo = cargo(&[command, "--quiet", "--locked", "--manifest-path", &manifest]);
        cargo.env("CARGO_TARGET_DIR", target_dir().join("fields"));
        cargo
    };
    run(&mut with("test"))?;
    let printed = output(&mut with("run"))?;
    let rest = printed
        .trim_end()
        .strip_prefix('{')
        .ok_or("the generator printed no JSON object")?;
    let made = stamp(&sources(&root())?);
    write(
        &root().join(FILE),
        format!("{{\"made\":\"{made}\",{rest}\n"),
    )?;
    println!("Wrote {FILE}: {} bytes.", printed.len());
    Ok(())
}

/// What the generator is made of, sorted by path: its sources and its lock file.
fn sources(root: &Path) -> Result<Vec<String>> {
    let folder = root.join(FOLDER).join("src");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.insert(0, root.join(FOLDER).join("Cargo.lock"));
    paths.iter().map(|path| read(path)).collect()
}

/// A fingerprint (FNV-1a) of texts, whatever their line ends.
pub fn stamp<T: AsRef<str>>(texts: &[T]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        // A zero byte keeps the borders between the texts.
        for byte in text.as_ref().bytes().filter(|b| *b != b'\r').chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn a_stamp_tells_texts_apart_but_not_line_ends() {
        assert_eq!(stamp(&["a\r\n"]), stamp(&["a\n"]));
        assert_ne!(stamp(&["ab"]), stamp(&["a", "b"]));
        // Where FNV-1a begins.
        assert_eq!(stamp::<&str>(&[]), "cbf29ce484222325");
    }
}
