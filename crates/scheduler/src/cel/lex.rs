//! Splits an expression into tokens (the lexical grammar of CEL, with cel-go's error texts).

use super::errors::Issue;

/// A token and its position in characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub at: usize,
    /// As written; `<EOF>` at the end.
    pub text: String,
    pub kind: TokenKind,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    Ident,
    /// A field name in backquotes, without them.
    Quoted(String),
    Int,
    Uint,
    Float,
    String(String),
    Bytes(Vec<u8>),
    /// An operator, a bracket, or one of `true`, `false`, `null`, `in`.
    Symbol,
    End,
}

const SYMBOLS: [&str; 25] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!",
    "?", ":", "+", "*", "/", "%", "_",
];

struct Lexer<'a> {
    letters: &'a [char],
    at: usize,
    tokens: Vec<Token>,
    issues: Vec<Issue>,
}

/// The tokens of a text, the last of which is the end, and what could not be read.
pub fn lex(text: &str) -> (Vec<Token>, Vec<Issue>) {
    let letters: Vec<char> = text.chars().collect();
    let mut lexer = Lexer {
        letters: &letters,
        at: 0,
        tokens: Vec::new(),
        issues: Vec::new(),
    };
    while lexer.at < letters.len() {
        lexer.next();
    }
    lexer.tokens.push(Token {
        at: letters.len(),
        text: "<EOF>".to_owned(),
        kind: TokenKind::End,
    });
    (lexer.tokens, lexer.issues)
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn rest_starts_with(&self, word: &str) -> bool {
        word.chars()
            .enumerate()
            .all(|(ahead, letter)| self.peek(ahead) == Some(letter))
    }

    fn slice(&self, from: usize, to: usize) -> String {
        self.letters
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .collect()
    }

    fn push(&mut self, from: usize, kind: TokenKind) {
        let text = self.slice(from, self.at);
        self.tokens.push(Token {
            at: from,
            text,
            kind,
        });
    }

    fn unrecognized(&mut self, from: usize) {
        let text = self.slice(from, self.at);
        self.issues.push(Issue {
            at: from,
            message: format!("Syntax error: token recognition error at: '{text}'"),
        });
    }

    fn next(&mut self) {
        let from = self.at;
        let Some(letter) = self.peek(0) else { return };
        match letter {
            ' ' | '\t' | '\n' | '\r' | '\u{c}' => self.at += 1,
            '/' if self.peek(1) == Some('/') => {
                while self.peek(0).is_some_and(|letter| letter != '\n') {
                    self.at += 1;
                }
            }
            '"' | '\'' => self.string(from, false, false),
            'r' | 'R' | 'b' | 'B' if self.is_prefixed_string() => self.prefixed_string(from),
            'a'..='z' | 'A'..='Z' | '_' => {
                while self
                    .peek(0)
                    .is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
                {
                    self.at += 1;
                }
                let word = self.slice(from, self.at);
                let kind = match word.as_str() {
                    "true" | "false" | "null" | "in" => TokenKind::Symbol,
                    _ => TokenKind::Ident,
                };
                self.push(from, kind);
            }
            '`' => self.quoted(from),
            '0'..='9' => self.number(from),
            '.' if self.peek(1).is_some_and(|letter| letter.is_ascii_digit()) => self.number(from),
            _ => match SYMBOLS
                .iter()
                .find(|symbol| **symbol != "_" && self.rest_starts_with(symbol))
            {
                Some(symbol) => {
                    self.at += symbol.len();
                    self.push(from, TokenKind::Symbol);
                }
                None => {
                    // The longest possible token begins here and breaks off at the next character.
                    let begins = matches!(letter, '=' | '&' | '|');
                    self.at += if begins && self.peek(1).is_some() {
                        2
                    } else {
                        1
                    };
                    self.unrecognized(from);
                }
            },
        }
    }

    fn quoted(&mut self, from: usize) {
        self.at += 1;
        while self.peek(0).is_some_and(|letter| {
            letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-' | '/' | ' ')
        }) {
            self.at += 1;
        }
        if self.peek(0) == Some('`') {
            self.at += 1;
            let name = self.slice(from + 1, self.at - 1);
            self.push(from, TokenKind::Quoted(name));
        } else {
            self.at = (self.at + 1).min(self.letters.len());
            self.unrecognized(from);
        }
    }

    fn number(&mut self, from: usize) {
        if self.peek(0) == Some('0')
            && matches!(self.peek(1), Some('x' | 'X'))
            && self
                .peek(2)
                .is_some_and(|letter| letter.is_ascii_hexdigit())
        {
            self.at += 2;
            self.skip(|letter| letter.is_ascii_hexdigit());
            return self.end_integer(from);
        }
        self.skip(|letter| letter.is_ascii_digit());
        let mut is_float = false;
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|letter| letter.is_ascii_digit()) {
            is_float = true;
            self.at += 1;
            self.skip(|letter| letter.is_ascii_digit());
        }
        if matches!(self.peek(0), Some('e' | 'E')) {
            let signed = usize::from(matches!(self.peek(1), Some('+' | '-')));
            if self
                .peek(1 + signed)
                .is_some_and(|letter| letter.is_ascii_digit())
            {
                is_float = true;
                self.at += 1 + signed;
                self.skip(|letter| letter.is_ascii_digit());
            }
        }
        if is_float {
            self.push(from, TokenKind::Float);
        } else {
            self.end_integer(from);
        }
    }

    fn end_integer(&mut self, from: usize) {
        if matches!(self.peek(0), Some('u' | 'U')) {
            self.at += 1;
            self.push(from, TokenKind::Uint);
        } else {
            self.push(from, TokenKind::Int);
        }
    }

    fn skip(&mut self, test: fn(char) -> bool) {
        while self.peek(0).is_some_and(test) {
            self.at += 1;
        }
    }

    fn is_prefixed_string(&self) -> bool {
        let second = self.peek(1);
        let quote = |letter: Option<char>| matches!(letter, Some('"' | '\''));
        let both = matches!(
            (self.peek(0), second),
            (Some('r' | 'R'), Some('b' | 'B')) | (Some('b' | 'B'), Some('r' | 'R'))
        );
        quote(second) || (both && quote(self.peek(2)))
    }

    fn prefixed_string(&mut self, from: usize) {
        let (mut raw, mut bytes) = (false, false);
        while let Some(letter) = self.peek(0) {
            match letter {
                'r' | 'R' => raw = true,
                'b' | 'B' => bytes = true,
                _ => break,
            }
            self.at += 1;
        }
        self.string(from, raw, bytes);
    }

    fn string(&mut self, from: usize, raw: bool, bytes: bool) {
        let Some(quote) = self.peek(0) else { return };
        let triple = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        let width = if triple { 3 } else { 1 };
        self.at += width;
        let start = self.at;
        loop {
            match self.peek(0) {
                None => {
                    self.unrecognized(from);
                    return;
                }
                Some('\n' | '\r') if !triple => {
                    self.at += 1;
                    self.unrecognized(from);
                    return;
                }
                Some('\\') if !raw => self.at = (self.at + 2).min(self.letters.len()),
                Some(letter) if letter == quote => {
                    let closes =
                        !triple || (self.peek(1) == Some(quote) && self.peek(2) == Some(quote));
                    if closes {
                        break;
                    }
                    self.at += 1;
                }
                Some(_) => self.at += 1,
            }
        }
        let body: Vec<char> = self
            .letters
            .get(start..self.at)
            .unwrap_or_default()
            .to_vec();
        self.at += width;
        let decoded = if raw {
            Some(body.iter().map(|letter| Unit::Letter(*letter)).collect())
        } else {
            unescape(&body, bytes)
        };
        let Some(units) = decoded else {
            self.unrecognized(from);
            return;
        };
        let kind = if bytes {
            TokenKind::Bytes(bytes_of(&units))
        } else {
            TokenKind::String(string_of(&units))
        };
        self.push(from, kind);
    }
}

