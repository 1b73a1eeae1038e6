//! `kubectl label`, and the implementation of `kubectl annotate`.

use serde_json::{Map, Value};

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors;
use crate::printers::fields::Fields;
use crate::printers::report::{self, DRY_RUN, DryRun, FIELD_MANAGER, OUTPUT, Report};
use crate::resource::files::{self, FILENAME};
use crate::resource::targets::{self, Found, Target};
use crate::resource::write::{self, entries_of};
use crate::{Cluster, Output};
use berth_scheduler::names::label_value_errors;
use berth_sim::server::ApiError;

pub(super) const FLAGS: &[Flag] = &[
    FILENAME,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    Flag::switch("overwrite"),
    Flag::switch("all"),
    Flag::switch("all-namespaces").short('A'),
    Flag::switch("list"),
    Flag::switch("local"),
    Flag::word("selector").short('l'),
    Flag::word("field-selector"),
    Flag::word("resource-version"),
];

pub(crate) const LABEL: Verb = Verb {
    name: "label",
    about: "Update the labels on a resource",
    usage: "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N",
    examples: &[
        "kubectl label nodes n1 disktype=ssd",
        "kubectl label nodes n1 disktype-",
        "kubectl label --overwrite pods web-0 status=unhealthy",
    ],
    flags: FLAGS,
    run: |call, cluster| run(call, cluster, &Marks::LABELS),
};

/// Labels or annotations, and the words that report their changes.
pub(super) struct Marks {
    field: &'static str,
    singular: &'static str,
    added: &'static str,
    removed: &'static str,
    unchanged: &'static str,
}

impl Marks {
    const LABELS: Marks = Marks {
        field: "labels",
        singular: "label",
        added: "labeled",
        removed: "unlabeled",
        unchanged: "not labeled",
    };
    pub(super) const ANNOTATIONS: Marks = Marks {
        field: "annotations",
        singular: "annotation",
        added: "annotated",
        removed: "annotated",
        unchanged: "annotated",
    };
}

/// The requested changes: pairs to set, and keys to remove.
struct Changes {
    set: Vec<(String, String)>,
    remove: Vec<String>,
}

