//! The text of a link, compressed: the command's counterpart of `www/link.js`.

use std::io::{Read, Write};

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, URL_SAFE_NO_PAD};
use berth_session::Version;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use berth_protocol::link::{Damage, Link, LinkError, MAX_TEXT, fragment, payload};

/// Words of a text may follow the link without a gap: what is after the end of the zlib stream does not count, so neither
/// do the last bits of the last character.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

/// The fragment of a link, `#` included.
pub fn encode(link: &Link) -> std::io::Result<String> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(link.to_json().as_bytes())?;
    Ok(fragment(&URL_SAFE_NO_PAD.encode(encoder.finish()?)))
}

/// Reads an address or a fragment, also from the middle of a text, and where a mail broke it into lines.
pub fn decode(address: &str) -> Result<Link, Damage> {
    let joined: String = address.lines().map(str::trim).collect();
    let payload = payload(&joined)?;
    // A single character at the end holds no byte.
    let whole = match payload.len() % 4 {
        1 => payload.get(..payload.len() - 1).unwrap_or_default(),
        _ => payload,
    };
    let bytes = LENIENT.decode(whole).unwrap_or_default();
    let mut inflated = Vec::new();
    let limit = u64::try_from(MAX_TEXT).unwrap_or(u64::MAX);
    let read = ZlibDecoder::new(&*bytes)
        .take(limit + 1)
        .read_to_end(&mut inflated);
    if inflated.len() > MAX_TEXT {
        return Err(LinkError::TooLarge.into());
    }
    match std::str::from_utf8(&inflated) {
        Ok(text) if read.is_ok() => {
            Link::from_json(text, |release| Version::parse(release).is_ok())
        }
        Ok(text) => Err(Link::damaged(text)),
        Err(cut) => {
            let good = inflated.get(..cut.valid_up_to()).unwrap_or_default();
            Err(Link::damaged(std::str::from_utf8(good).unwrap_or_default()))
        }
    }
}
