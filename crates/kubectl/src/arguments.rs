//! Parses the words after a command as cobra and pflag do: flags in any position and every spelling.

use std::collections::BTreeMap;

use berth_shell::duration_ms;

/// The kind of value that a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// No value, or `=true` or `=false`.
    Switch,
    /// One word; the last occurrence wins.
    Word,
    /// One word per occurrence; all are kept.
    Words,
    /// An optional word after `=`, and its default.
    Maybe(&'static str),
    Number,
    /// A Go duration: `1m30s`.
    Duration,
}

/// A flag of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    pub name: &'static str,
    pub short: Option<char>,
    pub takes: Takes,
}

impl Flag {
    const fn new(name: &'static str, takes: Takes) -> Self {
        Flag {
            name,
            short: None,
            takes,
        }
    }

    /// A flag without a value.
    pub const fn switch(name: &'static str) -> Self {
        Flag::new(name, Takes::Switch)
    }

    /// A flag with a word.
    pub const fn word(name: &'static str) -> Self {
        Flag::new(name, Takes::Word)
    }

    /// A flag that may be given several times.
    pub const fn words(name: &'static str) -> Self {
        Flag::new(name, Takes::Words)
    }

    /// A flag with an optional word after `=`, and its default.
    pub const fn maybe(name: &'static str, otherwise: &'static str) -> Self {
        Flag::new(name, Takes::Maybe(otherwise))
    }

    /// A flag with an integer.
    pub const fn number(name: &'static str) -> Self {
        Flag::new(name, Takes::Number)
    }

    /// A flag with a duration.
    pub const fn duration(name: &'static str) -> Self {
        Flag::new(name, Takes::Duration)
    }

    /// Adds a one-letter form.
    #[must_use]
    pub const fn short(self, short: char) -> Self {
        Flag {
            short: Some(short),
            ..self
        }
    }
}

/// Flags that every command takes.
pub const GLOBAL: &[Flag] = &[
    Flag::word("namespace").short('n'),
    Flag::word("context"),
    Flag::word("cluster"),
    Flag::word("user"),
    Flag::word("kubeconfig"),
    Flag::word("server").short('s'),
    Flag::word("as"),
    Flag::words("as-group"),
    Flag::word("as-uid"),
    Flag::word("request-timeout"),
    Flag::word("cache-dir"),
    Flag::switch("insecure-skip-tls-verify"),
    Flag::switch("warnings-as-errors"),
    Flag::word("v").short('v'),
    Flag::switch("help").short('h'),
];

/// The parsed words of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Positional words in order, including those after `--`.
    pub words: Vec<String>,
    /// Number of words before `--`; `None` if there is no `--`.
    pub dash: Option<usize>,
    flags: BTreeMap<&'static str, Vec<String>>,
    /// Flags and their values, in order of occurrence.
    given: Vec<(&'static str, String)>,
}

impl Arguments {
    /// The flags and their values, in order of occurrence.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.given
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
    }

    /// The last value of a flag.
    pub fn word(&self, name: &str) -> Option<&str> {
        let values = self.flags.get(name)?;
        values.last().map(String::as_str)
    }

    /// All values of a flag.
    pub fn words(&self, name: &str) -> &[String] {
        self.flags.get(name).map_or(&[], Vec::as_slice)
    }

    /// All values of a flag, split at commas.
    pub fn list(&self, name: &str) -> Vec<&str> {
        let values = self.words(name).iter().flat_map(|value| value.split(','));
        values.filter(|value| !value.is_empty()).collect()
    }

    /// Whether a switch is on.
    pub fn is(&self, name: &str) -> bool {
        self.is_or(name, false)
    }

    /// Whether a switch is on; `otherwise` if it is not given.
    pub fn is_or(&self, name: &str, otherwise: bool) -> bool {
        let word = self.word(name);
        word.map_or(otherwise, |word| truth(word) == Some(true))
    }

    /// Whether a flag was given.
    pub fn has(&self, name: &str) -> bool {
        self.flags.contains_key(name)
    }

    /// The value of a flag with an integer.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.word(name)?.parse().ok()
    }

    /// The value of a flag with a duration, in milliseconds.
    pub fn duration_ms(&self, name: &str) -> Option<i64> {
        duration_ms(self.word(name)?)
    }

    /// The words before `--`.
    pub fn before_dash(&self) -> &[String] {
        let end = self.dash.unwrap_or(self.words.len());
        self.words.get(..end).unwrap_or_default()
    }

    /// The words after `--`.
    pub fn behind_dash(&self) -> &[String] {
        let start = self.dash.unwrap_or(self.words.len());
        self.words.get(start..).unwrap_or_default()
    }
}

