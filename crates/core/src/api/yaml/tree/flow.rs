//! Nodes in flow style (`{…}`, `[…]`), which includes JSON.

use berth_protocol::remark::Remark;

use super::{Entry, Item, Node, Properties, Scan, Shape, Unclear, quoted_shape};

impl Scan<'_> {
    /// Reads a node within brackets, or a bracketed node.
    pub(super) fn flow_node(&mut self) -> Result<Node, Unclear> {
        self.enter()?;
        let home = self.at;
        let mut properties = Properties::default();
        self.skip_to_content();
        while self.property(&mut properties, true) {
            self.skip_to_content();
        }
        let start = self.at;
        let shape = match self.peek() {
            Some(b'{') => self.flow_map()?,
            Some(b'[') => self.flow_list()?,
            Some(quote @ (b'"' | b'\'')) => {
                self.skip_quoted(quote)?;
                quoted_shape(quote)
            }
            Some(b'*') => {
                self.skip_token(true);
                Shape::Alias
            }
            Some(b'?') if self.ends_token(start + 1) => {
                return Err(self.unclear(Remark::key_behind_mark()));
            }
            None | Some(b',' | b']' | b'}') => Shape::Empty,
            Some(b':') if self.ends_plain(start) => Shape::Empty,
            Some(_) => {
                self.flow_plain();
                Shape::Plain
            }
        };
        self.depth -= 1;
        if matches!(shape, Shape::Empty) {
            let place = if properties.outer.is_some() {
                properties.end
            } else {
                home
            };
            return Ok(properties.node(place, place, shape));
        }
        Ok(properties.node(start, self.at, shape))
    }

    fn flow_map(&mut self) -> Result<Shape, Unclear> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.skip_to_content();
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Shape::Map {
                    flow: true,
                    entries,
                });
            }
            let key = self.flow_node()?;
            if matches!(key.shape, Shape::Map { .. } | Shape::List { .. }) {
                return Err(self.unclear(Remark::key_no_text()));
            }
            let key_end = self.at.max(key.end);
            self.skip_to_content();
            let entry = if self.peek() == Some(b':') {
                let colon = self.at;
                self.at += 1;
                let value = self.flow_node()?;
                Entry {
                    key,
                    colon: Some(colon),
                    value,
                }
            } else {
                let value = Properties::default().node(key_end, key_end, Shape::Empty);
                Entry {
                    key,
                    colon: None,
                    value,
                }
            };
            entries.push(entry);
            self.separator(b'}')?;
        }
    }

    fn flow_list(&mut self) -> Result<Shape, Unclear> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_to_content();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Shape::List { flow: true, items });
            }
            let mark = self.at;
            let node = self.flow_node()?;
            items.push(Item { mark, node });
            self.skip_to_content();
            if self.peek() == Some(b':') {
                return Err(self.unclear(Remark::no_braces()));
            }
            self.separator(b']')?;
        }
    }

    /// Skips a comma; the closing bracket stays.
    fn separator(&mut self, closing: u8) -> Result<(), Unclear> {
        self.skip_to_content();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(())
            }
            Some(byte) if byte == closing => Ok(()),
            _ => Err(self.unclear(Remark::separator_missing())),
        }
    }

    /// Whether a colon within brackets ends a plain scalar.
    fn ends_plain(&self, colon: usize) -> bool {
        let next = self.byte(colon + 1);
        self.ends_token(colon + 1) || matches!(next, Some(b',' | b'[' | b']' | b'{' | b'}'))
    }

    fn flow_plain(&mut self) {
        let mut end = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b',' | b'[' | b']' | b'{' | b'}' => break,
                b':' if self.ends_plain(self.at) => break,
                b'#' if self.at_comment() => break,
                byte if byte.is_ascii_whitespace() => {}
                _ => end = self.at + 1,
            }
            self.at += 1;
        }
        self.at = end;
    }
}
