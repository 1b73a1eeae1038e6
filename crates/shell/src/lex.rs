//! The lexer: splits a script into tokens, with quotes, expansions, operators and here-documents.

use super::expansion::{closing, double, expandable, expansion, starts_expansion};
use super::syntax::{Fault, Part, Word};

/// A token of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(Word),
    Operator(&'static str),
    /// `2>`: the number, and the operator.
    Redirect(Option<u8>, &'static str),
    /// A here-document or here-string.
    Text(Word),
    Newline,
}

/// Operators in the order in which they are tried: longer ones come before their prefixes.
const OPERATORS: [&str; 10] = ["&&", "||", ";;", ";", "|&", "|", "((", "(", ")", "&"];
const REDIRECTS: [&str; 7] = ["&>>", "&>", ">>", ">&", ">|", ">", "<"];

/// A here-document whose body has not been read yet.
struct Here {
    token: usize,
    end: String,
    strips_tabs: bool,
    expands: bool,
}

/// The tokens, and the delimiter of an unterminated here-document.
#[derive(Debug, Default)]
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub open_here: Option<String>,
}

/// Splits a text into tokens.
pub fn lex(text: &str) -> Result<Lexed, Fault> {
    let mut lexer = Lexer {
        rest: text,
        lexed: Lexed::default(),
        heres: Vec::new(),
    };
    while lexer.token()? {}
    lexer.here_bodies();
    Ok(lexer.lexed)
}

struct Lexer<'a> {
    rest: &'a str,
    lexed: Lexed,
    heres: Vec<Here>,
}

impl<'a> Lexer<'a> {
    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn push(&mut self, token: Token) -> bool {
        self.lexed.tokens.push(token);
        true
    }

