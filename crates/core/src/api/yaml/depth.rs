//! Rejects excessive nesting before the parser runs.
//!
//! The YAML parser examines every open flow collection for each token, so 50 MB of `[` would take
//! days. This scan is linear and sufficiently exact: it follows brackets from where a flow
//! collection can start, and skips quoted strings inside it and block scalars outside it.

/// Maximum nesting, equal to that of the YAML and JSON parsers. Kubernetes' deepest objects need
/// about 20.
pub(super) const MAX_DEPTH: usize = 128;

/// The offset of the first bracket that is nested too deeply.
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut block_scalar: Option<usize> = None;
    while scan.at < scan.bytes.len() {
        let line_end = scan.line_end();
        let line = text.get(scan.at..line_end).unwrap_or_default();
        let indent = line.len() - line.trim_start_matches(' ').len();
        if line.trim().is_empty() {
            scan.at = line_end;
            continue;
        }
        if let Some(parent) = block_scalar {
            if indent > parent {
                scan.at = line_end;
                continue;
            }
            block_scalar = None;
        }
        if opens_block_scalar(line) {
            block_scalar = Some(key_column(line));
            scan.at = line_end;
            continue;
        }
        if let Some(offset) = scan.block_line(line_end) {
            return Some(offset);
        }
    }
    None
}

/// Whether a line ends with the header of a block scalar (`key: |`, `- >-`).
fn opens_block_scalar(line: &str) -> bool {
    let line = line.trim_end();
    let header = line.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
    let Some(before) = header.strip_suffix(['|', '>']) else {
        return false;
    };
    line.len() - header.len() <= 2
        && (before.ends_with(": ") || before.ends_with("- "))
        && !before.contains(['#', '"', '\'', '[', '{'])
}

/// The column (from 0) where the innermost mapping or list of a line starts.
fn key_column(line: &str) -> usize {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches(' ');
        match trimmed
            .strip_prefix("- ")
            .or_else(|| trimmed.strip_prefix("? "))
        {
            // For `- |` the parent is the list itself, at the dash's column.
            Some(inner) if inner.trim_start().starts_with(['|', '>']) => {
                return line.len() - trimmed.len();
            }
            Some(inner) => rest = inner,
            None => return line.len() - trimmed.len(),
        }
    }
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn line_end(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter()
            .position(|&b| b == b'\n')
            .map_or(self.bytes.len(), |newline| self.at + newline + 1)
    }

    /// Scans a line in block context to its end, and flow collections on it to theirs.
    fn block_line(&mut self, line_end: usize) -> Option<usize> {
        while self.at < line_end {
            let opens = matches!(self.byte(self.at), Some(b'[' | b'{'));
            let before = self.at.checked_sub(1).and_then(|at| self.byte(at));
            if opens && before.is_none_or(|b| b.is_ascii_whitespace()) {
                return self.flow();
            }
            self.at += 1;
        }
        None
    }

    /// Scans a flow collection from its opening bracket past its closing one.
    fn flow(&mut self) -> Option<usize> {
        let mut depth = 0usize;
        // Quotes open a string only at the start of a scalar.
        let mut at_token_start = true;
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'[' | b'{' => {
                    depth += 1;
                    at_token_start = true;
                    if depth > MAX_DEPTH {
                        return Some(self.at);
                    }
                }
                b']' | b'}' => {
                    depth -= 1;
                    at_token_start = false;
                    if depth == 0 {
                        self.at += 1;
                        return None;
                    }
                }
                b',' | b':' => at_token_start = true,
                b'"' | b'\'' if at_token_start => {
                    self.skip_quoted(byte);
                    at_token_start = false;
                }
                b'#' if self
                    .at
                    .checked_sub(1)
                    .and_then(|at| self.byte(at))
                    .is_some_and(|b| b.is_ascii_whitespace()) =>
                {
                    self.at = self.line_end();
                    continue;
                }
                // White space may separate a tag or an anchor from its scalar.
                b' ' | b'\t' | b'\r' | b'\n' => at_token_start = true,
                _ => at_token_start = false,
            }
            self.at += 1;
        }
        None
    }

    /// Skips from an opening quote to its closing one.
    fn skip_quoted(&mut self, quote: u8) {
        loop {
            self.at += 1;
            match self.byte(self.at) {
                None => return,
                Some(b'\\') if quote == b'"' => self.at += 1,
                Some(byte) if byte == quote => return,
                Some(_) => {}
            }
        }
    }
}
