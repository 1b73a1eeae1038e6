//! Characters to tokens: quotes, expansions, operators, here-documents.

use super::syntax::{Change, Fault, Part, Word};

/// A piece of a script.
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

/// Longest first, for each is tried in this order.
const OPERATORS: [&str; 10] = ["&&", "||", ";;", ";", "|&", "|", "((", "(", ")", "&"];
const REDIRECTS: [&str; 7] = ["&>>", "&>", ">>", ">&", ">|", ">", "<"];

/// Nesting of expansions that is followed.
const MAX_DEPTH: usize = 40;

/// A here-document whose text is still to come.
struct Here {
    token: usize,
    end: String,
    strips_tabs: bool,
    expands: bool,
}

/// What was read, and the end of a here-document that never came.
#[derive(Debug, Default)]
pub struct Lexed {
    pub tokens: Vec<Token>,
    pub open_here: Option<String>,
}

/// Reads a text.
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

    /// The head of a here-document.
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

    /// Reads the texts of the here-documents whose heads were on the line that ended.
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

/// The parts of a text in double quotes, and what comes behind the closing quote.
fn double(text: &str, depth: usize) -> Result<(Word, &str), Fault> {
    // Empty quotes are an empty word, not none.
    let mut parts = vec![Part::Quoted(String::new())];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '"' => return Ok((parts, behind)),
            '\\' => {
                let escaped = behind.chars().next();
                match escaped {
                    Some('\n') => {}
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => add(&mut parts, escaped),
                    Some(other) => {
                        add(&mut parts, '\\');
                        add(&mut parts, other);
                    }
                    None => break,
                }
                rest = behind
                    .get(escaped.map_or(0, char::len_utf8)..)
                    .unwrap_or_default();
                continue;
            }
            '$' | '`' if starts_expansion(rest) => {
                let (part, behind) = expansion(rest, true, depth)?;
                parts.extend(part);
                rest = behind;
                continue;
            }
            other => add(&mut parts, other),
        }
        rest = behind;
    }
    Err(unclosed('"'))
}

/// Adds a quoted character.
fn add(parts: &mut Word, letter: char) {
    if let Some(Part::Quoted(text)) = parts.last_mut() {
        text.push(letter);
    } else {
        parts.push(Part::Quoted(letter.to_string()));
    }
}

/// The text of a here-document in which expansions count.
pub(super) fn expandable(text: &str) -> Word {
    let mut parts = Word::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let mut behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\\' if behind.starts_with(['$', '\\', '`']) => {
                behind.chars().take(1).for_each(|it| add(&mut parts, it));
                behind = behind.get(1..).unwrap_or_default();
            }
            '\\' if behind.starts_with('\n') => behind = behind.get(1..).unwrap_or_default(),
            '$' | '`' if starts_expansion(rest) => match expansion(rest, true, 0) {
                Ok((part, after)) => {
                    parts.extend(part);
                    behind = after;
                }
                Err(_) => add(&mut parts, letter),
            },
            other => add(&mut parts, other),
        }
        rest = behind;
    }
    parts
}

/// Whether an expansion begins here; a lone `$` is a character like any other.
fn starts_expansion(text: &str) -> bool {
    let Some(behind) = text.strip_prefix('$') else {
        return text.starts_with('`');
    };
    let next = behind.chars().next();
    next.is_some_and(|next| {
        next == '{' || next == '(' || is_name_letter(next) || "?$!#@*".contains(next)
    })
}

fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// An expansion, and what comes behind it.
fn expansion(text: &str, quoted: bool, depth: usize) -> Result<(Option<Part>, &str), Fault> {
    if depth > MAX_DEPTH {
        return Err(Fault::Wrong(
            "bash: expansions are nested too deeply".to_owned(),
        ));
    }
    if let Some(behind) = text.strip_prefix('`') {
        let (command, rest) = behind.split_once('`').ok_or_else(|| unclosed('`'))?;
        let text = command.to_owned();
        return Ok((Some(Part::Command { text, quoted }), rest));
    }
    if let Some(behind) = text.strip_prefix("$((")
        && let Some(end) = closing(behind, ')')
        && let Some(rest) = behind.get(end..).and_then(|it| it.strip_prefix("))"))
    {
        let sum = behind.get(..end).unwrap_or_default().to_owned();
        return Ok((Some(Part::Arithmetic(sum)), rest));
    }
    if let Some(behind) = text.strip_prefix("$(") {
        let end = closing(behind, ')').ok_or_else(|| unclosed(')'))?;
        let text = behind.get(..end).unwrap_or_default().to_owned();
        let rest = behind.get(end + 1..).unwrap_or_default();
        return Ok((Some(Part::Command { text, quoted }), rest));
    }
    if let Some(behind) = text.strip_prefix("${") {
        let end = closing(behind, '}').ok_or_else(|| unclosed('}'))?;
        let inner = behind.get(..end).unwrap_or_default();
        let rest = behind.get(end + 1..).unwrap_or_default();
        return Ok((Some(braced(inner, quoted, depth)?), rest));
    }
    let behind = text.get(1..).unwrap_or_default();
    let is_special = behind.starts_with(['?', '$', '!', '#', '@', '*']);
    let is_digit = behind.starts_with(|letter: char| letter.is_ascii_digit());
    let end = if is_special || is_digit {
        1
    } else {
        behind
            .find(|letter| !is_name_letter(letter))
            .unwrap_or(behind.len())
    };
    let (name, rest) = behind.split_at_checked(end).unwrap_or((behind, ""));
    let name = name.to_owned();
    let part = Part::Variable {
        name,
        change: Change::None,
        quoted,
    };
    Ok((Some(part), rest))
}

/// The inside of `${…}`: a name, and what is made of its value.
fn braced(inner: &str, quoted: bool, depth: usize) -> Result<Part, Fault> {
    let variable = |name: &str, change| Part::Variable {
        name: name.to_owned(),
        change,
        quoted,
    };
    if inner == "?" || inner == "#" {
        return Ok(variable(inner, Change::None));
    }
    let end = inner
        .find(|letter| !is_name_letter(letter))
        .unwrap_or(inner.len());
    let (name, behind) = inner.split_at_checked(end).unwrap_or((inner, ""));
    let word = |text: &str| {
        let closed = format!("{text}\"");
        double(&closed, depth + 1).map(|(parts, _)| parts)
    };
    let operators = [":-", "-", "##", "#", "%%", "%"];
    let operator = operators.into_iter().find(|it| behind.starts_with(it));
    let rest = behind
        .get(operator.map_or(0, str::len)..)
        .unwrap_or_default();
    let change = match operator {
        None if behind.is_empty() && !name.is_empty() => Change::None,
        Some(":-" | "-") if !name.is_empty() => Change::Otherwise(word(rest)?),
        Some(operator) if !name.is_empty() => Change::Without {
            at_end: operator.starts_with('%'),
            longest: operator.len() == 2,
            pattern: word(rest)?,
        },
        _ => return Ok(variable(inner, Change::Unsupported)),
    };
    Ok(variable(name, change))
}

/// Where the bracket closes that is open at the start of a text, quotes and other brackets aside.
fn closing(text: &str, close: char) -> Option<usize> {
    let open = if close == ')' { '(' } else { '{' };
    let mut depth = 0_usize;
    let mut quote = None;
    let mut letters = text.char_indices();
    while let Some((index, letter)) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(letters.next()),
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, letter) if letter == open => depth += 1,
            (None, letter) if letter == close => {
                if depth == 0 {
                    return Some(index);
                }
                depth -= 1;
            }
            (None, _) => {}
        }
    }
    None
}

fn unclosed(mark: char) -> Fault {
    Fault::Incomplete(format!(
        "bash: unexpected EOF while looking for matching `{mark}'"
    ))
}

/// bash's message about a script that stops in the middle.
pub(super) fn end_of_file() -> String {
    "bash: syntax error: unexpected end of file".to_owned()
}

/// bash's message about a token in the wrong place.
pub(super) fn unexpected(token: &str) -> Fault {
    Fault::Wrong(format!(
        "bash: syntax error near unexpected token `{token}'"
    ))
}