pub(super) fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster, marks: &Marks) -> Done {
    let is_change = |word: &&String| {
        word.contains('=') && !word.starts_with('=') || word.ends_with('-') && word.len() > 1
    };
    let words = &call.arguments.words;
    let count = words.iter().take_while(|word| !is_change(word)).count();
    let (objects, changes) = words.split_at(count);
    if let Some(stray) = changes.iter().find(|word| !is_change(word)) {
        return Err(format!(
            "error: all resources must be specified before {} changes: {stray}",
            marks.singular
        ));
    }
    let lists = call.arguments.is("list");
    if objects.is_empty() && !files::are_given(call) {
        return Err("error: one or more resources must be specified as <resource> <name> or <resource>/<name>".to_owned());
    }
    if changes.is_empty() && !lists {
        return Err(format!(
            "error: at least one {} update is required",
            marks.singular
        ));
    }
    let wanted = read(changes, marks)?;
    let dry = report::dry_run(call)?;
    let mut report = Report::new(call)?;
    let found = meant(call, objects, cluster, &mut report.output)?;
    if call.arguments.has("resource-version") && found.targets.len() > 1 {
        return Err("error: --resource-version may only be used with a single resource".to_owned());
    }
    for target in &found.targets {
        if lists && changes.is_empty() {
            list(target, marks, cluster, &mut report.output);
            continue;
        }
        match one(target, &wanted, marks, call, dry, cluster) {
            Ok((object, operation, notes)) => {
                for note in notes {
                    report.output.line(note);
                }
                report.hear(cluster);
                report.done(target.kind, &object, operation);
            }
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish_without(&found.missing)
}

fn meant(
    call: &Call<'_>,
    words: &[String],
    cluster: &dyn Cluster,
    output: &mut Output,
) -> Result<Found, String> {
    if !files::are_given(call) {
        return targets::select(call, words, cluster);
    }
    let manifests = files::read(call, cluster)?;
    for fault in &manifests.faults {
        output.complain(fault);
    }
    Ok(files::existing(manifests.all, cluster, files::not_found))
}

fn read(changes: &[String], marks: &Marks) -> Result<Changes, String> {
    let mut wanted = Changes {
        set: Vec::new(),
        remove: Vec::new(),
    };
    for change in changes {
        let (key, value) = match change.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (change.strip_suffix('-').unwrap_or(change), None),
        };
        let name = marks.singular;
        let is_label = marks.field == "labels";
        if key.is_empty() || is_label && value.is_some_and(|value| value.contains('=')) {
            return Err(format!("error: invalid {name} spec: {change}"));
        }
        let Some(value) = value else {
            wanted.remove.push(key.to_owned());
            continue;
        };
        let faults = label_value_errors(value);
        if is_label && !faults.is_empty() {
            let faults = faults.join(";");
            return Err(format!("error: invalid label value: {change:?}: {faults}"));
        }
        wanted.set.push((key.to_owned(), value.to_owned()));
    }
    let both = wanted
        .set
        .iter()
        .find(|(key, _)| wanted.remove.contains(key));
    match both {
        Some(_) if marks.field == "labels" => {
            Err("error: can not both modify and remove a label in the same command".to_owned())
        }
        Some((key, _)) => Err(format!(
            "error: can not both modify and remove the following annotation(s) in the same command: {key}"
        )),
        None => Ok(wanted),
    }
}

fn list(target: &Target, marks: &Marks, cluster: &dyn Cluster, output: &mut Output) {
    let object = cluster.api().get(target.kind.kind, &target.key);
    let meta = object.as_ref().map(|object| object.metadata());
    let entries = meta.and_then(|meta| match marks.field {
        "labels" => meta.labels.as_ref(),
        _ => meta.annotations.as_ref(),
    });
    for (key, value) in entries.into_iter().flatten() {
        output.line(format!("{key}={value}"));
    }
}

/// `--resource-version`: a change of another version is a conflict.
fn check_version(object: &Value, target: &Target, call: &Call<'_>) -> Result<(), String> {
    let version = call.arguments.word("resource-version").unwrap_or_default();
    if version.is_empty() || version == object.text("metadata.resourceVersion") {
        return Ok(());
    }
    let (kind, key) = (target.kind.kind, target.key.clone());
    Err(errors::server(&ApiError::Conflict { kind, key }))
}

type Marked = (Value, &'static str, Vec<String>);

fn one(
    target: &Target,
    wanted: &Changes,
    marks: &Marks,
    call: &Call<'_>,
    dry: DryRun,
    cluster: &mut dyn Cluster,
) -> Result<Marked, String> {
    let object = cluster.api().get(target.kind.kind, &target.key);
    let object = object.map(|object| object.to_json()).unwrap_or_default();
    let none = Map::new();
    let before = object.pointer(&format!("/metadata/{}", marks.field));
    let before = before.and_then(Value::as_object).unwrap_or(&none);
    if !call.arguments.is("overwrite") {
        let clashes = wanted.set.iter().filter_map(|(key, value)| {
            let own = before.get(key)?.as_str()?;
            // The cause of a change can always be overwritten.
            let is_cause = marks.field == "annotations" && key == report::CAUSE;
            (own != value && !is_cause).then(|| match marks.field {
                "labels" => {
                    format!("'{key}' already has a value ({own}), and --overwrite is false")
                }
                _ => format!("'{key}' already has a value ({own})"),
            })
        });
        let clashes: Vec<String> = clashes.collect();
        if !clashes.is_empty() {
            return Err(match marks.field {
                "labels" => format!("error: {}", clashes.join("; ")),
                _ => format!(
                    "error: --overwrite is false but found the following declared annotation(s): {}",
                    clashes.join("; ")
                ),
            });
        }
    }
    let missing = wanted
        .remove
        .iter()
        .filter(|key| !before.contains_key(*key));
    let notes: Vec<String> = if marks.field == "labels" {
        missing
            .map(|key| format!("label {key:?} not found."))
            .collect()
    } else {
        Vec::new()
    };
    let sets = wanted
        .set
        .iter()
        .any(|(key, value)| before.get(key).and_then(Value::as_str) != Some(value));
    let removes = wanted.remove.iter().any(|key| before.contains_key(key));
    let operation = match (sets, removes) {
        (true, _) => marks.added,
        (false, true) => marks.removed,
        (false, false) => marks.unchanged,
    };
    let mut edit = |object: &mut Value| {
        if let Some(entries) = entries_of(object, marks.field) {
            for key in &wanted.remove {
                entries.shift_remove(key);
            }
            for (key, value) in &wanted.set {
                entries.insert(key.clone(), value.clone().into());
            }
        }
        Ok(())
    };
    if !sets && !removes {
        return Ok((object, operation, notes));
    }
    check_version(&object, target, call)?;
    let marked = report::on(dry, cluster, |api| {
        write::change(target.kind, &target.key, api, &mut edit)
    })?;
    Ok((marked.1, operation, notes))
}
