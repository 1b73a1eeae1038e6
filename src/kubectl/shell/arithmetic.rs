//! `$((…))`, `((…))`, `let` and the three parts of `for ((…; …; …))`: integers, as bash reckons with them.
//! Not simulated: bits, powers, other bases, arrays.

use super::lex;
use super::run::Run;
use crate::kubectl::Output;

/// Nesting that is followed.
const MAX_DEPTH: u32 = 200;

/// Pairs before their beginnings, for each is tried in this order.
const ASSIGNING: [&str; 6] = ["+=", "-=", "*=", "/=", "%=", "="];

impl Run<'_> {
    /// The value of an expression; variables change as it says. Nothing is 0.
    ///
    /// # Errors
    /// What bash says behind `bash: ((: `.
    pub(crate) fn reckon(&mut self, text: &str) -> Result<i64, String> {
        let word = lex::expandable(text);
        let text = self.text(&word);
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Ok(0);
        }
        let mut sum = Sum {
            rest: trimmed,
            depth: 0,
            counts: true,
            run: self,
        };
        let value = sum.all();
        let rest = sum.rest;
        match value {
            Ok(value) if rest.is_empty() => Ok(value),
            Ok(_) => Err(format!(
                "{trimmed}: syntax error in expression (error token is \"{rest}\")"
            )),
            Err(why) => Err(format!("{trimmed}: {why} (error token is \"{rest}\")")),
        }
    }

    /// `((…))`: ends well if the value is not 0.
    pub(crate) fn reckoned(&mut self, text: &str) -> Output {
        match self.reckon(text) {
            Ok(value) => Output {
                code: i32::from(value == 0),
                ..Output::default()
            },
            Err(why) => Output::failure(&format!("bash: ((: {why}"), 1),
        }
    }
}

/// What is left of an expression.
struct Sum<'t, 'r, 's> {
    rest: &'t str,
    depth: u32,
    /// Whether what is read happens: not behind `0 &&`.
    counts: bool,
    run: &'r mut Run<'s>,
}

type Value = Result<i64, &'static str>;

const OVERFLOW: &str = "overflow";

impl<'t> Sum<'t, '_, '_> {
    fn eat(&mut self, operator: &str) -> bool {
        match self.rest.strip_prefix(operator) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn one_of(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        operators
            .iter()
            .copied()
            .find(|operator| self.eat(operator))
    }

    fn name(&mut self) -> Option<&'t str> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_letter(letter));
        let (name, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
        if !super::parse::is_name(name) {
            return None;
        }
        self.rest = rest.trim_start();
        Some(name)
    }

    fn get(&self, name: &str) -> i64 {
        let text = self.run.variable(name).unwrap_or_default();
        text.trim().parse().unwrap_or_default()
    }

    fn set(&mut self, name: &str, value: i64) {
        if self.counts {
            let variables = &mut self.run.shell.variables;
            variables.insert(name.to_owned(), value.to_string());
        }
    }

    /// With commas.
    fn all(&mut self) -> Value {
        let mut value = self.assigned()?;
        while self.eat(",") {
            value = self.assigned()?;
        }
        Ok(value)
    }

    fn assigned(&mut self) -> Value {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression recursion level exceeded");
        }
        let before = self.rest;
        let value = match self.name() {
            Some(name) if !self.rest.starts_with("==") => match self.one_of(&ASSIGNING) {
                Some(operator) => {
                    let other = self.assigned()?;
                    let value = match operator.strip_suffix('=') {
                        Some("") | None => other,
                        Some(operator) => self.combined(operator, self.get(name), other)?,
                    };
                    self.set(name, value);
                    Ok(value)
                }
                None => {
                    self.rest = before;
                    self.chosen()
                }
            },
            _ => {
                self.rest = before;
                self.chosen()
            }
        };
        self.depth -= 1;
        value
    }

