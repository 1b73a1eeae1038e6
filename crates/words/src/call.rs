//! A macro's call: sentences, and named arguments.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

use super::catalogue;
use super::sentence::{literal, names};

/// What the expansions name.
const LANGUAGE: &str = "crate::words::language";

/// A mistake in a call, at its place.
pub struct Fault {
    message: String,
    at: Span,
}

impl Fault {
    pub fn new(message: String) -> Self {
        Self {
            message,
            at: Span::call_site(),
        }
    }

    fn at(message: String, at: Span) -> Self {
        Self { message, at }
    }

    /// The mistake as an error of the compiler.
    pub fn error(self) -> TokenStream {
        let mut message = Literal::string(&self.message);
        message.set_span(self.at);
        let inside: TokenStream = TokenTree::from(message).into();
        let mut body = Group::new(Delimiter::Brace, inside);
        body.set_span(self.at);
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(self.at);
        let error: [TokenTree; 3] = [
            Ident::new("compile_error", self.at).into(),
            bang.into(),
            body.into(),
        ];
        error.into_iter().collect()
    }
}

/// One sentence of a call.
struct Sentence {
    text: String,
    token: TokenTree,
}

/// A name and an expression. A name alone means the variable.
type Argument = (String, TokenStream);

/// A macro's call.
pub struct Call {
    sentences: Vec<Sentence>,
    arguments: Vec<Argument>,
}

impl Call {
    pub fn read(input: TokenStream) -> Result<Self, Fault> {
        let mut call = Self {
            sentences: Vec::new(),
            arguments: Vec::new(),
        };
        for part in parts(input) {
            match &part[..] {
                [token] if literal(&token.to_string()).is_some() => {
                    let text = literal(&token.to_string()).unwrap_or_default();
                    let token = token.clone();
                    call.sentences.push(Sentence { text, token });
                }
                [TokenTree::Ident(name)] => {
                    let value = TokenTree::from(name.clone()).into();
                    call.arguments.push((name.to_string(), value));
                }
                [TokenTree::Ident(name), TokenTree::Punct(equals), value @ ..]
                    if equals.as_char() == '=' && !value.is_empty() =>
                {
                    let value = value.iter().cloned().collect();
                    call.arguments.push((name.to_string(), value));
                }
                [first, ..] => {
                    let message = "expected a sentence on one line, a variable, or `name = value`";
                    return Err(Fault::at(message.to_owned(), first.span()));
                }
                [] => {}
            }
        }
        Ok(call)
    }

    /// `text!("Share")`
    pub fn text(&self) -> Result<TokenStream, Fault> {
        let [sentence] = &self.sentences[..] else {
            return Err(Fault::new("expected one sentence".to_owned()));
        };
        let missing = sentence.check(false)?;
        let names = sentence.names()?;
        if !names.is_empty() || !self.arguments.is_empty() {
            return Err(sentence.fault("a text has no placeholders: use say!".to_owned()));
        }
        let text = stream(&format!("{LANGUAGE}::Text::new({})", sentence.token));
        Ok(warned(missing, text))
    }

    /// `known!("{a} of {b}")`
    pub fn known(&self) -> Result<TokenStream, Fault> {
        let ([sentence], []) = (&self.sentences[..], &self.arguments[..]) else {
            return Err(Fault::new("expected one sentence".to_owned()));
        };
        Ok(warned(
            sentence.check(false)?,
            sentence.token.clone().into(),
        ))
    }

    /// `say!("{a} of {b}", b = all.len())`
    pub fn say(&self) -> Result<TokenStream, Fault> {
        let [sentence] = &self.sentences[..] else {
            return Err(Fault::new("expected one sentence".to_owned()));
        };
        let missing = sentence.check(false)?;
        let names = sentence.names()?;
        all_are_used(&self.arguments, &names)?;
        let values = names.iter().map(|name| self.value(name));
        let mut expansion = stream(&format!("{LANGUAGE}::say"));
        expansion.extend([parenthesized(
            [sentence.token.clone().into(), comma(), borrowed(values)]
                .into_iter()
                .collect(),
        )]);
        Ok(warned(missing, expansion))
    }

