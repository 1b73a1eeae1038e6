//! Strings in double quotes, as Go's `strconv.Quote` writes them and its lexers read them.

/// Why a string cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It does not end, or not on its line.
    Unterminated,
    /// It has an escape that Go does not know.
    Escape,
}

/// The value of the string that begins after its first quote, and the bytes up to its end, with the last quote.
///
/// # Errors
/// Why there is none.
pub fn read(text: &str) -> Result<(String, usize), Unread> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((value, at + 1)),
            '\n' => return Err(Unread::Unterminated),
            '\\' => {
                let (_, escape) = letters.next().ok_or(Unread::Unterminated)?;
                let digits = match escape {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                value.push(match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'v' => '\u{b}',
                    '"' | '\\' => escape,
                    _ if digits > 0 => {
                        let digits = letters.by_ref().take(digits).map(|(_, it)| it);
                        let code = u32::from_str_radix(&digits.collect::<String>(), 16).ok();
                        code.and_then(char::from_u32).ok_or(Unread::Escape)?
                    }
                    _ => return Err(Unread::Escape),
                });
            }
            letter => value.push(letter),
        }
    }
    Err(Unread::Unterminated)
}

#[cfg(test)]
mod tests {
    use super::{Unread, read};

    #[test]
    fn escapes_are_read_up_to_the_last_quote() {
        let read = |text: &str| read(text).map(|(value, end)| (value, text[end..].to_owned()));
        let ok = |value: &str, left: &str| Ok((value.to_owned(), left.to_owned()));
        assert_eq!(read("a\" b"), ok("a", " b"));
        assert_eq!(read("\\\"\\n\\\\\\u00e9\\x41\""), ok("\"\n\\éA", ""));
        assert_eq!(read("a"), Err(Unread::Unterminated));
        assert_eq!(read("a\nb\""), Err(Unread::Unterminated));
        assert_eq!(read("\\q\""), Err(Unread::Escape));
        assert_eq!(read("\\ud800\""), Err(Unread::Escape));
    }
}