    /// `A ? B : C`.
    fn chosen(&mut self) -> Value {
        let value = self.any()?;
        if !self.eat("?") {
            return Ok(value);
        }
        let counted = self.counts;
        self.counts = counted && value != 0;
        let first = self.all()?;
        if !self.eat(":") {
            return Err("`:' expected for conditional expression");
        }
        self.counts = counted && value == 0;
        let second = self.assigned()?;
        self.counts = counted;
        Ok(if value == 0 { second } else { first })
    }

    fn any(&mut self) -> Value {
        let mut value = self.both()?;
        while self.eat("||") {
            let counted = self.counts;
            self.counts = counted && value == 0;
            let other = self.both()?;
            self.counts = counted;
            value = i64::from(value != 0 || other != 0);
        }
        Ok(value)
    }

    fn both(&mut self) -> Value {
        let mut value = self.compared()?;
        while self.eat("&&") {
            let counted = self.counts;
            self.counts = counted && value != 0;
            let other = self.compared()?;
            self.counts = counted;
            value = i64::from(value != 0 && other != 0);
        }
        Ok(value)
    }

    fn compared(&mut self) -> Value {
        let mut value = self.terms()?;
        while let Some(operator) = self.one_of(&["==", "!=", "<=", ">=", "<", ">"]) {
            let other = self.terms()?;
            value = i64::from(match operator {
                "==" => value == other,
                "!=" => value != other,
                "<=" => value <= other,
                ">=" => value >= other,
                "<" => value < other,
                _ => value > other,
            });
        }
        Ok(value)
    }

    fn terms(&mut self) -> Value {
        let mut value = self.factors()?;
        while let Some(operator) = self.one_of(&["+", "-"]) {
            let other = self.factors()?;
            value = self.combined(operator, value, other)?;
        }
        Ok(value)
    }

    fn factors(&mut self) -> Value {
        let mut value = self.signed()?;
        while let Some(operator) = self.one_of(&["*", "/", "%"]) {
            let other = self.signed()?;
            value = self.combined(operator, value, other)?;
        }
        Ok(value)
    }

    fn combined(&self, operator: &str, one: i64, other: i64) -> Value {
        if matches!(operator, "/" | "%") && other == 0 {
            return if self.counts {
                Err("division by 0")
            } else {
                Ok(0)
            };
        }
        let value = match operator {
            "+" => one.checked_add(other),
            "-" => one.checked_sub(other),
            "*" => one.checked_mul(other),
            "/" => one.checked_div(other),
            _ => one.checked_rem(other),
        };
        value.ok_or(OVERFLOW)
    }

    fn signed(&mut self) -> Value {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression recursion level exceeded");
        }
        let value = match self.one_of(&["++", "--", "!", "-", "+"]) {
            Some(step @ ("++" | "--")) => {
                let Some(name) = self.name() else {
                    return Err("syntax error: operand expected");
                };
                let step = if step == "++" { 1 } else { -1 };
                let value = self.get(name).saturating_add(step);
                self.set(name, value);
                Ok(value)
            }
            Some("!") => self.signed().map(|value| i64::from(value == 0)),
            Some("-") => self.signed()?.checked_neg().ok_or(OVERFLOW),
            Some(_) => self.signed(),
            None => self.atom(),
        };
        self.depth -= 1;
        value
    }

    fn atom(&mut self) -> Value {
        if self.eat("(") {
            let value = self.all()?;
            return if self.eat(")") {
                Ok(value)
            } else {
                Err("missing `)'")
            };
        }
        if let Some(name) = self.name() {
            let value = self.get(name);
            if let Some(step) = self.one_of(&["++", "--"]) {
                let step = if step == "++" { 1 } else { -1 };
                self.set(name, value.saturating_add(step));
            }
            return Ok(value);
        }
        let is_other = |letter: char| !letter.is_ascii_digit();
        let digits = self.rest.find(is_other).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at_checked(digits).unwrap_or_default();
        let number = number
            .parse()
            .map_err(|_| "syntax error: operand expected")?;
        self.rest = rest.trim_start();
        Ok(number)
    }
}
