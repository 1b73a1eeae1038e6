//! The objects that the words of a command name: `TYPE NAME…`, `TYPE/NAME…`, `TYPE1,TYPE2`, `-l`, `--all` (cli-runtime
//! v0.34 `resource.Builder`).

use super::selector::Selection;
use crate::Cluster;
use crate::call::Call;
use crate::errors;
use crate::kinds::{KindInfo, find, in_all};
use berth_sim::store::{Key, name_of, namespace_of};

/// kubectl's error if a command names no object.
pub const NO_OBJECTS: &str = "error: You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'";

/// A kind, and a name if one was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceArgument<'a> {
    pub kind: &'static KindInfo,
    pub name: Option<&'a str>,
}

/// One object that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub kind: &'static KindInfo,
    pub key: Key,
}

impl Target {
    /// `deployment.apps/web`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.kind.qualified(), self.key.name())
    }
}

/// The kind of a name.
///
/// # Errors
/// kubectl's error about an unknown kind.
pub fn kind_of(name: &str) -> Result<&'static KindInfo, String> {
    find(name).ok_or_else(|| format!("error: the server doesn't have a resource type {name:?}"))
}

/// Parses words to kinds, or kinds with names.
///
/// # Errors
/// kubectl's error about words of any other form.
pub fn wanted(words: &[String]) -> Result<Vec<ResourceArgument<'_>>, String> {
    let with_slash = words.iter().filter(|word| word.contains('/')).count();
    if with_slash > 0 {
        if with_slash < words.len() {
            return Err("error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'".to_owned());
        }
        return words.iter().map(|word| pair(word)).collect();
    }
    let Some((kinds, names)) = words.split_first() else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for name in kinds.split(',') {
        if name == "all" {
            found.extend(in_all());
        } else {
            found.push(kind_of(name)?);
        }
    }
    if names.is_empty() {
        let all = found.into_iter();
        return Ok(all
            .map(|kind| ResourceArgument { kind, name: None })
            .collect());
    }
    if names.iter().any(String::is_empty) {
        return Err("error: resource name may not be empty".to_owned());
    }
    let [kind] = found.as_slice() else {
        return Err("error: you must specify only one resource".to_owned());
    };
    let names = names.iter().map(|name| ResourceArgument {
        kind,
        name: Some(name),
    });
    Ok(names.collect())
}

fn pair(word: &str) -> Result<ResourceArgument<'_>, String> {
    let mut parts = word.split('/');
    let (kind, name) = (parts.next().unwrap_or_default(), parts.next());
    let name = name.filter(|name| !name.is_empty() && !kind.is_empty());
    if parts.next().is_some() || name.is_none() || kind.contains(',') {
        return Err(
            "error: arguments in resource/name form must have a single resource and name"
                .to_owned(),
        );
    }
    let kind = kind_of(kind)?;
    Ok(ResourceArgument { kind, name })
}

/// The objects that a command names, and an error line for each missing one.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub targets: Vec<Target>,
    pub missing: Vec<String>,
}

/// The objects that the words, `-l`, `--field-selector`, `--all` and `-A` of a call select.
///
/// # Errors
/// kubectl's error about words of any other form.
pub fn select(call: &Call<'_>, words: &[String], cluster: &dyn Cluster) -> Result<Found, String> {
    choose(call, words, false, cluster)
}

/// The same for commands that treat a kind without names as all of its objects.
///
/// # Errors
/// As [`select`].
pub fn select_or_all(
    call: &Call<'_>,
    words: &[String],
    cluster: &dyn Cluster,
) -> Result<Found, String> {
    choose(call, words, true, cluster)
}

fn choose(
    call: &Call<'_>,
    words: &[String],
    unnamed_is_all: bool,
    cluster: &dyn Cluster,
) -> Result<Found, String> {
    let arguments = &call.arguments;
    let labels = arguments.word("selector").unwrap_or_default();
    let fields = arguments.word("field-selector").unwrap_or_default();
    let selects = !labels.is_empty() || !fields.is_empty();
    let all = arguments.is("all");
    if all && !labels.is_empty() {
        return Err("error: setting 'all' parameter but found a non empty selector. ".to_owned());
    }
    let wanted = wanted(words)?;
    let names = wanted.iter().any(|wanted| wanted.name.is_some());
    if names && (selects || all) {
        let is_pair = words.iter().any(|word| word.contains('/'));
        return Err(if is_pair {
            "error: selectors and the all flag cannot be used when passing resource/name arguments"
        } else {
            "error: name cannot be provided when a selector is specified"
        }
        .to_owned());
    }
    if !wanted.is_empty() && !names && !selects && !all && !unnamed_is_all {
        return Err("error: resource(s) were provided, but no name was specified".to_owned());
    }
    let unnamed = wanted.iter().filter(|wanted| wanted.name.is_none());
    let selection = Selection::asked(labels, fields, unnamed.map(|wanted| wanted.kind))?;
    let mut found = Found::default();
    for ResourceArgument { kind, name } in wanted {
        let namespace = if kind.namespaced {
            call.namespace()
        } else {
            ""
        };
        if let Some(name) = name {
            let key = Key::new(namespace, name);
            if cluster.api().get(kind.kind, &key).is_some() {
                found.targets.push(Target { kind, key });
            } else {
                found.missing.push(errors::not_found(kind.kind, name));
            }
            continue;
        }
        let everywhere = !kind.namespaced || call.is_all_namespaces();
        for object in cluster.api().list(kind.kind) {
            let meta = object.metadata();
            if (everywhere || namespace_of(meta) == namespace) && selection.selects(&object) {
                let key = Key::new(namespace_of(meta), name_of(meta));
                found.targets.push(Target { kind, key });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(line: &str) -> Result<Vec<String>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let wanted = wanted(&words)?;
        let names = wanted
            .iter()
            .map(|it| format!("{}/{}", it.kind.plural, it.name.unwrap_or("*")));
        Ok(names.collect())
    }

    #[test]
    fn words_mean_kinds_and_names() {
        for (line, meaning) in [
            ("po a b", &["pods/a", "pods/b"][..]),
            ("deploy/web svc/db", &["deployments/web", "services/db"]),
            ("po,no", &["pods/*", "nodes/*"]),
            ("", &[]),
        ] {
            assert_eq!(resolved(line).expect("it fits"), meaning, "{line}");
        }
        for (line, complaint) in [
            (
                "widgets",
                "error: the server doesn't have a resource type \"widgets\"",
            ),
            (
                "po/a/b",
                "error: arguments in resource/name form must have a single resource and name",
            ),
            ("po,svc a", "error: you must specify only one resource"),
        ] {
            assert_eq!(resolved(line), Err(complaint.to_owned()), "{line}");
        }
        assert!(resolved("po a svc/b").is_err());
    }
}
