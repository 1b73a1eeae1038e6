//! Semantic versions, as `blang/semver` v4 parses and compares them.

use std::cmp::Ordering;

/// A version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pre: Vec<Pre>,
}

/// One part of a pre-release.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Pre {
    Number(u64),
    Text(String),
}

impl Version {
    /// Parses a version in its strict form.
    ///
    /// # Errors
    /// The message of `semver.Parse`.
    pub fn parse(text: &str) -> Result<Version, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, rest] = parts.as_slice() else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let major = number(major, "major")?;
        let minor = number(minor, "minor")?;
        let (rest, build) = match rest.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (*rest, None),
        };
        let (patch, pre) = match rest.split_once('-') {
            Some((patch, pre)) => (patch, Some(pre)),
            None => (rest, None),
        };
        let patch = number(patch, "patch")?;
        let mut version = Version {
            major,
            minor,
            patch,
            pre: Vec::new(),
        };
        for part in pre.into_iter().flat_map(|pre| pre.split('.')) {
            version.pre.push(pre_release(part)?);
        }
        for part in build.into_iter().flat_map(|build| build.split('.')) {
            if part.is_empty() {
                return Err("Build meta data is empty".to_owned());
            }
            if !part.chars().all(is_version_letter) {
                return Err(format!(
                    "Invalid character(s) found in build meta data {part:?}"
                ));
            }
        }
        Ok(version)
    }

    /// Parses a version after completing and cleaning it, as `semver(text, true)` does: `v1.0` is `1.0.0`.
    ///
    /// # Errors
    /// The message of `semver.Parse`.
    pub fn parse_tolerant(text: &str) -> Result<Version, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let split = text.find(['-', '+']).unwrap_or(text.len());
        let (core, rest) = text.split_at(split);
        let parts: Vec<&str> = core.split('.').collect();
        if parts.len() > 3 {
            return Version::parse(text);
        }
        let mut numbers: Vec<String> = Vec::new();
        for part in &parts {
            let trimmed = part.trim_start_matches('0');
            numbers.push(match (trimmed, part.is_empty()) {
                ("", false) => "0".to_owned(),
                (trimmed, _) => trimmed.to_owned(),
            });
        }
        while numbers.len() < 3 {
            numbers.push("0".to_owned());
        }
        Version::parse(&format!("{}{rest}", numbers.join(".")))
    }

    /// The order of precedence: build metadata does not count.
    pub fn precedence(&self, other: &Version) -> Ordering {
        let core = (self.major, self.minor, self.patch);
        core.cmp(&(other.major, other.minor, other.patch))
            .then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_pre(&self.pre, &other.pre),
            })
    }
}

fn compare_pre(a: &[Pre], b: &[Pre]) -> Ordering {
    for (a, b) in a.iter().zip(b) {
        let order = match (a, b) {
            (Pre::Number(a), Pre::Number(b)) => a.cmp(b),
            (Pre::Text(a), Pre::Text(b)) => a.cmp(b),
            (Pre::Number(_), Pre::Text(_)) => Ordering::Less,
            (Pre::Text(_), Pre::Number(_)) => Ordering::Greater,
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

fn is_version_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-'
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    if !text.chars().all(|letter| letter.is_ascii_digit()) {
        let name = capitalized(what);
        return Err(
            format!("Invalid character(s) found in {what} number {text:?}").replace("Major", &name),
        );
    }
    if text.len() > 1 && text.starts_with('0') {
        let name = capitalized(what);
        return Err(format!(
            "{name} number must not contain leading zeroes {text:?}"
        ));
    }
    text.parse().map_err(|_| {
        let reason = if text.is_empty() {
            "invalid syntax"
        } else {
            "value out of range"
        };
        format!("strconv.ParseUint: parsing {text:?}: {reason}")
    })
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}

fn pre_release(text: &str) -> Result<Pre, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.chars().all(|letter| letter.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {text:?}"
            ));
        }
        return text
            .parse()
            .map(Pre::Number)
            .map_err(|_| format!("strconv.ParseUint: parsing {text:?}: value out of range"));
    }
    if text.chars().all(is_version_letter) {
        return Ok(Pre::Text(text.to_owned()));
    }
    Err(format!("Invalid character(s) found in prerelease {text:?}"))
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (index, part) in self.pre.iter().enumerate() {
            let sign = if index == 0 { '-' } else { '.' };
            match part {
                Pre::Number(number) => write!(f, "{sign}{number}")?,
                Pre::Text(text) => write!(f, "{sign}{text}")?,
            }
        }
        Ok(())
    }
}