/// A boolean as Go's `strconv.ParseBool` reads it.
fn truth(word: &str) -> Option<bool> {
    match word {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Parses words.
///
/// # Errors
/// pflag's error: an unknown flag, or a value that is missing or invalid.
pub fn parse(words: &[String], flags: &[&[Flag]]) -> Result<Arguments, String> {
    let mut parser = Parser {
        flags,
        found: Arguments::default(),
        rest: words.iter(),
    };
    while let Some(word) = parser.rest.next() {
        if word == "--" {
            parser.found.dash = Some(parser.found.words.len());
            parser.found.words.extend(parser.rest.cloned());
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            parser.long(word, long)?;
        } else if word.len() > 1
            && let Some(shorts) = word.strip_prefix('-')
        {
            parser.shorts(shorts)?;
        } else {
            parser.found.words.push(word.clone());
        }
    }
    Ok(parser.found)
}

struct Parser<'a> {
    flags: &'a [&'a [Flag]],
    found: Arguments,
    rest: std::slice::Iter<'a, String>,
}

impl Parser<'_> {
    fn find(&self, fits: impl Fn(&Flag) -> bool) -> Option<Flag> {
        let all = self.flags.iter().flat_map(|flags| flags.iter());
        all.copied().find(|flag| fits(flag))
    }

    fn long(&mut self, word: &str, long: &str) -> Result<(), String> {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        if name.is_empty() || name.starts_with('-') {
            return Err(format!("bad flag syntax: {word}"));
        }
        let Some(flag) = self.find(|flag| flag.name == name) else {
            return Err(format!("unknown flag: --{name}"));
        };
        let value = match (value, flag.takes) {
            (Some(value), _) => value,
            (None, Takes::Switch) => "true".to_owned(),
            (None, Takes::Maybe(otherwise)) => otherwise.to_owned(),
            (None, _) => match self.rest.next() {
                Some(value) => value.clone(),
                None => return Err(format!("flag needs an argument: --{name}")),
            },
        };
        self.set(flag, value)
    }

    fn shorts(&mut self, shorts: &str) -> Result<(), String> {
        let mut letters = shorts.chars();
        while let Some(letter) = letters.next() {
            let Some(flag) = self.find(|flag| flag.short == Some(letter)) else {
                return Err(format!("unknown shorthand flag: {letter:?} in -{shorts}"));
            };
            let behind = letters.as_str();
            let value = match flag.takes {
                _ if behind.starts_with('=') => behind.get(1..).unwrap_or_default().to_owned(),
                Takes::Switch => {
                    self.set(flag, "true".to_owned())?;
                    continue;
                }
                Takes::Maybe(otherwise) => {
                    self.set(flag, otherwise.to_owned())?;
                    continue;
                }
                _ if !behind.is_empty() => behind.to_owned(),
                _ => match self.rest.next() {
                    Some(value) => value.clone(),
                    None => {
                        return Err(format!("flag needs an argument: {letter:?} in -{shorts}"));
                    }
                },
            };
            return self.set(flag, value);
        }
        Ok(())
    }

    fn set(&mut self, flag: Flag, value: String) -> Result<(), String> {
        let fault = match flag.takes {
            Takes::Switch if truth(&value).is_none() => Some(format!(
                "strconv.ParseBool: parsing {value:?}: invalid syntax"
            )),
            Takes::Number if value.parse::<i64>().is_err() => Some(format!(
                "strconv.ParseInt: parsing {value:?}: invalid syntax"
            )),
            Takes::Duration if duration_ms(&value).is_none() => {
                Some(format!("time: invalid duration {value:?}"))
            }
            _ => None,
        };
        if let Some(fault) = fault {
            let name = match flag.short {
                Some(short) => format!("-{short}, --{}", flag.name),
                None => format!("--{}", flag.name),
            };
            return Err(format!(
                "invalid argument {value:?} for {name:?} flag: {fault}"
            ));
        }
        self.found.given.push((flag.name, value.clone()));
        self.found.flags.entry(flag.name).or_default().push(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[
        Flag::word("output").short('o'),
        Flag::switch("all-namespaces").short('A'),
        Flag::switch("watch").short('w'),
        Flag::maybe("dry-run", "unchanged"),
        Flag::number("replicas"),
        Flag::duration("timeout"),
        Flag::words("filename").short('f'),
    ];

    fn parsed(line: &str) -> Result<Arguments, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse(&words, &[FLAGS, GLOBAL])
    }

    #[test]
    fn flags_parse_anywhere_and_in_every_spelling() {
        let found = parsed("pods -nshop a --output wide -Aw -f a.yaml -f=b.yaml --dry-run=client");
        let found = found.expect("they are known");
        assert_eq!(found.words, ["pods", "a"]);
        assert_eq!(found.word("namespace"), Some("shop"));
        assert_eq!(found.word("output"), Some("wide"));
        assert!(found.is("all-namespaces") && found.is("watch"));
        assert_eq!(found.words("filename"), ["a.yaml", "b.yaml"]);
        assert_eq!(found.word("dry-run"), Some("client"));
        let found = parsed("--dry-run x --watch=false --timeout 1m30s --replicas=-1 -- -o y");
        let found = found.expect("they are known");
        assert_eq!(found.word("dry-run"), Some("unchanged"));
        assert!(!found.is("watch") && found.has("watch"));
        assert_eq!(found.duration_ms("timeout"), Some(90_000));
        assert_eq!(found.number("replicas"), Some(-1));
        assert_eq!(found.before_dash(), ["x"]);
        assert_eq!(found.behind_dash(), ["-o", "y"]);
    }

    #[test]
    fn durations_parse_as_in_go() {
        for (text, ms) in [
            ("1m30s", Some(90_000)),
            ("1.5h", Some(5_400_000)),
            ("0", Some(0)),
            ("-1s", Some(-1_000)),
            ("250ms", Some(250)),
            (".5s", Some(500)),
            ("5", None),
            ("s", None),
            ("", None),
            ("1d", None),
        ] {
            assert_eq!(duration_ms(text), ms, "{text}");
        }
    }

    #[test]
    fn errors_match_pflag() {
        for (line, fault) in [
            ("--foo=1", "unknown flag: --foo"),
            ("-wz", "unknown shorthand flag: 'z' in -wz"),
            ("--output", "flag needs an argument: --output"),
            ("-wn", "flag needs an argument: 'n' in -wn"),
            (
                "--replicas x",
                "invalid argument \"x\" for \"--replicas\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
            ),
            (
                "--watch=x",
                "invalid argument \"x\" for \"-w, --watch\" flag: strconv.ParseBool: parsing \"x\": invalid syntax",
            ),
            (
                "--timeout=x",
                "invalid argument \"x\" for \"--timeout\" flag: time: invalid duration \"x\"",
            ),
        ] {
            assert_eq!(parsed(line), Err(fault.to_owned()), "{line}");
        }
    }
}
