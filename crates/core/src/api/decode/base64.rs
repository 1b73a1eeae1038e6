//! Byte fields, encoded in JSON as base64 (Go's `encoding/base64`, standard encoding with padding).

use berth_protocol::remark::Remark;

use super::Fault;
use super::node::Node;

/// What k8s-openapi's visitor for byte fields expects.
pub(super) const EXPECTED: &str = "a base64-encoded string";

impl Node<'_, '_> {
    /// The text without line breaks, which Go skips; empty if it is not base64.
    #[inline(never)]
    pub(super) fn base64_text(self) -> String {
        let text = self.text();
        if let Some(offset) = first_fault(text.as_bytes()) {
            self.report(
                format!("illegal base64 data at input byte {offset}"),
                Remark::base64(),
                Fault::Undecodable,
            );
            return String::new();
        }
        text.replace(['\r', '\n'], "")
    }
}

/// The offset at which Go's decoder fails; `None` if it decodes the whole text.
fn first_fault(text: &[u8]) -> Option<usize> {
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
    let mut signs = text
        .iter()
        .enumerate()
        .filter(|(_, b)| !matches!(b, b'\r' | b'\n'));
    let mut filled = 0;
    while let Some((at, sign)) = signs.next() {
        if is_letter(*sign) {
            filled = (filled + 1) % 4;
            continue;
        }
        if *sign != b'=' || filled < 2 {
            return Some(at);
        }
        if filled == 2 {
            match signs.next() {
                None => return Some(text.len()),
                Some((_, b'=')) => {}
                Some((next, _)) => return Some(next.saturating_sub(1)),
            }
        }
        return signs.next().map(|(at, _)| at);
    }
    (filled > 0).then(|| text.len().saturating_sub(filled))
}

#[cfg(test)]
mod tests {
    use super::first_fault;

    #[test]
    fn faults_are_reported_at_gos_offset() {
        for (text, fault) in [
            ("", None),
            ("YWRtaW4=", None),
            ("YWRt\naW4=\n", None),
            ("YQ==", None),
            ("plain text", Some(5)),
            ("abc", Some(0)),
            ("YWRtaW4", Some(4)),
            ("YQ=", Some(3)),
            ("YQ==x", Some(4)),
        ] {
            assert_eq!(first_fault(text.as_bytes()), fault, "{text:?}");
        }
    }
}