    /// `counted!(pods = plan.len(), "{pods} Pod", "{pods} Pods")`
    pub fn counted(&self) -> Result<TokenStream, Fault> {
        let ([one, many], Some((count, value))) = (&self.sentences[..], self.arguments.first())
        else {
            let message = "expected a count, and the sentence in the singular and in the plural";
            return Err(Fault::new(message.to_owned()));
        };
        let missing = many.check(true)?;
        let names = many.names()?;
        all_are_used(&self.arguments[1..], &names)?;
        if let Some(other) = one.names()?.iter().find(|name| !names.contains(name)) {
            return Err(one.fault(format!("{{{other}}} is not in the plural")));
        }
        let binding = stream(&format!("let {count}: usize ="));
        let values = names.iter().map(|name| {
            if name == count {
                stream(&format!("{LANGUAGE}::number({count})"))
            } else {
                self.value(name)
            }
        });
        let arguments = [
            stream(count),
            comma(),
            one.token.clone().into(),
            comma(),
            many.token.clone().into(),
            comma(),
            borrowed(values),
        ];
        let mut body = missing.unwrap_or_default();
        body.extend(binding);
        body.extend(value.clone());
        body.extend(stream(&format!("; {LANGUAGE}::counted")));
        body.extend([parenthesized(arguments.into_iter().collect())]);
        Ok(TokenTree::from(Group::new(Delimiter::Brace, body)).into())
    }

    /// The value of a placeholder: an argument, or a variable of its name.
    fn value(&self, name: &str) -> TokenStream {
        let given = self.arguments.iter().find(|(given, _)| given == name);
        given.map_or_else(
            || TokenTree::from(Ident::new(name, Span::call_site())).into(),
            |(_, value)| value.clone(),
        )
    }
}

fn all_are_used(arguments: &[Argument], names: &[String]) -> Result<(), Fault> {
    let unused = arguments.iter().find(|(name, _)| !names.contains(name));
    unused.map_or(Ok(()), |(name, value)| {
        let at = value.clone().into_iter().next();
        let at = at.map_or_else(Span::call_site, |token| token.span());
        Err(Fault::at(format!("no placeholder {{{name}}}"), at))
    })
}

impl Sentence {
    fn fault(&self, message: String) -> Fault {
        Fault::at(message, self.token.span())
    }

    /// The warning that a catalogue should have the sentence: what uses something deprecated at its place.
    fn check(&self, is_counted: bool) -> Result<Option<TokenStream>, Fault> {
        let missing = catalogue::all()
            .and_then(|all| catalogue::check(all, &self.text, is_counted))
            .map_err(|message| self.fault(message))?;
        Ok(missing.map(|message| {
            let warning = stream(&format!(
                "#[deprecated(note = {message:?})] const UNTRANSLATED: () = (); let _ = UNTRANSLATED;"
            ));
            placed(warning, self.token.span())
        }))
    }

    fn names(&self) -> Result<Vec<String>, Fault> {
        let names = names(&self.text).map_err(|message| self.fault(message))?;
        Ok(names.into_iter().map(str::to_owned).collect())
    }
}

/// An expression with a warning before it.
fn warned(warning: Option<TokenStream>, expression: TokenStream) -> TokenStream {
    let Some(mut body) = warning else {
        return expression;
    };
    body.extend(expression);
    TokenTree::from(Group::new(Delimiter::Brace, body)).into()
}

/// Tokens at another place of the source.
fn placed(tokens: TokenStream, at: Span) -> TokenStream {
    let place = |token| {
        let mut token = match token {
            TokenTree::Group(group) => {
                Group::new(group.delimiter(), placed(group.stream(), at)).into()
            }
            token => token,
        };
        token.set_span(at);
        token
    };
    tokens.into_iter().map(place).collect()
}

/// The call's parts between commas. Only commas within brackets are part of an argument.
fn parts(input: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in input {
        match &token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => parts.push(Vec::new()),
            _ => parts
                .last_mut()
                .into_iter()
                .for_each(|part| part.push(token.clone())),
        }
    }
    parts
}

/// Tokens at the call's place. Only fixed texts and names get here.
fn stream(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

fn comma() -> TokenStream {
    TokenTree::from(Punct::new(',', Spacing::Alone)).into()
}

fn parenthesized(inside: TokenStream) -> TokenTree {
    Group::new(Delimiter::Parenthesis, inside).into()
}

/// `&[&(a), &(b)]`
fn borrowed(values: impl Iterator<Item = TokenStream>) -> TokenStream {
    let mut inside = TokenStream::new();
    for value in values {
        inside.extend(stream("&"));
        inside.extend([parenthesized(value)]);
        inside.extend(comma());
    }
    let mut list = stream("&");
    list.extend([TokenTree::from(Group::new(Delimiter::Bracket, inside))]);
    list
}
