//! A shell script in words and operators.

/// Tokens of a script, at most; the rest is not looked at.
const MAX_TOKENS: usize = 10_000;

/// A token: a word, or an operator (`;`, `&&`, `||`, `|`, `&`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Operator(&'static str),
}

/// The tokens of a script; quotes and escapes are gone, and comments.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = script.chars().peekable();
    while let Some(c) = chars.next() {
        if tokens.len() >= MAX_TOKENS {
            break;
        }
        let operator = match c {
            '\'' => {
                let quoted = chars.by_ref().take_while(|c| *c != '\'');
                word.get_or_insert_default().extend(quoted);
                continue;
            }
            '"' => {
                let own = word.get_or_insert_default();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    let escaped = c == '\\' && matches!(chars.peek(), Some('"' | '\\' | '$'));
                    own.extend(if escaped { chars.next() } else { Some(c) });
                }
                continue;
            }
            '\\' => {
                let escaped = chars.next().filter(|c| *c != '\n');
                word.get_or_insert_default().extend(escaped);
                continue;
            }
            '#' if word.is_none() => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
                continue;
            }
            '&' if chars.next_if_eq(&'&').is_some() => Some("&&"),
            // `2>&1` is no operator.
            '&' if word.as_deref().is_some_and(|word| word.ends_with('>')) => {
                word.get_or_insert_default().push('&');
                continue;
            }
            '&' => Some("&"),
            '|' if chars.next_if_eq(&'|').is_some() => Some("||"),
            '|' => Some("|"),
            ';' | '\n' => Some(";"),
            _ if c.is_whitespace() => None,
            _ => {
                word.get_or_insert_default().push(c);
                continue;
            }
        };
        tokens.extend(word.take().map(Token::Word));
        tokens.extend(operator.map(Token::Operator));
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

/// Whether it is this word.
pub(super) fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word) if word == text)
}

/// The place behind the word that closes what opens at `start` (`do`…`done`, `if`…`fi`).
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
