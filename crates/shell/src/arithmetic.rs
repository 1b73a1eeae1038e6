//! `$((…))`: integers and variables with `+`, `-`, `*`, `/`, `%` and parentheses.

/// Maximum nesting of parentheses and signs.
const MAX_DEPTH: u32 = 100;

/// The value of an expression; an empty one is 0.
///
/// # Errors
/// The error, prefixed with the expression.
pub(super) fn value(text: &str, variable: &dyn Fn(&str) -> String) -> Result<i64, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(0);
    }
    let mut sum = Sum {
        rest: text,
        depth: 0,
        variable,
    };
    let value = sum.terms();
    match value {
        Ok(value) if sum.rest.is_empty() => Ok(value),
        Ok(_) => Err(format!(
            "{text}: {:?} is not simulated here: only + - * / % and brackets are",
            sum.rest
        )),
        Err(why) => Err(format!("{text}: {why} (error token is \"{}\")", sum.rest)),
    }
}

/// The unread rest of an expression.
struct Sum<'t> {
    rest: &'t str,
    depth: u32,
    variable: &'t dyn Fn(&str) -> String,
}

impl Sum<'_> {
    fn one_of(&mut self, operators: &[char]) -> Option<char> {
        let operator = self
            .rest
            .chars()
            .next()
            .filter(|it| operators.contains(it))?;
        self.rest = self.rest.get(1..)?.trim_start();
        Some(operator)
    }

    fn terms(&mut self) -> Result<i64, &'static str> {
        let mut value = self.factors()?;
        while let Some(operator) = self.one_of(&['+', '-']) {
            let other = self.factors()?;
            let result = if operator == '+' {
                value.checked_add(other)
            } else {
                value.checked_sub(other)
            };
            value = result.ok_or("overflow")?;
        }
        Ok(value)
    }

    fn factors(&mut self) -> Result<i64, &'static str> {
        let mut value = self.atom()?;
        while let Some(operator) = self.one_of(&['*', '/', '%']) {
            let other = self.atom()?;
            if operator != '*' && other == 0 {
                return Err("division by 0");
            }
            let result = match operator {
                '*' => value.checked_mul(other),
                '/' => value.checked_div(other),
                _ => value.checked_rem(other),
            };
            value = result.ok_or("overflow")?;
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<i64, &'static str> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression recursion level exceeded");
        }
        let value = match self.one_of(&['-', '+', '(']) {
            Some('-') => self.atom()?.checked_neg().ok_or("overflow")?,
            Some('+') => self.atom()?,
            Some(_) => {
                let value = self.terms()?;
                self.one_of(&[')']).ok_or("missing `)'")?;
                value
            }
            None => self.operand()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    /// A number, or a variable.
    fn operand(&mut self) -> Result<i64, &'static str> {
        let is_other = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
        let end = self.rest.find(is_other).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        let value = if super::parse::is_name(word) {
            (self.variable)(word).trim().parse().unwrap_or_default()
        } else {
            word.parse().map_err(|_| "syntax error: operand expected")?
        };
        self.rest = rest.trim_start();
        Ok(value)
    }
}
