//! What a command printed, in the order in which it was printed.

use super::Output;

/// A part of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed<'a> {
    Out(&'a str),
    Err(&'a str),
}

/// Where a part of standard error was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StderrPart {
    /// Bytes of standard output before it.
    after: usize,
    /// Bytes of standard error up to its end.
    until: usize,
}

impl Output {
    /// Notes that standard error was printed here, unless it is noted already.
    pub(super) fn mark_stderr(&mut self) {
        let until = self.stderr.len();
        if self.stderr_parts.last().map_or(0, |last| last.until) < until {
            let after = self.stdout.len();
            self.stderr_parts.push(StderrPart { after, until });
        }
    }

    /// Adds later output; its exit code is left out.
    pub fn push(&mut self, later: &Output) {
        self.mark_stderr();
        let (after, until) = (self.stdout.len(), self.stderr.len());
        self.stderr_parts
            .extend(later.stderr_parts.iter().map(|part| StderrPart {
                after: part.after + after,
                until: part.until + until,
            }));
        self.stdout.push_str(&later.stdout);
        self.stderr.push_str(&later.stderr);
    }

    /// Both streams in one text.
    pub fn all(&self) -> String {
        let parts = self.printed().into_iter().map(|part| match part {
            Printed::Out(text) | Printed::Err(text) => text,
        });
        parts.collect()
    }

    /// The output in order. Standard error of which it is not known where it was printed comes last.
    pub fn printed(&self) -> Vec<Printed<'_>> {
        let mut all = Vec::new();
        let (mut out, mut err) = (self.stdout.as_str(), self.stderr.as_str());
        let (mut out_from, mut err_from) = (0, 0);
        for part in &self.stderr_parts {
            let after = part.after.saturating_sub(out_from).min(out.len());
            let until = part.until.saturating_sub(err_from).min(err.len());
            let parts = out.split_at_checked(after).zip(err.split_at_checked(until));
            let Some(((before, rest), (line, later))) = parts else {
                continue;
            };
            all.extend([Printed::Out(before), Printed::Err(line)]);
            (out, err) = (rest, later);
            (out_from, err_from) = (out_from + after, err_from + until);
        }
        all.extend([Printed::Out(out), Printed::Err(err)]);
        all.retain(|part| !matches!(part, Printed::Out("") | Printed::Err("")));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Printed::{Err, Out};
    use crate::Output;

    #[test]
    fn standard_error_comes_where_it_was_printed() {
        let mut output = Output::default();
        output.warn("first");
        output.line("a");
        output.complain("between");
        output.line("b");
        assert_eq!(
            output.printed(),
            [Err("first\n"), Out("a\n"), Err("between\n"), Out("b\n")]
        );
        let mut later = Output::text("c\n");
        later.stderr.push_str("last\n");
        later.push(&output);
        assert_eq!(later.all(), "c\nlast\nfirst\na\nbetween\nb\n");
    }

    #[test]
    fn output_that_is_replaced_comes_after_what_was_said_before() {
        let mut output = Output::default();
        output.warn("deprecated");
        output.stdout = "NAME\n".to_owned();
        assert_eq!(output.printed(), [Err("deprecated\n"), Out("NAME\n")]);
    }
}
