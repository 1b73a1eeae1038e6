//! `kubectl rollout history`: the revisions of a workload (v1.34 `pkg/polymorphichelpers/history.go`).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::cmd::describe::template_text;
use crate::printers::fields::{Fields, or_none};
use crate::printers::tabwriter;
use crate::printers::{Format, label};
use crate::resource::targets::{self, Target};
use crate::{Cluster, Output, errors};
use berth_sim::server::ApiServer;

pub(crate) const HISTORY: Verb = Verb {
    name: "rollout history",
    about: "View rollout history",
    usage: "rollout history (TYPE NAME | TYPE/NAME) [flags]",
    examples: &[
        "kubectl rollout history deployment/web",
        "kubectl rollout history daemonset/log --revision=3",
    ],
    flags: &[
        Flag::number("revision"),
        Flag::word("selector").short('l'),
        Flag::switch("all"),
        Flag::word("output").short('o'),
        Flag::word("template"),
    ],
    run: history,
};

const REVISION: &str = "deployment.kubernetes.io/revision";
const CAUSE: &str = "kubernetes.io/change-cause";

/// The revision in an object's annotation; 0 if there is none.
fn revision_of(object: &Value) -> i64 {
    let text = object.at("metadata.annotations").get(REVISION);
    let text = text.and_then(Value::as_str).unwrap_or_default();
    text.parse().unwrap_or(0)
}

/// A revision: its change cause, its template, and the whole object, which is the ReplicaSet for a Deployment.
struct Revision {
    cause: String,
    template: Value,
    whole: Value,
}

/// All revisions of a Deployment, DaemonSet or StatefulSet by number; `None` for other kinds.
fn revisions(object: &Value, api: &ApiServer) -> Option<BTreeMap<i64, Revision>> {
    let uid = object.text("metadata.uid");
    let cause = |object: &Value| {
        let cause = object.at("metadata.annotations").get(CAUSE);
        cause.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut found = BTreeMap::new();
    if object.text("kind") == "Deployment" {
        for set in api.store().replica_sets.controlled_by(uid) {
            let set = berth_base::json::value(&**set);
            let revision = Revision {
                cause: cause(&set),
                template: set.at("spec.template").clone(),
                whole: set.clone(),
            };
            found.insert(revision_of(&set), revision);
        }
    } else if matches!(object.text("kind"), "DaemonSet" | "StatefulSet") {
        for it in api.store().controller_revisions.controlled_by(uid) {
            let it = berth_base::json::value(&**it);
            let template = it.at("data.spec.template").clone();
            let mut whole = object.clone();
            if let Some(Value::Object(spec)) = whole.get_mut("spec") {
                spec.insert("template".to_owned(), template.clone());
            }
            let revision = Revision {
                cause: cause(&it),
                template,
                whole,
            };
            found.insert(it.int("revision"), revision);
        }
    } else {
        return None;
    }
    found.remove(&0);
    Some(found)
}

fn history(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = &call.arguments.words;
    if words.is_empty() {
        return Err("error: required resource not specified".to_owned());
    }
    let asked = call.arguments.number("revision").unwrap_or(0);
    if asked < 0 {
        return Err(format!(
            "error: revision must be a positive integer: {asked}"
        ));
    }
    let how = call.arguments.word("output").unwrap_or_default();
    let template = call.arguments.word("template").unwrap_or_default();
    let format = Format::parse(how, template)?;
    let found = targets::select_or_all(call, words, cluster)?;
    if let Some(line) = found.missing.first() {
        return Err(line.clone());
    }
    let mut output = Output::default();
    for Target { kind, key } in found.targets {
        let Some(object) = cluster.api().get(kind.kind, &key) else {
            return Err(errors::not_found(kind.kind, key.name()));
        };
        let object = object.to_json();
        let Some(revisions) = revisions(&object, cluster.api()) else {
            return Err(format!(
                "error: no history viewer has been implemented for {:?}",
                kind.group_kind()
            ));
        };
        if format != Format::Table {
            printed(&revisions, asked, &format, &mut output)?;
            continue;
        }
        let text = if asked > 0 {
            let Some(revision) = revisions.get(&asked) else {
                return Err("error: unable to find the specified revision".to_owned());
            };
            format!("with revision #{asked}\n{}", template_of(revision))
        } else {
            format!("\n{}", table(&revisions))
        };
        output.line(format!("{} {text}", label(&object)));
    }
    Ok(output)
}

/// `-o`: prints the objects of all revisions, or of one.
fn printed(
    revisions: &BTreeMap<i64, Revision>,
    asked: i64,
    format: &Format,
    output: &mut Output,
) -> Result<(), String> {
    let mut meant = revisions
        .iter()
        .filter(|(number, _)| asked == 0 || **number == asked)
        .peekable();
    if asked > 0 && meant.peek().is_none() {
        return Err("error: unable to find the specified revision".to_owned());
    }
    for (_, revision) in meant {
        if *format == Format::Yaml && !output.stdout.is_empty() {
            output.line("---");
        }
        let text = format.print(vec![revision.whole.clone()], true, false)?;
        output.stdout.push_str(&text);
    }
    Ok(())
}

fn template_of(revision: &Revision) -> String {
    let mut template = revision.template.clone();
    if !revision.cause.is_empty() {
        template["metadata"]["annotations"][CAUSE] = revision.cause.clone().into();
    }
    template_text(&template)
}

fn table(revisions: &BTreeMap<i64, Revision>) -> String {
    if revisions.is_empty() {
        return "No rollout history found.".to_owned();
    }
    let rows = revisions.iter();
    let rows = rows.map(|(number, it)| format!("{number}\t{}\n", or_none(it.cause.as_str())));
    let rows: String = rows.collect();
    tabwriter::align(&format!("REVISION\tCHANGE-CAUSE\n{rows}"), 0, 2)
}

#[cfg(test)]
mod tests;
