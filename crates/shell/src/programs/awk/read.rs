//! Parses programs.

use regex_lite::Regex;

use super::{Action, Condition, Pattern, Rule, Value};
use crate::programs::echo::unescaped;
use crate::programs::sed::until_mark;

/// Maximum nesting of expressions.
const MAX_DEPTH: u32 = 40;

/// Comparisons in the order in which they are tried: longer ones come before their prefixes.
const COMPARISONS: [&str; 6] = ["==", "!=", ">=", "<=", ">", "<"];

/// The rules of a program; `None` if it uses anything that is not simulated.
pub(super) fn rules(program: &str) -> Option<Vec<Rule>> {
    let mut reader = Reader {
        rest: program,
        depth: 0,
    };
    let mut rules = Vec::new();
    loop {
        reader.skip();
        if reader.rest.is_empty() {
            return (!rules.is_empty()).then_some(rules);
        }
        rules.push(reader.rule()?);
    }
}

struct Reader<'p> {
    rest: &'p str,
    depth: u32,
}

impl Reader<'_> {
    /// Skips the separators between rules and between actions.
    fn skip(&mut self) {
        self.rest = self
            .rest
            .trim_start_matches(|it: char| it == ';' || it.is_whitespace());
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start_matches([' ', '\t']);
        match rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Consumes a word, unless it is the beginning of a longer one.
    fn eat_word(&mut self, word: &str) -> bool {
        let before = self.rest;
        if self.eat(word) && !self.rest.starts_with(is_name_letter) {
            return true;
        }
        self.rest = before;
        false
    }

    fn rule(&mut self) -> Option<Rule> {
        let pattern = if self.rest.starts_with('{') {
            Pattern::Line(Condition::Always)
        } else if self.eat_word("BEGIN") {
            Pattern::Begin
        } else if self.eat_word("END") {
            Pattern::End
        } else {
            let from = self.any()?;
            if self.eat(",") {
                let to = self.any()?;
                Pattern::Range {
                    from,
                    to,
                    is_inside: false,
                }
            } else {
                Pattern::Line(from)
            }
        };
        let actions = if self.eat("{") {
            self.actions()?
        } else {
            vec![Action::Print(vec![line()])]
        };
        Some(Rule { pattern, actions })
    }

    fn actions(&mut self) -> Option<Vec<Action>> {
        let mut actions = Vec::new();
        loop {
            self.skip();
            if self.eat("}") {
                return Some(actions);
            }
            actions.push(self.action()?);
            let rest = self.rest.trim_start_matches([' ', '\t']);
            if !rest.starts_with([';', '\n', '}']) {
                return None;
            }
        }
    }

    fn action(&mut self) -> Option<Action> {
        if self.eat_word("next") {
            return Some(Action::Next);
        }
        if self.eat_word("printf") {
            let mut values = self.list()?.into_iter();
            let format = values.next()?;
            return Some(Action::Printf(format, values.collect()));
        }
        if self.eat_word("print") {
            let mut values = self.list()?;
            if values.is_empty() {
                values.push(line());
            }
            return Some(Action::Print(values));
        }
        let name = self.name()?;
        let own = || Box::new(Value::Name(name.clone()));
        let one = || Box::new(Value::Text("1".to_owned()));
        let value = if self.eat("++") {
            Value::Sum(own(), '+', one())
        } else if self.eat("+=") {
            Value::Sum(own(), '+', Box::new(self.value()?))
        } else if self.eat("=") {
            self.value()?
        } else {
            return None;
        };
        Some(Action::Set(name, value))
    }

    /// Values separated by commas, with or without parentheses around them.
    fn list(&mut self) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        let before = self.rest;
        // `print ($1) $2` is one value.
        if self.eat("(") && self.values(&mut values).is_some() && self.eat(")") {
            let rest = self.rest.trim_start_matches([' ', '\t']);
            if rest.starts_with([';', '\n', '}']) {
                return Some(values);
            }
        }
        values.clear();
        self.rest = before;
        if self
            .rest
            .trim_start_matches([' ', '\t'])
            .starts_with([';', '\n', '}'])
        {
            return Some(values);
        }
        self.values(&mut values)?;
        Some(values)
    }

    fn values(&mut self, values: &mut Vec<Value>) -> Option<()> {
        values.push(self.value()?);
        while self.eat(",") {
            values.push(self.value()?);
        }
        Some(())
    }

    fn any(&mut self) -> Option<Condition> {
        let mut any = vec![self.all()?];
        while self.eat("||") {
            any.push(self.all()?);
        }
        single(any, Condition::Any)
    }

    fn all(&mut self) -> Option<Condition> {
        let mut all = vec![self.condition()?];
        while self.eat("&&") {
            all.push(self.condition()?);
        }
        single(all, Condition::All)
    }

    fn condition(&mut self) -> Option<Condition> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let condition = self.condition_within();
        self.depth -= 1;
        condition
    }

    fn condition_within(&mut self) -> Option<Condition> {
        if self.eat("!") {
            return Some(Condition::Not(Box::new(self.condition()?)));
        }
        if self.eat("/") {
            return Some(Condition::Matches(line(), self.regex()?));
        }
        let value = self.value()?;
        if self.eat("!~") {
            let matches = Condition::Matches(value, self.pattern()?);
            return Some(Condition::Not(Box::new(matches)));
        }
        if self.eat("~") {
            return Some(Condition::Matches(value, self.pattern()?));
        }
        let operator = COMPARISONS.into_iter().find(|operator| self.eat(operator));
        Some(match operator {
            Some(operator) => Condition::Compares(value, operator, self.value()?),
            None => Condition::IsSet(value),
        })
    }

    /// A regular expression between slashes or quotes.
    fn pattern(&mut self) -> Option<Regex> {
        if self.eat("/") {
            return self.regex();
        }
        self.eat("\"").then_some(())?;
        let (text, rest) = until_mark(self.rest, '"')?;
        self.rest = rest;
        Regex::new(&text).ok()
    }

    /// A regular expression after its opening slash.
    fn regex(&mut self) -> Option<Regex> {
        let (text, rest) = until_mark(self.rest, '/')?;
        self.rest = rest;
        Regex::new(&text).ok()
    }

    /// Concatenated values.
    fn value(&mut self) -> Option<Value> {
        let mut joined = vec![self.sum()?];
        loop {
            let rest = self.rest.trim_start_matches([' ', '\t']);
            let goes_on = rest.starts_with(['$', '"', '(']) || rest.starts_with(is_name_letter);
            if !goes_on {
                break;
            }
            joined.push(self.sum()?);
        }
        match joined.len() {
            1 => joined.pop(),
            _ => Some(Value::Joined(joined)),
        }
    }

    fn sum(&mut self) -> Option<Value> {
        let mut value = self.atom()?;
        while let Some(operator) = self.operator(['+', '-']) {
            value = Value::Sum(Box::new(value), operator, Box::new(self.atom()?));
        }
        Some(value)
    }

    fn operator(&mut self, operators: [char; 2]) -> Option<char> {
        let mut operators = operators.into_iter();
        operators.find(|operator| self.eat(operator.encode_utf8(&mut [0; 4])))
    }

    fn atom(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = if self.eat("$") {
            Value::Field(Box::new(self.atom()?))
        } else if self.eat("(") {
            let value = self.value()?;
            self.eat(")").then_some(value)?
        } else if self.eat("\"") {
            let (text, rest) = until_mark(self.rest, '"')?;
            self.rest = rest;
            Value::Text(unescaped(&text))
        } else if let Some(name) = self.name() {
            Value::Name(name)
        } else {
            let rest = self.rest.trim_start_matches([' ', '\t']);
            let behind = rest.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.');
            let number = rest.strip_suffix(behind)?;
            number.parse::<f64>().ok()?;
            self.rest = behind;
            Value::Text(number.to_owned())
        };
        self.depth -= 1;
        Some(value)
    }

    /// The name of a variable; functions are not simulated.
    fn name(&mut self) -> Option<String> {
        let rest = self.rest.trim_start_matches([' ', '\t']);
        let behind = rest.trim_start_matches(is_name_letter);
        let name = rest.strip_suffix(behind)?;
        let is_name = name.starts_with(|it: char| !it.is_ascii_digit())
            && !behind.starts_with(['(', '['])
            && !matches!(
                name,
                "if" | "for" | "while" | "getline" | "print" | "printf" | "next"
            );
        if !is_name {
            return None;
        }
        self.rest = behind;
        Some(name.to_owned())
    }
}

fn line() -> Value {
    Value::Field(Box::new(Value::Text("0".to_owned())))
}

fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// A single condition unchanged, several joined.
fn single(mut all: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Option<Condition> {
    match all.len() {
        1 => all.pop(),
        _ => Some(join(all)),
    }
}
