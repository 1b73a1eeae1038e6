//! Parses label selectors, with apimachinery's errors (v0.34 `labels.Parse`).

use std::iter::Peekable;
use std::vec::IntoIter;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

use berth_scheduler::names::{label_key_errors, label_value_errors};

/// The operators that may follow a key, as errors list them.
const OPERATORS: &str = "in, notin, =, ==, !=, gt, lt";

/// Tokens that are not words. They are tried in this order, so longer ones come before their prefixes.
const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", "<", ">"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Symbol(&'static str),
    End,
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Token::Word(word) => word,
            Token::Symbol(symbol) => symbol,
            Token::End => "",
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let is_blank = [' ', '\t', '\r', '\n'];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(is_blank);
    while !rest.is_empty() {
        let symbol = SYMBOLS.into_iter().find(|it| rest.starts_with(it));
        let length = symbol.map_or_else(
            || {
                let ends = |letter: char| is_blank.contains(&letter) || "=!(),><".contains(letter);
                rest.find(ends).unwrap_or(rest.len())
            },
            str::len,
        );
        let (head, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        tokens.push(symbol.map_or_else(|| Token::Word(head.to_owned()), Token::Symbol));
        rest = tail.trim_start_matches(is_blank);
    }
    tokens
}

/// Parses a label selector: `app=web,tier!=db,env in (a, b),!old,new,size>5`. `>` and `<` become the operators of node
/// selectors, `Gt` and `Lt`.
///
/// # Errors
/// The error of `labels.Parse`.
pub fn parse_labels(text: &str) -> Result<LabelSelector, String> {
    let mut parser = Parser(tokens(text).into_iter().peekable());
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            Token::End => break,
            Token::Word(_) | Token::Symbol("!") => {}
            Token::Symbol(other) => {
                return Err(format!(
                    "found '{other}', expected: !, identifier, or 'end of string'"
                ));
            }
        }
        let requirement = parser.requirement();
        requirements
            .push(requirement.map_err(|why| format!("unable to parse requirement: {why}"))?);
        match parser.next() {
            Token::End => break,
            Token::Symbol(",") => match parser.peek() {
                Token::Word(_) | Token::Symbol("!") => {}
                other => {
                    let found = other.text();
                    return Err(format!("found '{found}', expected: identifier after ','"));
                }
            },
            other => {
                let found = other.text();
                return Err(format!("found '{found}', expected: ',' or 'end of string'"));
            }
        }
    }
    Ok(LabelSelector {
        match_labels: None,
        match_expressions: Some(requirements),
    })
}

struct Parser(Peekable<IntoIter<Token>>);

impl Parser {
    fn peek(&mut self) -> Token {
        self.0.peek().cloned().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token {
        self.0.next().unwrap_or(Token::End)
    }

    fn requirement(&mut self) -> Result<LabelSelectorRequirement, String> {
        let is_absent = self.0.next_if_eq(&Token::Symbol("!")).is_some();
        let key = match self.next() {
            Token::Word(key) => key,
            other => return Err(format!("found '{}', expected: identifier", other.text())),
        };
        let wrong = label_key_errors(&key);
        if !wrong.is_empty() {
            return Err(format!(
                "<nil>: Invalid value: {key:?}: {}",
                wrong.join("; ")
            ));
        }
        if is_absent {
            return made(key, "DoesNotExist", None);
        }
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return made(key, "Exists", None);
        }
        let operator = self.next();
        let meant = match operator.text() {
            "in" | "=" | "==" => "In",
            "notin" | "!=" => "NotIn",
            ">" => "Gt",
            "<" => "Lt",
            found => return Err(format!("found '{found}', expected: {OPERATORS}")),
        };
        let mut values = if matches!(operator, Token::Word(_)) {
            self.list()?
        } else {
            vec![self.value()?]
        };
        values.sort();
        values.dedup();
        made(key, meant, Some(values))
    }

