//! The parser: builds commands from tokens.

use super::lex::{Token, end_of_file, lex, unexpected};
use super::syntax::{Command, Fault, Part, Pipeline, Redirect, Script, Simple, Stream, When, Word};

/// Maximum nesting of commands.
const MAX_DEPTH: usize = 40;

/// Keywords that cannot start a command.
const CLOSING: [&str; 7] = ["do", "done", "then", "elif", "else", "fi", "}"];

/// A script, and the delimiter of an unterminated here-document.
#[derive(Debug)]
pub(super) struct Parsed {
    pub script: Script,
    pub open_here: Option<String>,
}

/// Parses a script.
///
/// # Errors
/// A script that is incomplete or invalid.
pub(super) fn parse(text: &str) -> Result<Parsed, Fault> {
    let lexed = lex(text)?;
    let mut parser = Parser {
        tokens: &lexed.tokens,
        depth: 0,
    };
    let script = parser.script(&[])?;
    match parser.tokens.first() {
        None => Ok(Parsed {
            script,
            open_here: lexed.open_here,
        }),
        Some(token) => Err(unexpected(&name_of(token))),
    }
}

fn name_of(token: &Token) -> String {
    match token {
        Token::Word(word) => bare(word).unwrap_or("word").to_owned(),
        Token::Operator(operator) => (*operator).to_owned(),
        Token::Redirect(_, operator) => (*operator).to_owned(),
        Token::Text(_) => "<<".to_owned(),
        Token::Newline => "newline".to_owned(),
    }
}

