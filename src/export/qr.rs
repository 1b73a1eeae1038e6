//! QR codes.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

/// Width of the quiet zone, in squares.
const QUIET: i32 = 4;

/// The size of an address's code with its quiet zone, and its dark squares as an SVG path; `None` if it is too long.
pub fn squares(address: &str) -> Option<(i32, String)> {
    let code = QrCode::encode_text(address, QrCodeEcc::Low).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            // Writing to a string cannot fail.
            let _ = write!(path, "M{} {}h1v1h-1z", x + QUIET, y + QUIET);
        }
    }
    Some((code.size() + 2 * QUIET, path))
}
