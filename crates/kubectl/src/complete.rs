//! Completion: candidates for the word at the cursor.

use std::collections::BTreeSet;

use super::shell::{PROGRAMS, Shell};
use crate::Cluster;
use crate::arguments::{GLOBAL, Takes};
use crate::call::Verb;
use crate::cmd::verbs;
use crate::kinds::{KINDS, find};
use berth_base::sort;
use berth_sim::store::{name_of, namespace_of};

/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 200;

impl Shell {
    /// Candidates for the word before the cursor (a byte offset into the line): whole words, sorted.
    pub fn complete(&self, line: &str, cursor: usize, cluster: &dyn Cluster) -> Vec<String> {
        let (words, current) = self.inner.words_at(line, cursor);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_kubectl = |word: &&str| matches!(*word, "kubectl" | "k");
        let mut all = BTreeSet::new();
        match words.split_first() {
            None => {
                all.extend(PROGRAMS.map(str::to_owned));
                all.extend(self.inner.names().map(str::to_owned));
            }
            Some((program, rest)) if is_kubectl(program) => {
                all = self.kubectl(rest, &current, cluster);
            }
            Some((program, rest)) => {
                let inner = rest.iter().position(is_kubectl);
                match inner.and_then(|at| rest.get(at + 1..)) {
                    Some(behind) if matches!(*program, "sudo" | "watch" | "time") => {
                        all = self.kubectl(behind, &current, cluster);
                    }
                    _ => all.extend(cluster.files()),
                }
            }
        }
        let fitting = all.into_iter().filter(|it| it.starts_with(&current));
        fitting.take(MAX_CANDIDATES).collect()
    }

    fn kubectl(&self, words: &[&str], current: &str, cluster: &dyn Cluster) -> BTreeSet<String> {
        let (verb, rest) = verb_of(words);
        if let Some(found) = self.value_of_flag(words, current, cluster) {
            return found;
        }
        if current.starts_with('-') {
            let flags = verb.map_or(&[][..], |verb| verb.flags).iter().chain(GLOBAL);
            let named = flags.map(|flag| match flag.takes {
                Takes::Switch | Takes::Maybe(_) => format!("--{}", flag.name),
                _ => format!("--{}=", flag.name),
            });
            return sort::gather(named);
        }
        let place = words.iter().filter(|word| !word.starts_with('-')).count();
        let Some(verb) = verb else {
            return next_words(words, place);
        };
        let mut found = next_words(words, place);
        found.extend(self.objects(verb, rest, words, current, cluster));
        found
    }

    /// Values, if the previous word is a flag that takes one, or if the word is `--flag=…`.
    fn value_of_flag(
        &self,
        words: &[&str],
        current: &str,
        cluster: &dyn Cluster,
    ) -> Option<BTreeSet<String>> {
        let (flag, opening) = match current.split_once('=') {
            Some((flag, _)) if flag.starts_with("--") => (flag, format!("{flag}=")),
            _ => (*words.last()?, String::new()),
        };
        let values: Vec<String> = match flag {
            "-n" | "--namespace" => names("Namespace", "", cluster),
            "-f" | "--filename" => cluster.files(),
            "-o" | "--output" => [
                "custom-columns=",
                "json",
                "jsonpath=",
                "kyaml",
                "name",
                "wide",
                "yaml",
            ]
            .map(str::to_owned)
            .to_vec(),
            "--dry-run" => ["client", "none", "server"].map(str::to_owned).to_vec(),
            "--cascade" => ["background", "foreground", "orphan"]
                .map(str::to_owned)
                .to_vec(),
            _ => return None,
        };
        Some(sort::gather(
            values.into_iter().map(|value| format!("{opening}{value}")),
        ))
    }

    /// Kinds, or names of objects.
    fn objects(
        &self,
        verb: &Verb,
        rest: &[&str],
        words: &[&str],
        current: &str,
        cluster: &dyn Cluster,
    ) -> BTreeSet<String> {
        let namespace = words
            .iter()
            .zip(words.iter().skip(1))
            .find(|(flag, _)| matches!(**flag, "-n" | "--namespace"))
            .map_or(self.settings.namespace.as_str(), |(_, value)| value);
        let rest: Vec<&str> = rest
            .iter()
            .copied()
            .filter(|it| !it.starts_with('-'))
            .collect();
        let only = match verb.name {
            "cordon" | "uncordon" | "drain" => Some("Node"),
            "logs" | "exec" | "attach" => Some("Pod"),
            _ => None,
        };
        if let Some(kind) = only {
            return sort::gather(names(kind, namespace, cluster));
        }
        if let Some((kind, _)) = current.split_once('/') {
            let found = find(kind)
                .map(|info| names(info.kind, namespace, cluster))
                .unwrap_or_default()
                .into_iter();
            return sort::gather(found.map(|name| format!("{kind}/{name}")));
        }
        if verb.name.starts_with("create") || verb.name.starts_with("config") {
            return BTreeSet::new();
        }
        match rest.first().and_then(|word| find(word)) {
            Some(info) => sort::gather(names(info.kind, namespace, cluster)),
            None if rest.is_empty() => {
                sort::gather(KINDS.iter().map(|info| info.plural.to_owned()))
            }
            None => BTreeSet::new(),
        }
    }
}

/// The command that words begin with, and the words after it.
fn verb_of<'a>(words: &'a [&'a str]) -> (Option<&'static Verb>, &'a [&'a str]) {
    let count = |verb: &&'static Verb| verb.name.split(' ').count();
    let begun = verbs().filter(|verb| {
        let mut parts = verb.name.split(' ').enumerate();
        parts.all(|(index, part)| words.get(index) == Some(&part))
    });
    let verb = begun.max_by_key(count);
    let behind = verb.map_or(0, |verb| count(&verb));
    (verb, words.get(behind..).unwrap_or_default())
}

/// Words that continue a command of several words: `undo` after `rollout`.
fn next_words(words: &[&str], place: usize) -> BTreeSet<String> {
    let going_on = verbs().filter_map(|verb| {
        let mut parts = verb.name.split(' ');
        let begun = words
            .iter()
            .take(place)
            .all(|word| parts.next() == Some(*word));
        begun.then(|| parts.next()).flatten()
    });
    sort::gather(going_on.map(str::to_owned))
}

/// The names of all objects of a kind; for a namespaced kind, only those of the namespace.
fn names(kind: &str, namespace: &str, cluster: &dyn Cluster) -> Vec<String> {
    let own = cluster
        .api()
        .store()
        .list(kind)
        .into_iter()
        .filter(|object| {
            let own = namespace_of(object.metadata());
            own.is_empty() || own == namespace
        });
    own.map(|object| name_of(object.metadata()).to_owned())
        .collect()
}