/// The text of a word, if it has no quotes or expansions.
pub(super) fn bare(word: &Word) -> Option<&str> {
    match word.as_slice() {
        [Part::Bare(text)] => Some(text),
        _ => None,
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.first()
    }

    fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn is_operator(&self, operator: &str) -> bool {
        matches!(self.peek(), Some(Token::Operator(it)) if *it == operator)
    }

    fn keyword(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => bare(word),
            _ => None,
        }
    }

    fn skip_newlines(&mut self) {
        while matches!(self.peek(), Some(Token::Newline)) {
            self.next();
        }
    }

    fn expect(&mut self, keyword: &str) -> Result<(), Fault> {
        self.skip_newlines();
        if self.keyword() == Some(keyword) {
            self.next();
            return Ok(());
        }
        Err(match self.peek() {
            None => Fault::Incomplete(end_of_file()),
            Some(token) => unexpected(&name_of(token)),
        })
    }

    /// Parses pipelines up to one of these keywords, a closing parenthesis or the end.
    fn script(&mut self, ends: &[&str]) -> Result<Script, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::Wrong(
                "bash: commands are nested too deeply".to_owned(),
            ));
        }
        let mut script = Script::default();
        let mut when = When::Always;
        loop {
            self.skip_newlines();
            let at_end = match self.peek() {
                None if when != When::Always => return Err(Fault::Incomplete(end_of_file())),
                None => true,
                Some(Token::Operator(")")) => true,
                _ => self.keyword().is_some_and(|word| ends.contains(&word)),
            };
            if at_end {
                break;
            }
            let mut pipeline = self.pipeline()?;
            pipeline.is_job = self.is_operator("&");
            script.steps.push((when, pipeline));
            when = match self.peek() {
                Some(Token::Operator("&&")) => When::AndIf,
                Some(Token::Operator("||")) => When::OrElse,
                Some(Token::Operator(";" | "&") | Token::Newline) => When::Always,
                None | Some(Token::Operator(")")) => break,
                Some(token) => return Err(unexpected(&name_of(token))),
            };
            self.next();
        }
        self.depth -= 1;
        Ok(script)
    }

    /// Parses a script that is not empty, up to one of these keywords, which is consumed.
    fn block(&mut self, ends: &[&str]) -> Result<(Script, &'a str), Fault> {
        let script = self.script(ends)?;
        match self.keyword() {
            Some(word) if ends.contains(&word) && !script.steps.is_empty() => {
                self.next();
                Ok((script, word))
            }
            _ => Err(match self.peek() {
                None => Fault::Incomplete(end_of_file()),
                Some(token) => unexpected(&name_of(token)),
            }),
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, Fault> {
        let mut pipeline = Pipeline {
            negated: false,
            timed: false,
            is_job: false,
            commands: Vec::new(),
        };
        loop {
            match self.keyword() {
                Some("!") => pipeline.negated = !pipeline.negated,
                Some("time") => pipeline.timed = true,
                _ => break,
            }
            self.next();
        }
        // `time` alone takes no time.
        let ends = matches!(
            self.peek(),
            None | Some(Token::Newline | Token::Operator(";"))
        );
        if pipeline.timed && ends {
            let nothing = (Command::Simple(Simple::default()), Vec::new());
            pipeline.commands.push(nothing);
            return Ok(pipeline);
        }
        loop {
            let command = self.command()?;
            let mut redirects = self.redirects()?;
            let both = self.is_operator("|&");
            if both {
                let (from, to) = (Stream::Err, Stream::Out);
                redirects.push(Redirect::Duplicate { from, to });
            }
            pipeline.commands.push((command, redirects));
            if !both && !self.is_operator("|") {
                return Ok(pipeline);
            }
            self.next();
            self.skip_newlines();
            if self.peek().is_none() {
                return Err(Fault::Incomplete(end_of_file()));
            }
        }
    }

    fn command(&mut self) -> Result<Command, Fault> {
        if self.is_operator("(") {
            self.next();
            let body = self.script(&[])?;
            if !self.is_operator(")") {
                return Err(Fault::Incomplete(end_of_file()));
            }
            self.next();
            return Ok(Command::Group { body, apart: true });
        }
        if self.is_operator("((") {
            return Err(unsupported("((…))", "write NAME=$((…)) or [ … ]"));
        }
        let Some(keyword) = self.keyword() else {
            return self.simple();
        };
        match keyword {
            "for" => self.repeat(),
            "while" | "until" => {
                self.next();
                let (condition, _) = self.block(&["do"])?;
                let (body, _) = self.block(&["done"])?;
                let wanted = keyword == "while";
                Ok(Command::While {
                    wanted,
                    condition,
                    body,
                })
            }
            "if" => self.choice(),
            "[[" => self.condition(),
            "{" => {
                self.next();
                let (body, _) = self.block(&["}"])?;
                Ok(Command::Group { body, apart: false })
            }
            "case" => Err(unsupported("case", "write if … elif … fi")),
            "function" | "select" => Err(unsupported(keyword, "type its lines themselves")),
            word if CLOSING.contains(&word) => Err(unexpected(word)),
            _ => self.simple(),
        }
    }

    /// `[[ … ]]`.
    fn condition(&mut self) -> Result<Command, Fault> {
        self.next();
        let mut words = Vec::new();
        loop {
            match self.next() {
                Some(Token::Word(word)) if bare(word) == Some("]]") => {
                    return Ok(Command::Condition(words));
                }
                Some(Token::Word(word)) => words.push(word.clone()),
                Some(Token::Newline) => {}
                Some(token) => {
                    let what = format!("[[ … {} … ]]", name_of(token));
                    return Err(unsupported(&what, "write [[ … ]] && [[ … ]]"));
                }
                None => return Err(Fault::Incomplete(end_of_file())),
            }
        }
    }

    fn repeat(&mut self) -> Result<Command, Fault> {
        self.next();
        if self.is_operator("((") {
            return Err(unsupported("for ((…))", "write for NAME in $(seq 1 3)"));
        }
        let name = match self.next() {
            Some(Token::Word(word)) => bare(word).filter(|name| is_name(name)),
            None => return Err(Fault::Incomplete(end_of_file())),
            Some(token) => return Err(unexpected(&name_of(token))),
        };
        let Some(name) = name else {
            return Err(Fault::Wrong("bash: not a valid identifier".to_owned()));
        };
        self.expect("in")?;
        let mut words = Vec::new();
        while let Some(Token::Word(word)) = self.peek() {
            words.push(word.clone());
            self.next();
        }
        if self.is_operator(";") {
            self.next();
        }
        self.expect("do")?;
        let (body, _) = self.block(&["done"])?;
        let name = name.to_owned();
        Ok(Command::For { name, words, body })
    }

    fn choice(&mut self) -> Result<Command, Fault> {
        self.next();
        let mut branches = Vec::new();
        loop {
            let (condition, _) = self.block(&["then"])?;
            let (body, end) = self.block(&["elif", "else", "fi"])?;
            branches.push((condition, body));
            let otherwise = match end {
                "elif" => continue,
                "else" => self.block(&["fi"])?.0,
                _ => Script::default(),
            };
            return Ok(Command::If {
                branches,
                otherwise,
            });
        }
    }

    fn simple(&mut self) -> Result<Command, Fault> {
        let mut simple = Simple::default();
        loop {
            simple.redirects.extend(self.redirects()?);
            match self.peek() {
                Some(Token::Word(word)) => {
                    let assignment = assignment(word).filter(|_| simple.words.is_empty());
                    match assignment {
                        Some(assignment) => simple.assignments.push(assignment),
                        None => simple.words.push(word.clone()),
                    }
                    self.next();
                }
                // The name of `NAME+=(…)` is no assignment here.
                Some(Token::Operator("(")) if is_array(&simple) => {
                    return Err(unsupported("NAME=(…)", ARRAYS));
                }
                Some(Token::Operator("(")) if simple.words.len() == 1 => {
                    return Err(unsupported("NAME ()", "write an alias"));
                }
                Some(Token::Operator("(")) => return Err(unexpected("(")),
                next => {
                    let says_something = !simple.words.is_empty()
                        || !simple.assignments.is_empty()
                        || !simple.redirects.is_empty();
                    return match next {
                        _ if says_something => Ok(Command::Simple(simple)),
                        Some(token) => Err(unexpected(&name_of(token))),
                        None => Err(Fault::Incomplete(end_of_file())),
                    };
                }
            }
        }
    }

    fn redirects(&mut self) -> Result<Vec<Redirect>, Fault> {
        let mut redirects = Vec::new();
        loop {
            match self.peek() {
                Some(Token::Text(text)) => {
                    redirects.push(Redirect::Text(text.clone()));
                    self.next();
                }
                Some(Token::Redirect(number, operator)) => {
                    self.next();
                    let word = match self.next() {
                        Some(Token::Word(word)) => word.clone(),
                        Some(token) => return Err(unexpected(&name_of(token))),
                        None => return Err(unexpected("newline")),
                    };
                    redirects.push(redirect(*number, operator, word)?);
                }
                _ => return Ok(redirects),
            }
        }
    }
}

fn redirect(number: Option<u8>, operator: &str, word: Word) -> Result<Redirect, Fault> {
    if operator == "<" {
        return Ok(Redirect::Input(word));
    }
    let stream = match (number, operator) {
        (_, "&>" | "&>>") => Stream::Both,
        (Some(2), _) => Stream::Err,
        (None | Some(1), _) => Stream::Out,
        (Some(number), _) => {
            return Err(Fault::Wrong(format!("bash: {number}: Bad file descriptor")));
        }
    };
    if operator == ">&" {
        let to = match bare(&word) {
            Some("1") => Stream::Out,
            Some("2") => Stream::Err,
            _ if number.is_none() => {
                let (stream, append) = (Stream::Both, false);
                return Ok(Redirect::Output {
                    stream,
                    file: word,
                    append,
                });
            }
            _ => return Err(Fault::Wrong("bash: ambiguous redirect".to_owned())),
        };
        return Ok(Redirect::Duplicate { from: stream, to });
    }
    Ok(Redirect::Output {
        stream,
        file: word,
        append: operator.ends_with(">>"),
    })
}

/// Whether a word can name a variable.
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|letter: char| letter.is_ascii_digit())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether the last word is `NAME=` or `NAME+=`, before the `(` of an array.
fn is_array(simple: &Simple) -> bool {
    match (simple.words.as_slice(), simple.assignments.last()) {
        ([], Some((_, value))) => value.is_empty(),
        ([word], _) => bare(word).is_some_and(|word| word.ends_with('=')),
        _ => false,
    }
}

/// `NAME=VALUE`.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let (Part::Bare(first), rest) = word.split_first()? else {
        return None;
    };
    let (name, value) = first.split_once('=')?;
    if !is_name(name) {
        return None;
    }
    let mut parts = Word::new();
    if !value.is_empty() {
        parts.push(Part::Bare(value.to_owned()));
    }
    parts.extend_from_slice(rest);
    Some((name.to_owned(), parts))
}

/// What to write instead of an array.
pub(super) const ARRAYS: &str = "write NAME='A B' and for X in $NAME";

/// The message about a part of bash that is not simulated.
fn unsupported(what: &str, instead: &str) -> Fault {
    Fault::Wrong(format!("bash: {what}: not simulated here: {instead}"))
}
