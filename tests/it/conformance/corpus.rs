//! Recorded scenarios, packed by `cargo xtask corpus FOLDER [TEST]`.

use std::io::Read;

const SCENARIOS: &[u8] = include_bytes!("scenarios.br");
const EXPECTED: &[u8] = include_bytes!("expected.br");

/// One scenario and what the real scheduler decided about it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The folder, such as `spread`.
    pub category: String,
    /// The file's name without its ending, such as `spread-0007`.
    pub name: String,
    /// The manifests, exactly as recorded.
    pub yaml: String,
    /// The recorded decisions, without white space between the tokens.
    pub json: String,
}

/// All of the scheduler's decisions, by category and name.
///
/// # Panics
/// If the packed files do not belong together or are damaged.
pub fn cases() -> Vec<Case> {
    cases_of(SCENARIOS, EXPECTED)
}

/// All cases of two packed files, by category and name.
///
/// # Panics
/// As [`cases`].
pub fn cases_of(scenarios: &[u8], expected: &[u8]) -> Vec<Case> {
    let scenarios = records(&unpack(scenarios));
    let expected = records(&unpack(expected));
    assert_eq!(scenarios.len(), expected.len(), "the packed files differ");
    scenarios
        .into_iter()
        .zip(expected)
        .map(|((id, yaml), (expected_id, json))| {
            assert_eq!(id, expected_id, "the packed files differ");
            let (category, name) = id.split_once('/').expect("CATEGORY/NAME");
            Case {
                category: category.to_string(),
                name: name.to_string(),
                yaml,
                json,
            }
        })
        .collect()
}

/// The texts of a packed file, with their names.
///
/// # Panics
/// As [`cases`].
pub fn records_of(packed: &[u8]) -> Vec<(String, String)> {
    records(&unpack(packed))
}

fn unpack(packed: &[u8]) -> String {
    let mut text = String::new();
    brotli_decompressor::Decompressor::new(packed, 1 << 16)
        .read_to_string(&mut text)
        .expect("a damaged file: pack it again with `cargo xtask corpus FOLDER [TEST]`");
    text
}

/// Parses a sequence of `CATEGORY/NAME LENGTH\n`, that many bytes, `\n`.
fn records(mut text: &str) -> Vec<(String, String)> {
    let mut records = Vec::new();
    while !text.is_empty() {
        let (header, rest) = text.split_once('\n').expect("a header");
        let (id, length) = header.split_once(' ').expect("CATEGORY/NAME LENGTH");
        let length: usize = length.parse().expect("a length");
        records.push((id.to_string(), rest[..length].to_string()));
        text = rest[length..]
            .strip_prefix('\n')
            .expect("the end of a record");
    }
    records
}
