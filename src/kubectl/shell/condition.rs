//! `[[ … ]]`: words that are neither split nor made file names, with operators between them.

use super::files::fits;
use super::parse::bare;
use super::programs;
use super::run::Run;
use super::syntax::Word;
use crate::kubectl::Output;

/// What is left of a condition.
struct Condition<'a, 'r> {
    words: &'a [Word],
    run: &'a mut Run<'r>,
}

impl Run<'_> {
    pub(crate) fn condition(&mut self, words: &[Word]) -> Output {
        let mut condition = Condition { words, run: self };
        let is_so = condition.any();
        match is_so {
            Ok(is_so) if condition.words.is_empty() => Output {
                code: i32::from(!is_so),
                ..Output::default()
            },
            Ok(_) => Output::failure("bash: syntax error in conditional expression", 2),
            Err(complaint) => Output::failure(&complaint, 2),
        }
    }
}

impl<'a> Condition<'a, '_> {
    fn operator(&self, place: usize) -> &'a str {
        self.words.get(place).and_then(bare).unwrap_or_default()
    }

    fn eat(&mut self, operator: &str) -> bool {
        let is_it = self.operator(0) == operator;
        if is_it {
            self.skip(1);
        }
        is_it
    }

    fn skip(&mut self, count: usize) {
        self.words = self.words.get(count..).unwrap_or_default();
    }

    fn any(&mut self) -> Result<bool, String> {
        let mut is_so = self.all()?;
        while self.eat("||") {
            is_so |= self.all()?;
        }
        Ok(is_so)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut is_so = self.one()?;
        while self.eat("&&") {
            is_so &= self.one()?;
        }
        Ok(is_so)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.eat("!") {
            return Ok(!self.one()?);
        }
        if self.eat("(") {
            let is_so = self.any()?;
            self.eat(")");
            return Ok(is_so);
        }
        let is_end = |operator: &str| matches!(operator, "" | "&&" | "||" | ")");
        let operator = self.operator(1);
        let has_two = self.words.len() >= 3 && !is_end(operator);
        if has_two && matches!(operator, "=" | "==" | "!=" | "=~" | "<" | ">") {
            let (text, pattern) = (self.text(0), self.text(2));
            let is_plain = self.words.get(2).and_then(bare).is_none();
            self.skip(3);
            return match operator {
                "=~" => Self::matches(&text, &pattern),
                "<" => Ok(text < pattern),
                ">" => Ok(text > pattern),
                _ => {
                    let is_it = if is_plain {
                        text == pattern
                    } else {
                        fits(&pattern, &text)
                    };
                    Ok(is_it == (operator != "!="))
                }
            };
        }
        // The rest is as in `[ … ]`.
        let count = if has_two && operator.starts_with('-') {
            3
        } else if self.operator(0).starts_with('-') && self.words.len() > 1 {
            2
        } else {
            1
        };
        let words: Vec<String> = (0..count).map(|place| self.text(place)).collect();
        self.skip(count);
        let output = programs::test(self.run, &words);
        if output.code > 1 {
            return Err(output.stderr.trim_end().to_owned());
        }
        Ok(output.code == 0)
    }

    fn text(&mut self, place: usize) -> String {
        let word = self.words.get(place);
        word.map_or_else(String::new, |word| self.run.text(word))
    }

    fn matches(text: &str, pattern: &str) -> Result<bool, String> {
        match regex_lite::Regex::new(pattern) {
            Ok(pattern) => Ok(pattern.is_match(text)),
            Err(_) => Err(format!("bash: [[: invalid regular expression `{pattern}'")),
        }
    }
}