    /// The single value after `=`; a missing value is empty.
    fn value(&mut self) -> Result<String, String> {
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Ok(String::new());
        }
        match self.next() {
            Token::Word(value) => Ok(value),
            other => Err(format!("found '{}', expected: identifier", other.text())),
        }
    }

    /// The values after `in`; a missing value is empty.
    fn list(&mut self) -> Result<Vec<String>, String> {
        let open = self.next();
        if open != Token::Symbol("(") {
            return Err(format!("found '{}' expected: '('", open.text()));
        }
        let first = self.peek();
        if !matches!(first, Token::Word(_) | Token::Symbol("," | ")")) {
            let found = first.text();
            return Err(format!("found '{found}', expected: ',', ')' or identifier"));
        }
        let mut values = Vec::new();
        let mut value = None;
        loop {
            match self.next() {
                Token::Symbol(")") => {
                    values.push(value.unwrap_or_default());
                    return Ok(values);
                }
                Token::Symbol(",") => values.push(value.take().unwrap_or_default()),
                Token::Word(word) if value.is_none() => value = Some(word),
                other => {
                    let found = other.text();
                    return Err(if value.is_some() {
                        format!("found '{found}', expected: ',' or ')'")
                    } else {
                        format!("found '{found}', expected: ',', or identifier")
                    });
                }
            }
        }
    }
}

fn made(
    key: String,
    operator: &str,
    values: Option<Vec<String>>,
) -> Result<LabelSelectorRequirement, String> {
    let mut errors = Vec::new();
    let is_bound = matches!(operator, "Gt" | "Lt");
    let all = || values.iter().flatten().enumerate();
    for (place, value) in all().filter(|_| is_bound) {
        if value.parse::<i64>().is_err() {
            errors.push(format!(
                "values[{place}]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer"
            ));
        }
    }
    for (place, value) in all() {
        let wrong = label_value_errors(value);
        if !wrong.is_empty() {
            let wrong = wrong.join("; ");
            errors.push(format!(
                "values[{place}][{key}]: Invalid value: {value:?}: {wrong}"
            ));
        }
    }
    match errors.as_slice() {
        [] => Ok(LabelSelectorRequirement {
            key,
            operator: operator.to_owned(),
            values,
        }),
        [one] => Err(one.clone()),
        more => Err(format!("[{}]", more.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_match_apimachinery() {
        for (text, complaint) in [
            (
                "a in b",
                "unable to parse requirement: found 'b' expected: '('",
            ),
            ("app=web db", "found 'db', expected: ',' or 'end of string'"),
            (
                "app near (a)",
                "unable to parse requirement: found 'near', expected: in, notin, =, ==, !=, gt, lt",
            ),
            ("a=b,", "found '', expected: identifier after ','"),
            (
                "=b",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            (
                "!",
                "unable to parse requirement: found '', expected: identifier",
            ),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            (
                "a in (b",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            (
                "a in (b c)",
                "unable to parse requirement: found 'c', expected: ',' or ')'",
            ),
            (
                "a in (=)",
                "unable to parse requirement: found '=', expected: ',', ')' or identifier",
            ),
            (
                "a in (b,=)",
                "unable to parse requirement: found '=', expected: ',', or identifier",
            ),
            (
                "a==!b",
                "unable to parse requirement: found '!', expected: identifier",
            ),
            (
                "a>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            assert_eq!(parse_labels(text), Err(complaint.to_owned()), "{text}");
        }
        let error = parse_labels("-a=b").expect_err("a key begins with a letter");
        let key =
            "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of";
        assert!(error.starts_with(key), "{error}");
        let error = parse_labels("a=b/c").expect_err("values have no slash");
        let value = "unable to parse requirement: values[0][a]: Invalid value: \"b/c\": a valid label must be";
        assert!(error.starts_with(value), "{error}");
    }

    #[test]
    fn values_are_a_set() {
        let parsed = parse_labels("in in (in,,b,in),c in ()").expect("it is good");
        let values = parsed.match_expressions.into_iter().flatten();
        let values: Vec<_> = values.filter_map(|it| it.values).collect();
        assert_eq!(values, [vec!["", "b", "in"], vec![""]]);
    }
}
