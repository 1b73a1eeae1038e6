//! Words and their pseudonyms, which sort alike.

use std::collections::{BTreeMap, BTreeSet};

/// Words that every cluster has, sorted, and what the pseudonyms begin with whose words come behind: it sorts between this
/// word and the next, and is short, as values of labels have 63 characters at most. `latest` is what an image without a
/// tag means.
const KEPT: [(&str, &str); 9] = [
    ("cluster", "cm"),
    ("critical", "cs"),
    ("default", "e"),
    ("kube", "kv"),
    ("latest", "lb"),
    ("lease", "m"),
    ("node", "o"),
    ("public", "q"),
    ("system", "t"),
];

/// The same for words before all of them: names begin with a letter.
const FIRST: &str = "a";

#[derive(Debug, Default)]
pub struct Words {
    /// Names of StatefulSets: the numbers of their Pods stay.
    sets: BTreeSet<String>,
    pseudonyms: BTreeMap<String, String>,
}

impl Words {
    pub fn of_sets(sets: BTreeSet<&str>) -> Self {
        Self {
            sets: sets.into_iter().map(str::to_owned).collect(),
            pseudonyms: BTreeMap::new(),
        }
    }

    /// Adds the words of a text that are to be renamed.
    pub fn collect(&self, text: &str, met: &mut BTreeSet<String>) {
        let (text, _) = self.parted(text);
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty() && !is_kept(word));
        met.extend(words.map(str::to_owned));
    }

    /// Gives each word a pseudonym: a beginning by the last word before it that is kept, and its place.
    pub fn assign(&mut self, met: BTreeSet<String>) {
        let width = digits(met.len()).len();
        let pseudonyms = met.into_iter().enumerate().map(|(place, word)| {
            let before = KEPT.iter().rev().find(|(kept, _)| *kept < word.as_str());
            let beginning = before.map_or(FIRST, |(_, beginning)| beginning);
            let pseudonym = format!("{beginning}{:0>width$}", digits(place));
            (word, pseudonym)
        });
        self.pseudonyms = pseudonyms.collect();
    }

    /// The text with a pseudonym in place of each word.
    pub fn renamed(&self, text: &str) -> String {
        let (mut rest, ordinal) = self.parted(text);
        let mut renamed = String::with_capacity(text.len());
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_alphanumeric());
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            let pseudonym = self.pseudonyms.get(word).map_or(word, String::as_str);
            renamed.push_str(pseudonym);
            let between = after.find(char::is_alphanumeric).unwrap_or(after.len());
            let (separator, next) = after.split_at(between);
            renamed.push_str(separator);
            rest = next;
        }
        renamed + ordinal
    }

    pub fn key(self) -> Vec<(String, String)> {
        self.pseudonyms.into_iter().collect()
    }

    /// A text, and the number at its end if it is that of a StatefulSet's Pod or claim: `-3`.
    fn parted<'t>(&self, text: &'t str) -> (&'t str, &'t str) {
        let Some((name, number)) = text.rsplit_once('-') else {
            return (text, "");
        };
        let is_number = !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
        // A claim's name begins with that of its template.
        let mut starts = name.match_indices('-').map(|(at, _)| at + 1).chain([0]);
        let is_of_set = |from: usize| name.get(from..).is_some_and(|it| self.sets.contains(it));
        match is_number && starts.any(is_of_set) {
            true => text.split_at(name.len()),
            false => (text, ""),
        }
    }
}

fn is_kept(word: &str) -> bool {
    KEPT.iter().any(|(kept, _)| *kept == word)
}

/// A number in base 36, whose digits sort as they count.
fn digits(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(
            u32::try_from(number % 36).unwrap_or(0),
            36,
        ));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_sort_between_the_words_that_are_kept() {
        let all = KEPT
            .iter()
            .flat_map(|(kept, beginning)| [*kept, *beginning]);
        let all: Vec<&str> = [FIRST].into_iter().chain(all).collect();
        for pair in all.windows(2) {
            assert!(
                pair[0] < pair[1] && !pair[1].starts_with(pair[0]),
                "{pair:?}"
            );
        }
    }

    #[test]
    fn kept_words_keep_their_place_among_the_others() {
        let mut words = Words::of_sets(BTreeSet::from(["db"]));
        let texts = [
            "0a",
            "api",
            "batch-7",
            "kafka",
            "kube",
            "kyverno",
            "data-db-3",
            "db-12",
            "zoo",
        ];
        let mut met = BTreeSet::new();
        texts.iter().for_each(|text| words.collect(text, &mut met));
        assert!(!met.contains("3") && met.contains("7") && !met.contains("kube"));
        words.assign(met);
        let renamed = texts.map(|text| words.renamed(text));
        assert!(
            renamed[6].ends_with("-3") && renamed[7].ends_with("-12"),
            "{renamed:?}"
        );
        assert!(renamed[6].ends_with(&format!("-{}-3", words.renamed("db"))));
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|at| texts[*at]);
        assert!(
            order
                .windows(2)
                .all(|pair| renamed[pair[0]] < renamed[pair[1]]),
            "{renamed:?}"
        );
    }
}
