//! Parses the parts of a template to nodes.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::functions::Function;
use super::lex::{Kind, Part, Token, fault, parts};
use super::{Branch, Constant, Keyword, Node, Operand, Pipe, Term};

/// Maximum nesting of actions, and of parentheses.
const MAX_DEPTH: usize = 32;

/// The nodes of a template.
pub(super) fn nodes(source: &str) -> Result<Vec<Node>, String> {
    let mut parser = Parser {
        source,
        parts: parts(source)?.into_iter(),
        variables: vec![String::new()],
        ranges: 0,
        end: 0,
    };
    let (nodes, closed) = parser.list(0)?;
    match closed {
        Closed::End => Err(parser.fault("unexpected {{end}}")),
        Closed::Else(_) => Err(parser.fault("unexpected {{else}}")),
        Closed::Eof => Ok(nodes),
    }
}

/// What ended a list of nodes.
enum Closed {
    End,
    /// `{{else}}`, with its other tokens.
    Else(Vec<Token>),
    Eof,
}

struct Parser<'s> {
    source: &'s str,
    parts: IntoIter<Part>,
    /// The variables in scope; the first is `$`.
    variables: Vec<String>,
    /// Number of open ranges.
    ranges: usize,
    /// Where the last token ended, for errors.
    end: usize,
}

