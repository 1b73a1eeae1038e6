//! The catalogue: pairs of lines, English and Chinese. Blank lines and lines that begin with `#` separate and comment.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use super::sentence::names;

/// The catalogue's file, from the folder of the crate that calls the macros.
const FILE: &str = "src/words/zh-CN.txt";

/// Translations by their English sentences.
pub type Catalogue = BTreeMap<String, String>;

/// Looks a sentence up; returns what to say if it is missing.
///
/// # Errors
/// If its placeholders differ, or if the catalogue cannot be read.
pub fn check(english: &str) -> Result<Option<String>, String> {
    let catalogue = known().as_ref().map_err(Clone::clone)?;
    let Some(chinese) = catalogue.get(english) else {
        return Ok(Some(format!("add a translation to {FILE}: {english}")));
    };
    let sorted = |text: &'_ str| -> Result<Vec<String>, String> {
        let mut names: Vec<String> = names(text)?.into_iter().map(str::to_owned).collect();
        names.sort_unstable();
        Ok(names)
    };
    let (of_english, of_chinese) = (sorted(english)?, sorted(chinese)?);
    if of_english == of_chinese {
        Ok(None)
    } else {
        Err(format!(
            "the translation in {FILE} has other placeholders: {} instead of {}",
            of_chinese.join(", "),
            of_english.join(", ")
        ))
    }
}

/// The FNV-1a hash of the catalogue.
pub fn hash() -> Result<u64, String> {
    let text = read_text()?;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    Ok(text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

fn known() -> &'static Result<Catalogue, String> {
    // One compilation expands many macros.
    static KNOWN: OnceLock<Result<Catalogue, String>> = OnceLock::new();
    KNOWN.get_or_init(|| read(&read_text()?))
}

fn read_text() -> Result<String, String> {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let file = Path::new(&folder).join(FILE);
    std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Reads a catalogue.
pub fn read(text: &str) -> Result<Catalogue, String> {
    let mut catalogue = Catalogue::new();
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    while let Some((at, english)) = lines.next() {
        let wrong = |why: &str| Err(format!("{FILE}:{}: {why}: {english}", at + 1));
        match lines.next() {
            Some((next, chinese)) if next == at + 1 => {
                if catalogue
                    .insert(english.to_owned(), chinese.to_owned())
                    .is_some()
                {
                    return wrong("twice in the catalogue");
                }
            }
            _ => return wrong("the line after it must be its translation"),
        }
    }
    Ok(catalogue)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_catalogue_is_pairs_of_lines() {
        let read_ok = read("# Names.\nShare\n分享\n\nOpen\n打开\n");
        assert_eq!(read_ok.map(|catalogue| catalogue.len()), Ok(2));
        for wrong in ["Share\n", "Share\n\n分享\n", "A\n甲\nA\n乙\n"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