/// One character of a literal, or one byte that `\x` or an octal escape names.
enum Unit {
    Letter(char),
    Byte(u8),
}

fn string_of(units: &[Unit]) -> String {
    units
        .iter()
        .map(|unit| match unit {
            Unit::Letter(letter) => *letter,
            Unit::Byte(byte) => char::from(*byte),
        })
        .collect()
}

fn bytes_of(units: &[Unit]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in units {
        match unit {
            Unit::Letter(letter) => {
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Unit::Byte(byte) => bytes.push(*byte),
        }
    }
    bytes
}

fn unescape(body: &[char], bytes: bool) -> Option<Vec<Unit>> {
    let mut units = Vec::with_capacity(body.len());
    let mut at = 0;
    while let Some(&letter) = body.get(at) {
        at += 1;
        if letter != '\\' {
            units.push(Unit::Letter(letter));
            continue;
        }
        let escape = *body.get(at)?;
        at += 1;
        let plain = match escape {
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            '\\' | '\'' | '"' | '`' | '?' => Some(escape),
            _ => None,
        };
        if let Some(plain) = plain {
            units.push(Unit::Letter(plain));
            continue;
        }
        let (digits, radix) = match escape {
            'x' | 'X' => (2, 16),
            'u' if !bytes => (4, 16),
            'U' if !bytes => (8, 16),
            '0'..='3' => {
                at -= 1;
                (3, 8)
            }
            _ => return None,
        };
        let text: String = body.get(at..at + digits)?.iter().collect();
        at += digits;
        let number = u32::from_str_radix(&text, radix).ok()?;
        units.push(match (digits, u8::try_from(number)) {
            (2 | 3, Ok(byte)) => Unit::Byte(byte),
            _ => Unit::Letter(char::from_u32(number)?),
        });
    }
    Some(units)
}
