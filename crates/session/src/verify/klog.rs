//! Lines of a log in klog's text format.
//!
//! `I1128 20:31:51.166547   11226 schedule_one.go:107] "About to try and schedule pod" pod="default/web"`. A line may have
//! something before it, as a container runtime writes. Values that have several lines stand between `<` and ` >`.

use berth_base::go_string;

/// What stands between the place in the source and the message.
const PLACE_END: &str = "] \"";

/// A line with a message and values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub message: &'a str,
    /// `key=value key="quoted" …`, to the end of the last value.
    values: &'a str,
}

/// All lines with a quoted message, in order; others are skipped.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let line = rest.split('\n').next().unwrap_or_default();
            let Some((message, values)) = message(line) else {
                rest = rest.get(line.len() + 1..).unwrap_or_default();
                continue;
            };
            let start = line.len() - values.len();
            let end = end_of_values(rest, line.len());
            let values = rest.get(start..end).unwrap_or_default();
            rest = rest.get(end + 1..).unwrap_or_default();
            return Some(Line { message, values });
        }
        None
    })
}

/// Where the values end that begin in a line of this length.
fn end_of_values(text: &str, line: usize) -> usize {
    let mut end = line;
    while text.get(..end).is_some_and(|line| line.ends_with("=<")) {
        let Some(after) = text.get(end..).and_then(|rest| rest.find("\n >")) else {
            break;
        };
        let last = end + after + 1;
        let length = text.get(last..).and_then(|rest| rest.find('\n'));
        end = length.map_or(text.len(), |length| last + length);
    }
    end
}

/// The message of a line, and what follows it.
fn message(line: &str) -> Option<(&str, &str)> {
    let (place, rest) = line.split_once(PLACE_END)?;
    let (_, source) = place.rsplit_once(' ')?;
    let is_source = source.split_once(".go:").is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if !is_source {
        return None;
    }
    rest.split_once('"')
}

impl Line<'_> {
    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<String> {
        let mut rest = self.values;
        loop {
            let (before, after) = rest.split_once('=')?;
            let found = before.rsplit(' ').next().unwrap_or(before);
            let (value, left) = value(after)?;
            if found == key {
                return Some(value);
            }
            rest = left;
        }
    }

    /// A number.
    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.value(key)?.parse().ok()
    }
}

/// The value at the beginning of a text, and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, end) = go_string::read(quoted).ok()?;
        return Some((value, quoted.get(end..)?));
    }
    if let Some(lines) = text.strip_prefix("<\n") {
        let (lines, left) = lines.split_once("\n >")?;
        let lines = lines
            .lines()
            .map(|line| line.strip_prefix('\t').unwrap_or(line));
        return Some((lines.collect::<Vec<&str>>().join("\n"), left));
    }
    let end = text.find(' ').unwrap_or(text.len());
    let (value, left) = text.split_at_checked(end)?;
    Some((value.to_owned(), left))
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn messages_and_values_are_found_among_other_lines() {
        let log = "\
I1128 20:31:38.140221   11082 flags.go:64] FLAG: --v=\"10\"
I1128 20:31:38.144775   11082 round_trippers.go:527] \"Request\" curlCommand=<
\tcurl -v -XGET 'https://127.0.0.1:29012/api'] \"Attempting to schedule pod\" pod=\"default/no\"
 >
2026-11-28T20:31:51Z stderr F I1128 20:31:51.1   1 schedule_one.go:1239] \"Unable to schedule\" pod=\"a/b\" err=\"x \\\"y\\\" \\u00e9\\n\"
E1128 20:31:51.1   1 schedule_one.go:1] \"Error\" err=<
\tfirst
\tsecond
 > pod=\"a/b\" score=-3
not a line";
        let all: Vec<_> = lines(log).collect();
        let messages: Vec<&str> = all.iter().map(|line| line.message).collect();
        assert_eq!(messages, ["Request", "Unable to schedule", "Error"]);
        assert_eq!(all[1].value("err").as_deref(), Some("x \"y\" é\n"));
        assert_eq!(all[1].value("pod").as_deref(), Some("a/b"));
        assert_eq!(all[1].value("node"), None);
        assert_eq!(all[2].value("err").as_deref(), Some("first\nsecond"));
    }

    #[test]
    fn values_behind_several_lines_and_odd_keys_are_read() {
        let log = "I1 1 1 a.go:1] \"m\" event=\"E\" unschedulable plugins={\"A\":{}} hint=0 node=\"n\"\n\
            I1 1 1 a.go:1] \"m\" err=<\n\tone\n > score=7\nI1 1 1 a.go:1] \"m\" open=\"no end";
        let all: Vec<_> = lines(log).collect();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].value("plugins").as_deref(), Some("{\"A\":{}}"));
        assert_eq!(all[0].number::<u32>("hint"), Some(0));
        assert_eq!(all[0].value("node").as_deref(), Some("n"));
        assert_eq!(all[1].number::<i64>("score"), Some(7));
        assert_eq!(all[2].value("open"), None);
    }
}
