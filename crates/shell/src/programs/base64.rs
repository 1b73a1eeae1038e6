//! `base64`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Letters, all_text};
use crate::run::Run;
use crate::{Failure, Output};

/// Columns of a line without `-w`.
const COLUMNS: usize = 76;
const LONG: &[(&str, char)] = &[("decode", 'd'), ("ignore-garbage", 'i'), ("wrap", 'w')];

pub(super) fn base64(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    // `-D` decodes on macOS.
    let letters = Letters::read("base64", arguments, "dDi", "w", LONG)?;
    if let [_, extra, ..] = letters.words.as_slice() {
        return Err(Failure::new(1, format!("base64: extra operand '{extra}'")));
    }
    let text = all_text(run, "base64", &letters.words, stdin)?;
    if letters.has('d') || letters.has('D') {
        return Ok(decoded(&text, letters.has('i')));
    }
    let columns = letters.value('w').map_or(Ok(COLUMNS), str::parse);
    let columns = columns.map_err(|_| {
        let given = letters.value('w').unwrap_or_default();
        Failure::new(1, format!("base64: invalid wrap size: '{given}'"))
    })?;
    Ok(Output::text(wrapped(&STANDARD.encode(text), columns)))
}

/// Lines of this many columns; with 0, the text without a final newline.
fn wrapped(text: &str, columns: usize) -> String {
    let mut lines = String::new();
    for (index, letter) in text.chars().enumerate() {
        if columns > 0 && index > 0 && index % columns == 0 {
            lines.push('\n');
        }
        lines.push(letter);
    }
    if columns > 0 && !lines.is_empty() {
        lines.push('\n');
    }
    lines
}

/// What GNU's `base64 -d` prints: everything before the first error.
fn decoded(text: &str, ignores_garbage: bool) -> Output {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let is_read = |byte: &u8| match ignores_garbage {
        true => is_letter(*byte) || *byte == b'=',
        false => *byte != b'\n',
    };
    let letters: Vec<u8> = text.bytes().filter(is_read).collect();
    let mut output = Output::default();
    let mut bytes = Vec::new();
    for group in letters.chunks(4) {
        if let Ok(whole) = STANDARD.decode(group) {
            bytes.extend(whole);
            continue;
        }
        let valid = group.iter().copied().take_while(|byte| is_letter(*byte));
        let mut valid: Vec<u8> = valid.collect();
        let count = valid.len() * 3 / 4;
        valid.resize(4, b'A');
        bytes.extend(STANDARD.decode(valid).iter().flatten().take(count));
        output.complain("base64: invalid input");
        break;
    }
    // The files of the terminal are text.
    output.stdout = String::from_utf8_lossy(&bytes).into_owned();
    output
}
