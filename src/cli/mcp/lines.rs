//! Standard input in lines of bounded length: a message is one line. The protocol's reader drops a longer one without a word,
//! and the client would wait. Here, it is replaced by a call of no tool with the same id, which is answered.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::MAX_INPUT;

/// Bytes of a message: escaped, manifests are longer.
pub const MAX_LINE: usize = 2 * MAX_INPUT;
/// Bytes between two looks.
const CHUNK: usize = 1 << 16;
/// Bytes of an id.
const MAX_ID: usize = 128;

/// The name of the tool that is called in place of a message that is too long.
pub const TOO_LONG: &str = "berth/message-too-long";

/// The lines of an input, each of which is short enough.
pub fn bounded(mut input: impl AsyncRead + Send + Unpin + 'static) -> DuplexStream {
    let (mut writer, reader) = duplex(CHUNK);
    tokio::spawn(async move {
        let mut line = Line::default();
        let mut chunk = vec![0; CHUNK];
        loop {
            let read = match input.read(&mut chunk).await {
                Ok(0) | Err(_) => break,
                Ok(read) => read,
            };
            for part in chunk
                .get(..read)
                .unwrap_or_default()
                .split_inclusive(|it| *it == b'\n')
            {
                line.push(part);
                let ends = part.ends_with(b"\n");
                // The reader is gone.
                if ends && writer.write_all(&line.take()).await.is_err() {
                    return;
                }
            }
        }
        let _ = writer.write_all(&line.take()).await;
    });
    reader
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    is_too_long: bool,
    id: IdReader,
}

impl Line {
    fn push(&mut self, part: &[u8]) {
        part.iter().for_each(|byte| self.id.push(*byte));
        if self.is_too_long {
            return;
        }
        if self.bytes.len() + part.len() > MAX_LINE {
            self.is_too_long = true;
            self.bytes = Vec::new();
            return;
        }
        self.bytes.extend_from_slice(part);
    }

    /// The line, or what stands in for it.
    fn take(&mut self) -> Vec<u8> {
        let Line {
            bytes,
            is_too_long,
            id,
        } = std::mem::take(self);
        match (is_too_long, id.id()) {
            (false, _) => bytes,
            (true, None) => Vec::new(),
            (true, Some(id)) => format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{TOO_LONG}\"}}}}\n"
            )
            .into_bytes(),
        }
    }
}

/// Reads the id of a message while its bytes pass.
#[derive(Default)]
struct IdReader {
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// The last key of the message itself.
    key: Vec<u8>,
    is_value: bool,
    id: Vec<u8>,
    has_id: bool,
}

impl IdReader {
    fn push(&mut self, byte: u8) {
        let is_inside = self.depth == 1;
        let takes = is_inside && self.is_value && self.key == b"id" && !self.has_id;
        if self.in_text {
            let ends = byte == b'"' && !self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            self.in_text = !ends;
            if is_inside && !self.is_value && !ends && self.key.len() < MAX_ID {
                self.key.push(byte);
            }
            self.keep(takes, byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                if is_inside && !self.is_value {
                    self.key.clear();
                }
                self.keep(takes, byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.has_id |= takes;
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if is_inside => self.is_value = true,
            b',' if is_inside => {
                self.has_id |= takes;
                self.is_value = false;
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(takes, byte),
        }
    }

    fn keep(&mut self, takes: bool, byte: u8) {
        if takes && self.id.len() < MAX_ID {
            self.id.push(byte);
        }
    }

    /// The id as JSON, if it is a number or a text.
    fn id(&self) -> Option<serde_json::Value> {
        let id: serde_json::Value = serde_json::from_slice(&self.id).ok()?;
        (id.is_number() || id.is_string()).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(message: &str) -> Option<String> {
        let mut reader = IdReader::default();
        message.bytes().for_each(|byte| reader.push(byte));
        reader.id().map(|id| id.to_string())
    }

    #[test]
    fn the_id_is_found_wherever_it_is() {
        for (message, expected) in [
            (r#"{"id": 7, "method": "a"}"#, Some("7")),
            (
                r#"{"params": {"id": 1, "x": "}\"id\": 2"}, "id":"a-\"b" }"#,
                Some(r#""a-\"b""#),
            ),
            (r#"{"params": ["id", {"id": 1}]}"#, None),
            (r#"{"method": "id", "params": "id"}"#, None),
            (r#"{"id": {"a": 1}}"#, None),
            ("", None),
            ("}}]\"", None),
        ] {
            assert_eq!(id(message).as_deref(), expected, "{message}");
        }
    }

    #[test]
    fn a_long_line_becomes_a_call_that_is_refused() {
        let mut line = Line::default();
        line.push(b"{\"id\": 3, \"text\": \"");
        let part = vec![b'a'; 1 << 20];
        for _ in 0..=(MAX_LINE >> 20) {
            line.push(&part);
        }
        assert!(line.bytes.is_empty());
        line.push(b"\"}\n");
        let text = String::from_utf8(line.take()).unwrap();
        assert!(
            text.contains("\"id\":3") && text.contains(TOO_LONG) && text.ends_with('\n'),
            "{text}"
        );
        line.push(b"{}\n");
        assert_eq!(line.take(), b"{}\n");
    }
}
