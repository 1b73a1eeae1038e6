//! Nodes in block style.

use berth_protocol::remark::Remark;

use super::{Entry, Item, Node, Properties, Scan, Shape, Unclear, quoted_shape};

impl Scan<'_> {
    /// Reads the node after a colon, a dash or the start of the document.
    ///
    /// `parent`: the column of the enclosing mapping or list, -1 for none. `indentless`: a list may
    /// start at that column. `compact`: a mapping or list may start on this line.
    pub(super) fn block_node(
        &mut self,
        parent: isize,
        indentless: bool,
        mut compact: bool,
    ) -> Result<Node, Unclear> {
        self.enter()?;
        let home = self.at;
        let mut properties = Properties::default();
        // Properties on the line of a key belong to the key, unless a line break follows them.
        let mut on_this_line = (self.at, false);
        loop {
            self.skip_inline();
            if self.at_line_end() {
                self.skip_to_content();
                let column = self.column(self.at);
                let fits = column > parent || indentless && column == parent && self.at_dash();
                if self.peek().is_none() || !fits {
                    self.depth -= 1;
                    let place = if properties.outer.is_some() {
                        properties.end
                    } else {
                        home
                    };
                    return Ok(properties.node(place, place, Shape::Empty));
                }
                compact = true;
                on_this_line = (self.at, false);
            }
            if !self.property(&mut properties, false) {
                break;
            }
            on_this_line.1 = true;
        }
        let node = self.block_content(parent, compact, properties, on_this_line)?;
        self.depth -= 1;
        Ok(node)
    }

    fn block_content(
        &mut self,
        parent: isize,
        compact: bool,
        mut properties: Properties,
        (line_content, has_properties): (usize, bool),
    ) -> Result<Node, Unclear> {
        if self.at_dash() {
            if !compact {
                return Err(self.unclear(Remark::list_behind_key()));
            }
            let column = self.column(self.at);
            let list = self.block_list(column)?;
            return Ok(properties.node(list.start, list.end, list.shape));
        }
        if self.peek() == Some(b'?') && self.ends_token(self.at + 1) {
            return Err(self.unclear(Remark::key_behind_mark()));
        }
        if compact && self.key()?.is_some() {
            if has_properties {
                // They belong to the first key.
                self.at = line_content;
                self.skip_inline();
                let kept = properties.outer.filter(|outer| *outer < self.at);
                properties = match kept {
                    Some(_) => return Err(self.unclear(Remark::shared_properties())),
                    None => Properties::default(),
                };
            }
            let column = self.column(self.at);
            let map = self.block_map(column)?;
            return Ok(properties.node(map.start, map.end, map.shape));
        }
        let start = self.at;
        let shape = match self.peek() {
            Some(b'|' | b'>') => {
                self.block_scalar(parent);
                Shape::BlockScalar
            }
            Some(b'{' | b'[') => {
                let node = self.flow_node()?;
                node.shape
            }
            Some(quote @ (b'"' | b'\'')) => {
                self.skip_quoted(quote)?;
                quoted_shape(quote)
            }
            Some(b'*') => {
                self.skip_token(false);
                Shape::Alias
            }
            _ => {
                self.plain(parent);
                Shape::Plain
            }
        };
        let node = properties.node(start, self.at, shape);
        self.rest_of_line()?;
        Ok(node)
    }

    /// Only a comment may follow a value on its line.
    fn rest_of_line(&mut self) -> Result<(), Unclear> {
        let at_line_start = self.at > 0 && self.byte(self.at - 1) == Some(b'\n');
        self.skip_inline();
        if at_line_start || self.at_line_end() {
            return Ok(());
        }
        Err(self.unclear(Remark::after_value()))
    }

    /// Reads a list, starting at its first dash.
    pub(super) fn block_list(&mut self, column: isize) -> Result<Node, Unclear> {
        let start = self.at;
        let mut items = Vec::new();
        let mut end = start;
        while self.at_dash() && self.column(self.at) == column {
            let mark = self.at;
            self.at += 1;
            let node = self.block_node(column, false, true)?;
            end = node.end.max(mark + 1);
            items.push(Item { mark, node });
            self.skip_to_content();
        }
        let shape = Shape::List { flow: false, items };
        Ok(Properties::default().node(start, end, shape))
    }

    fn block_map(&mut self, column: isize) -> Result<Node, Unclear> {
        let start = self.at;
        let mut entries = Vec::new();
        let mut end = start;
        while self.peek().is_some() && self.column(self.at) == column && !self.at_dash() {
            let Some((key, colon)) = self.key()? else {
                return Err(self.unclear(Remark::this_line()));
            };
            self.at = colon + 1;
            let value = self.block_node(column, true, false)?;
            let entry = Entry {
                key,
                colon: Some(colon),
                value,
            };
            end = entry.end();
            entries.push(entry);
            self.skip_to_content();
        }
        if self.peek().is_some() && self.column(self.at) > column {
            return Err(self.unclear(Remark::this_indentation()));
        }
        let shape = Shape::Map {
            flow: false,
            entries,
        };
        Ok(Properties::default().node(start, end, shape))
    }

    /// The key at the current position and the offset of its colon; does not advance. `None` if the
    /// line has no key.
    fn key(&mut self) -> Result<Option<(Node, usize)>, Unclear> {
        let from = self.at;
        let mut properties = Properties::default();
        while self.property(&mut properties, false) {
            self.skip_inline();
        }
        let start = self.at;
        let shape = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.skip_quoted(quote)?;
                quoted_shape(quote)
            }
            Some(b'*') => {
                self.skip_token(false);
                Shape::Alias
            }
            Some(b'{' | b'[') => {
                self.flow_node()?;
                self.skip_inline();
                if self.peek() == Some(b':') && self.ends_token(self.at + 1) {
                    return Err(self.unclear(Remark::key_no_text()));
                }
                self.at = from;
                return Ok(None);
            }
            Some(b'|' | b'>') | None => {
                self.at = from;
                return Ok(None);
            }
            Some(b'?') if self.ends_token(self.at + 1) => {
                return Err(self.unclear(Remark::key_behind_mark()));
            }
            _ => {
                self.at = self.plain_line_end(self.at);
                Shape::Plain
            }
        };
        let end = self.at;
        self.skip_inline();
        let colon = self.at;
        let found = self.peek() == Some(b':') && self.ends_token(colon + 1);
        self.at = from;
        Ok(found.then(|| (properties.node(start, end, shape), colon)))
    }

    /// The end of a plain scalar on the line of `at`.
    fn plain_line_end(&self, at: usize) -> usize {
        let line_end = self.line_end(at);
        let mut end = at;
        let mut here = at;
        while here < line_end {
            match self.byte(here) {
                Some(b':') if self.ends_token(here + 1) => break,
                Some(b'#') if here > at && matches!(self.byte(here - 1), Some(b' ' | b'\t')) => {
                    break;
                }
                Some(b' ' | b'\t' | b'\r') => {}
                _ => end = here + 1,
            }
            here += 1;
        }
        end
    }

    /// Skips a plain scalar, which may continue on further indented lines.
    fn plain(&mut self, parent: isize) {
        self.at = self.plain_line_end(self.at);
        loop {
            let end = self.at;
            self.skip_inline();
            if self.at_comment() || self.peek() == Some(b':') {
                self.at = end;
                return;
            }
            while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            if self.peek().is_none() || self.at_comment() || self.column(self.at) <= parent {
                self.at = end;
                return;
            }
            self.at = self.plain_line_end(self.at);
            if self.at <= end {
                self.at = end;
                return;
            }
        }
    }

    /// Skips a `|` or `>` scalar to the end of its last line, or, with `+`, to the end of the empty
    /// lines that follow.
    fn block_scalar(&mut self, parent: isize) {
        let header_end = self.line_end(self.at);
        let header = self.text.get(self.at..header_end).unwrap_or_default();
        let indicators = header.split([' ', '\t', '\r']).next().unwrap_or_default();
        let keeps = indicators.contains('+');
        let mut indent = indicators
            .chars()
            .find_map(|c| c.to_digit(10))
            .and_then(|digit| isize::try_from(digit).ok())
            .map(|digit| parent.max(0) + digit);
        let header = header.trim_end();
        let mut end = self.at + header.split(" #").next().unwrap_or(header).trim_end().len();
        let mut line = header_end + 1;
        while line < self.text.len() {
            let line_end = self.line_end(line);
            let content = self.text.get(line..line_end).unwrap_or_default();
            let spaces = content.len() - content.trim_start_matches(' ').len();
            let spaces = isize::try_from(spaces).unwrap_or(isize::MAX);
            if !content.trim_matches([' ', '\r']).is_empty() {
                let needed = *indent.get_or_insert(spaces.max(parent + 1).max(1));
                if spaces < needed {
                    break;
                }
                end = line + content.trim_end_matches('\r').len();
            }
            line = line_end + 1;
        }
        self.at = if keeps {
            line.min(self.text.len())
        } else {
            end
        };
    }
}