    /// Reads the next token; `false` at the end.
    fn token(&mut self) -> Result<bool, Fault> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            if !self.eat("\\\n") && !self.eat("\\\r\n") {
                break;
            }
        }
        let Some(first) = self.rest.chars().next() else {
            return Ok(false);
        };
        if first == '#' {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = self.rest.get(end..).unwrap_or_default();
            return Ok(true);
        }
        if self.eat("\n") {
            self.push(Token::Newline);
            self.here_bodies();
            return Ok(true);
        }
        if self.eat("<<<") {
            self.rest = self.rest.trim_start_matches([' ', '\t']);
            let mut word = self.word()?;
            word.push(Part::Quoted("\n".to_owned()));
            return Ok(self.push(Token::Text(word)));
        }
        if self.eat("<<") {
            return self.here();
        }
        if let Some(behind) = self.rest.strip_prefix("<(") {
            let end = closing(behind, ')').ok_or_else(|| unclosed(')'))?;
            let text = behind.get(..end).unwrap_or_default().to_owned();
            self.rest = behind.get(end + 1..).unwrap_or_default();
            return Ok(self.push(Token::Word(vec![Part::Process(text)])));
        }
        if first.is_ascii_digit() {
            let digits = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
            let number = self.rest.len() - digits.len();
            if digits.starts_with(['<', '>'])
                && let Some(Ok(number)) = self.rest.get(..number).map(str::parse)
            {
                self.rest = digits;
                let operator = REDIRECTS.into_iter().find(|it| self.eat(it));
                return Ok(self.push(Token::Redirect(Some(number), operator.unwrap_or(">"))));
            }
        }
        if let Some(operator) = REDIRECTS.into_iter().find(|it| self.eat(it)) {
            return Ok(self.push(Token::Redirect(None, operator)));
        }
        if let Some(operator) = OPERATORS.into_iter().find(|it| self.eat(it)) {
            return Ok(self.push(Token::Operator(operator)));
        }
        let word = self.word()?;
        Ok(self.push(Token::Word(word)))
    }

    /// Reads the start of a here-document.
    fn here(&mut self) -> Result<bool, Fault> {
        let strips_tabs = self.eat("-");
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let word = self.word()?;
        let expands = word.iter().all(|part| matches!(part, Part::Bare(_)));
        let mut end = String::new();
        for part in &word {
            if let Part::Bare(text) | Part::Quoted(text) = part {
                end.push_str(text);
            }
        }
        if word.is_empty() {
            return Err(unexpected("newline"));
        }
        self.heres.push(Here {
            token: self.lexed.tokens.len(),
            end,
            strips_tabs,
            expands,
        });
        Ok(self.push(Token::Text(Word::new())))
    }

    /// Reads the bodies of the here-documents that started on the line that ended.
    fn here_bodies(&mut self) {
        for here in std::mem::take(&mut self.heres) {
            let mut body = String::new();
            let mut closed = false;
            while !closed && !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                let line = line.strip_suffix('\r').unwrap_or(line);
                let line = if here.strips_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                closed = line == here.end;
                if !closed {
                    body.push_str(line);
                    body.push('\n');
                }
            }
            if !closed {
                self.lexed.open_here = Some(here.end);
            }
            let word = if here.expands {
                expandable(&body)
            } else {
                vec![Part::Quoted(body)]
            };
            if let Some(token) = self.lexed.tokens.get_mut(here.token) {
                *token = Token::Text(word);
            }
        }
    }

    /// Reads a word up to white space or an operator.
    fn word(&mut self) -> Result<Word, Fault> {
        let mut word = Word::new();
        let mut bare = String::new();
        while let Some(letter) = self.rest.chars().next() {
            if letter.is_whitespace() || "|&;<>()".contains(letter) {
                break;
            }
            match letter {
                '\'' | '"' | '$' | '`' => {
                    let is_plain = letter == '$' && !starts_expansion(self.rest);
                    if !bare.is_empty() && !is_plain {
                        word.push(Part::Bare(std::mem::take(&mut bare)));
                    }
                    match letter {
                        '\'' => word.push(self.single()?),
                        '"' => self.double(&mut word)?,
                        _ if starts_expansion(self.rest) => {
                            let (part, rest) = expansion(self.rest, false, 0)?;
                            self.rest = rest;
                            word.extend(part);
                        }
                        _ => {
                            self.eat("$");
                            bare.push('$');
                        }
                    }
                }
                '\\' => {
                    self.eat("\\");
                    match self.rest.chars().next() {
                        Some('\n') => drop(self.eat("\n")),
                        Some(escaped) => {
                            self.rest = self.rest.get(escaped.len_utf8()..).unwrap_or_default();
                            if !bare.is_empty() {
                                word.push(Part::Bare(std::mem::take(&mut bare)));
                            }
                            word.push(Part::Quoted(escaped.to_string()));
                        }
                        None => return Err(Fault::Incomplete(end_of_file())),
                    }
                }
                _ => {
                    bare.push(letter);
                    self.rest = self.rest.get(letter.len_utf8()..).unwrap_or_default();
                }
            }
        }
        if !bare.is_empty() {
            word.push(Part::Bare(bare));
        }
        Ok(word)
    }

    fn single(&mut self) -> Result<Part, Fault> {
        let inner = self.rest.get(1..).unwrap_or_default();
        let (text, rest) = inner.split_once('\'').ok_or_else(|| unclosed('\''))?;
        self.rest = rest;
        Ok(Part::Quoted(text.to_owned()))
    }

    fn double(&mut self, word: &mut Word) -> Result<(), Fault> {
        let (parts, rest) = double(self.rest.get(1..).unwrap_or_default(), 0)?;
        self.rest = rest;
        word.extend(parts);
        Ok(())
    }
}

pub(super) fn unclosed(mark: char) -> Fault {
    Fault::Incomplete(format!(
        "bash: unexpected EOF while looking for matching `{mark}'"
    ))
}

/// bash's message about a script that ends too early.
pub(super) fn end_of_file() -> String {
    "bash: syntax error: unexpected end of file".to_owned()
}

/// bash's message about a token in the wrong place.
pub(super) fn unexpected(token: &str) -> Fault {
    Fault::Wrong(format!(
        "bash: syntax error near unexpected token `{token}'"
    ))
}
