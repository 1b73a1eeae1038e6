//! `cargo xtask fields`: writes the descriptions of the fields: in brief for the editor, whole for `kubectl explain`.
//!
//! They come from the schemas of `k8s-openapi`, which takes a minute to compile with them. So the
//! generated files are committed, with a stamp of the generator's sources; `tidy` checks the stamp.

use crate::process::{Result, cargo, output, read, root, run, target_dir, write};
use std::path::Path;

/// The generated file of the editor.
pub const FILE: &str = "www/editor/fields.json";

/// The generated file of `kubectl explain`.
pub const WHOLE: &str = "www/editor/explain.json";

/// The generator's package.
pub const FOLDER: &str = "fields";

/// Tests the generator, runs it, and writes its output to [`FILE`] and [`WHOLE`] with a stamp.
pub fn fields() -> Result {
    let manifest = format!("{FOLDER}/Cargo.toml");
    let with = |command: &str| {
        let mut cargo = cargo(&[command, "--quiet", "--locked", "--manifest-path", &manifest]);
        cargo.env("CARGO_TARGET_DIR", target_dir().join("fields"));
        cargo
    };
    run(&mut with("test"))?;
    let made = stamp(&sources(&root())?);
    for (file, arguments) in [(FILE, &[][..]), (WHOLE, &["--", "whole"][..])] {
        let printed = output(with("run").args(arguments))?;
        let rest = printed
            .trim_end()
            .strip_prefix('{')
            .ok_or("the generator printed no JSON object")?;
        write(
            &root().join(file),
            format!("{{\"made\":\"{made}\",{rest}\n"),
        )?;
        println!("Wrote {file}: {} bytes.", printed.len());
    }
    Ok(())
}

/// The table of kinds that the generator includes.
pub const KINDS: &str = "crates/core/src/api/kinds/table.rs";

/// The contents of the table of kinds, and of the generator's lock file and sources, sorted by path.
fn sources(root: &Path) -> Result<Vec<String>> {
    let folder = root.join(FOLDER).join("src");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.insert(0, root.join(FOLDER).join("Cargo.lock"));
    paths.insert(0, root.join(KINDS));
    paths.iter().map(|path| read(path)).collect()
}

/// FNV-1a hash of texts, independent of their line endings.
pub fn stamp<T: AsRef<str>>(texts: &[T]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        // A zero byte ends each text, so that its boundary counts.
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
    fn a_stamp_distinguishes_texts_but_not_line_endings() {
        assert_eq!(stamp(&["a\r\n"]), stamp(&["a\n"]));
        assert_ne!(stamp(&["ab"]), stamp(&["a", "b"]));
        // The FNV-1a offset basis.
        assert_eq!(stamp::<&str>(&[]), "cbf29ce484222325");
    }
}