impl Parser<'_> {
    fn fault(&self, message: &str) -> String {
        fault(self.source, self.end, message)
    }

    fn list(&mut self, depth: usize) -> Result<(Vec<Node>, Closed), String> {
        let mut nodes = Vec::new();
        while let Some(part) = self.parts.next() {
            let mut tokens = match part {
                Part::Text(text) => {
                    nodes.push(Node::Text(text));
                    continue;
                }
                Part::Action(tokens) => tokens,
            };
            self.end = tokens.last().map_or(self.end, |it| it.end);
            let word = match tokens.first().map(|it| &it.kind) {
                Some(Kind::Word(word)) => word.clone(),
                _ => String::new(),
            };
            let keyword = match word.as_str() {
                "end" if tokens.len() == 1 => return Ok((nodes, Closed::End)),
                "else" => {
                    tokens.remove(0);
                    return Ok((nodes, Closed::Else(tokens)));
                }
                "break" | "continue" => {
                    if self.ranges == 0 {
                        return Err(self.fault(&format!("{{{{{word}}}}} outside {{{{range}}}}")));
                    }
                    let is_break = word == "break";
                    nodes.push(if is_break {
                        Node::Break
                    } else {
                        Node::Continue
                    });
                    continue;
                }
                "define" | "template" | "block" => {
                    return Err(self.fault(&format!("{{{{{word}}}}} is not simulated here")));
                }
                "if" => Keyword::If,
                "range" => Keyword::Range,
                "with" => Keyword::With,
                _ => {
                    let pipe = self.whole(tokens, "command")?;
                    nodes.push(Node::Action(pipe));
                    continue;
                }
            };
            tokens.remove(0);
            nodes.push(self.branch(keyword, &word, tokens, depth + 1)?);
        }
        Ok((nodes, Closed::Eof))
    }

    /// `if`, `range` or `with`, up to its `{{end}}`.
    fn branch(
        &mut self,
        keyword: Keyword,
        word: &str,
        tokens: Vec<Token>,
        depth: usize,
    ) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err(self.fault("actions are nested too deeply"));
        }
        let scope = self.variables.len();
        let pipe = self.whole(tokens, word)?;
        let most = if keyword == Keyword::Range { 2 } else { 1 };
        if pipe.variables.len() > most {
            return Err(self.fault(&format!("too many declarations in {word}")));
        }
        let is_range = usize::from(keyword == Keyword::Range);
        self.ranges += is_range;
        let (then, closed) = self.list(depth)?;
        self.ranges -= is_range;
        let otherwise = match closed {
            Closed::End => Vec::new(),
            Closed::Eof => return Err(self.fault("unexpected EOF")),
            Closed::Else(tokens) => self.otherwise(tokens, keyword, depth)?,
        };
        self.variables.truncate(scope);
        Ok(Node::Branch(Branch {
            keyword,
            pipe,
            then,
            otherwise,
        }))
    }

    /// What follows `else`: `else if` and `else with` share the `{{end}}` of their outer action.
    fn otherwise(
        &mut self,
        mut tokens: Vec<Token>,
        keyword: Keyword,
        depth: usize,
    ) -> Result<Vec<Node>, String> {
        let word = match tokens.first().map(|it| &it.kind) {
            None => {
                let (nodes, closed) = self.list(depth)?;
                return match closed {
                    Closed::End => Ok(nodes),
                    Closed::Else(_) => Err(self.fault("expected end; found {{else}}")),
                    Closed::Eof => Err(self.fault("unexpected EOF")),
                };
            }
            Some(Kind::Word(word)) => word.clone(),
            Some(_) => String::new(),
        };
        match (word.as_str(), keyword) {
            ("if", Keyword::If) | ("with", Keyword::With) => {
                tokens.remove(0);
                let node = self.branch(keyword, &word, tokens, depth + 1)?;
                Ok(vec![node])
            }
            _ => Err(self.fault(&format!("unexpected {word:?} in else"))),
        }
    }

    /// A pipeline that takes all tokens of an action.
    fn whole(&mut self, tokens: Vec<Token>, context: &str) -> Result<Pipe, String> {
        let mut tokens = tokens.into_iter().peekable();
        let pipe = self.pipe(&mut tokens, context, 0)?;
        match tokens.next() {
            None => Ok(pipe),
            Some(token) => Err(self.unexpected(&token, context)),
        }
    }

    fn unexpected(&self, token: &Token, context: &str) -> String {
        let text = self.source.get(token.start..token.end).unwrap_or_default();
        fault(
            self.source,
            token.start,
            &format!("unexpected <{text}> in {context}"),
        )
    }

    fn pipe(
        &mut self,
        tokens: &mut Peekable<IntoIter<Token>>,
        context: &str,
        depth: usize,
    ) -> Result<Pipe, String> {
        let mut pipe = Pipe::default();
        if depth == 0 {
            self.declarations(tokens, context, &mut pipe)?;
        }
        loop {
            let mut operands: Vec<Operand> = Vec::new();
            while let Some(operand) = self.operand(tokens, depth)? {
                operands.push(operand);
            }
            if operands.is_empty() {
                return Err(match tokens.peek() {
                    Some(token) if !matches!(token.kind, Kind::Close) => {
                        self.unexpected(token, context)
                    }
                    _ if pipe.commands.is_empty() => {
                        self.fault(&format!("missing value for {context}"))
                    }
                    _ => self.fault("empty command"),
                });
            }
            pipe.commands.push(operands);
            if tokens.next_if(|it| it.kind == Kind::Pipe).is_none() {
                break;
            }
        }
        if !pipe.assigns {
            self.variables.extend(pipe.variables.iter().cloned());
        }
        Ok(pipe)
    }

    /// `$a :=`, `$a, $b :=` (in a range), `$a =`.
    fn declarations(
        &mut self,
        tokens: &mut Peekable<IntoIter<Token>>,
        context: &str,
        pipe: &mut Pipe,
    ) -> Result<(), String> {
        let mut ahead = tokens.clone();
        let mut names = Vec::new();
        while let Some(Token {
            kind: Kind::Variable(name),
            ..
        }) = ahead.next()
        {
            names.push(name);
            let mark = ahead.next().map(|it| it.kind);
            match mark {
                Some(Kind::Comma) if context == "range" => {}
                Some(mark @ (Kind::Declare | Kind::Assign)) => {
                    pipe.assigns = mark == Kind::Assign;
                    let unknown = names
                        .iter()
                        .find(|it| pipe.assigns && !self.variables.contains(it));
                    if let Some(name) = unknown {
                        return Err(self.fault(&format!("undefined variable \"${name}\"")));
                    }
                    pipe.variables = names;
                    *tokens = ahead;
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// The next operand with its fields; `None` at the end of a command.
    fn operand(
        &mut self,
        tokens: &mut Peekable<IntoIter<Token>>,
        depth: usize,
    ) -> Result<Option<Operand>, String> {
        let is_operand = |it: &Token| {
            !matches!(
                it.kind,
                Kind::Pipe | Kind::Close | Kind::Comma | Kind::Declare | Kind::Assign
            )
        };
        let Some(token) = tokens.next_if(is_operand) else {
            return Ok(None);
        };
        let (start, mut end) = (token.start, token.end);
        let mut fields = Vec::new();
        let value = match token.kind {
            Kind::Field(name) => {
                fields.push(name);
                Term::Dot
            }
            Kind::Variable(name) => {
                if !self.variables.contains(&name) {
                    return Err(self.fault(&format!("undefined variable \"${name}\"")));
                }
                Term::Variable(name)
            }
            Kind::Word(word) => self.word(&word)?,
            Kind::Text(text) => Term::Constant(Constant::Text(text)),
            Kind::Int(int) => Term::Constant(Constant::Int(int)),
            Kind::Float(float) => Term::Constant(Constant::Float(float)),
            Kind::Open => {
                if depth > MAX_DEPTH {
                    return Err(self.fault("parentheses are nested too deeply"));
                }
                let pipe = self.pipe(tokens, "parenthesized pipeline", depth + 1)?;
                match tokens.next_if(|it| it.kind == Kind::Close) {
                    Some(close) => end = close.end,
                    None => return Err(self.fault("unclosed left paren")),
                }
                Term::Pipe(Box::new(pipe))
            }
            _ => Term::Dot,
        };
        while let Some(field) =
            tokens.next_if(|it| !it.is_spaced && matches!(it.kind, Kind::Field(_)))
        {
            end = field.end;
            if let Kind::Field(name) = field.kind {
                fields.push(name);
            }
        }
        Ok(Some(Operand {
            value,
            fields,
            start,
            end,
        }))
    }

    fn word(&self, word: &str) -> Result<Term, String> {
        Ok(match word {
            "true" => Term::Constant(Constant::Bool(true)),
            "false" => Term::Constant(Constant::Bool(false)),
            "nil" => Term::Nil,
            "call" | "html" | "js" => {
                return Err(self.fault(&format!("function {word:?} is not simulated here")));
            }
            name => match Function::named(name) {
                Some(function) => Term::Function(function),
                None => return Err(self.fault(&format!("function {name:?} not defined"))),
            },
        })
    }
}
