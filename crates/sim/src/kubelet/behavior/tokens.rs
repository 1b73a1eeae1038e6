//! Splits a container's shell script into words and operators, with the lexer of the terminal's shell.

use berth_shell::lex::{self, lex};
use berth_shell::syntax::{Part, Word};
use berth_shell::{braces, seq_numbers};

/// Number of tokens after which words are no longer expanded.
const MAX_TOKENS: usize = 10_000;

/// A token: a word, or an operator (`;`, `&&`, `||`, `|`, `&`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Operator(&'static str),
}

/// The tokens of a script, without redirections and parentheses; `None` for an unclosed quote or bracket. Braces and
/// `$(seq …)` are expanded.
pub(super) fn tokens(script: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut lexed = lex(script).ok()?.tokens.into_iter();
    while let Some(token) = lexed.next() {
        tokens.push(match token {
            lex::Token::Word(word) if tokens.len() < MAX_TOKENS => {
                tokens.extend(expanded(&word));
                continue;
            }
            lex::Token::Word(word) => Token::Word(text(&word)),
            lex::Token::Operator("(" | ")" | "((") | lex::Token::Text(_) => continue,
            lex::Token::Redirect(..) => {
                // Skip the target of the redirection.
                lexed.next();
                continue;
            }
            lex::Token::Operator(";;") | lex::Token::Newline => Token::Operator(";"),
            lex::Token::Operator("|&") => Token::Operator("|"),
            lex::Token::Operator(operator) => Token::Operator(operator),
        });
    }
    Some(tokens)
}

/// The words that a word expands to, as far as that is known without running the script.
fn expanded(word: &Word) -> Vec<Token> {
    if let [
        Part::Command {
            text,
            quoted: false,
        },
    ] = word.as_slice()
        && let Some(numbers) = printed_by_seq(text)
    {
        let numbers = numbers.iter().map(i64::to_string);
        return numbers.map(Token::Word).collect();
    }
    let words = braces(word);
    words.iter().map(|word| Token::Word(text(word))).collect()
}

/// What a command prints if it is `seq` with integers.
fn printed_by_seq(command: &str) -> Option<Vec<i64>> {
    let lexed = lex(command).ok()?.tokens;
    let words = lexed.iter().map(|token| match token {
        lex::Token::Word(word) => Some(text(word)),
        _ => None,
    });
    let words: Vec<String> = words.collect::<Option<_>>()?;
    let (program, arguments) = words.split_first()?;
    // With an error it prints nothing.
    let printed = (program == "seq").then(|| seq_numbers(arguments))??;
    Some(printed.unwrap_or_default())
}

/// A word without its quotes; expansions are kept unexpanded.
fn text(word: &Word) -> String {
    let mut text = String::new();
    for part in word {
        match part {
            Part::Bare(own) | Part::Quoted(own) => text.push_str(own),
            Part::Variable { name, .. } => {
                text.push('$');
                text.push_str(name);
            }
            Part::Command { text: own, .. } => {
                text.push_str("$(");
                text.push_str(own);
                text.push(')');
            }
            Part::Arithmetic(_) | Part::Process(_) => text.push('$'),
        }
    }
    text
}

/// The words of a script of one command; `None` if it has operators other than the final newline or semicolon.
pub(super) fn single_command(tokens: &[Token]) -> Option<Vec<&str>> {
    let ends = |token: &&Token| **token == Token::Operator(";");
    let starts_at = tokens.iter().take_while(ends).count();
    let ends_at = tokens.len() - tokens.iter().rev().take_while(ends).count();
    let tokens = tokens.get(starts_at..ends_at)?;
    tokens
        .iter()
        .map(|token| match token {
            Token::Word(word) => Some(word.as_str()),
            Token::Operator(_) => None,
        })
        .collect()
}

/// Whether a token is this word.
pub(super) fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word) if word == text)
}

/// The index after the word that closes the block opened at `start` (`do`…`done`, `if`…`fi`).
pub(super) fn behind(tokens: &[Token], start: usize, opens: &[&str], closes: &str) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(start) {
        if opens.iter().any(|word| is_word(token, word)) {
            depth += 1;
        } else if is_word(token, closes) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return index + 1;
            }
        }
    }
    tokens.len()
}
