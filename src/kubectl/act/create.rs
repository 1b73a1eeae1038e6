//! `kubectl create -f` and `kubectl replace`.

use serde_json::Value;

use super::apply;
use super::files::{self, FILENAME, KUSTOMIZE, RECURSIVE};
use super::generate::is_left_out;
use super::report::{self, DRY_RUN, DryRun, FIELD_MANAGER, OUTPUT, RECORD, Report, SAVE_CONFIG};
use super::write::{self, LAST_APPLIED, desired, entries_of, meta_of};
use crate::kubectl::arguments::Flag;
use crate::kubectl::call::{Call, Done, Verb};
use crate::kubectl::kinds::KindInfo;
use crate::kubectl::subresource::{self, SUBRESOURCE};
use crate::kubectl::{Cluster, errors, wait_until};
use crate::sim::store::Key;

pub(super) const CREATE: Verb = Verb {
    name: "create",
    about: "Create a resource from a file or from stdin",
    usage: "create -f FILENAME",
    examples: &[
        "kubectl create -f pod.yaml",
        "kubectl create deployment web --image=nginx --replicas=3",
    ],
    flags: &[
        FILENAME,
        KUSTOMIZE,
        RECURSIVE,
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        RECORD,
        SAVE_CONFIG,
        Flag::maybe("validate", "strict"),
    ],
    run: create,
};

pub(super) const REPLACE: Verb = Verb {
    name: "replace",
    about: "Replace a resource by file name or stdin",
    usage: "replace -f FILENAME",
    examples: &[
        "kubectl replace -f pod.yaml",
        "kubectl replace --force -f pod.yaml",
    ],
    flags: &[
        FILENAME,
        KUSTOMIZE,
        RECURSIVE,
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        SAVE_CONFIG,
        Flag::switch("force"),
        Flag::number("grace-period"),
        Flag::duration("timeout"),
        Flag::maybe("validate", "strict"),
        Flag::maybe("cascade", "background"),
        Flag::switch("wait"),
        SUBRESOURCE,
    ],
    run: replace,
};

/// What is said of `kubectl create configmap` and its like, whatever their flags.
pub fn not_kept(words: &[String]) -> Option<String> {
    let word = words.first().filter(|word| is_left_out(word))?;
    Some(format!(
        "error: objects of kind {word} mean nothing to scheduling and are not kept here"
    ))
}

fn create(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    if let Some(complaint) = not_kept(&call.arguments.words) {
        return Err(complaint);
    }
    if !call.arguments.words.is_empty() {
        let words = call.arguments.words.join(" ");
        return Err(format!(
            "error: Unexpected args: [{words}]\nSee 'kubectl create -h' for help and examples"
        ));
    }
    if !files::are_given(call) {
        return Err("error: must specify one of -f and -k".to_owned());
    }
    let mut report = Report::new(call)?;
    let manifests = files::read(call, cluster)?;
    for note in &manifests.notes {
        report.output.warn(note);
    }
    if manifests.all.is_empty() && manifests.faults.is_empty() && manifests.notes.is_empty() {
        return Err("error: no objects passed to create".to_owned());
    }
    for manifest in &manifests.all {
        let doing = format!("error when creating {:?}", manifest.file);
        let made = create_one(
            &manifest.value,
            manifest.kind,
            &manifest.key,
            &doing,
            call,
            cluster,
        );
        match made {
            Ok(object) => report.done(manifest.kind, &object, "created"),
            Err(complaint) => report.output.complain(complaint),
        }
    }
    for fault in &manifests.faults {
        report.output.complain(fault);
    }
    report.finish()
}

/// Creates an object, or only shows it.
///
/// # Errors
/// kubectl's lines about what the API server refuses.
pub(super) fn create_one(
    value: &Value,
    kind: &KindInfo,
    key: &Key,
    doing: &str,
    call: &Call<'_>,
    cluster: &mut dyn Cluster,
) -> Result<Value, String> {
    let dry = report::dry_run(call)?;
    let mut value = value.clone();
    report::record(call, &mut value);
    if call.arguments.is("save-config") {
        let said = apply::last_applied(&desired(&value));
        if let Some(annotations) = entries_of(&mut value, "annotations") {
            annotations.insert(LAST_APPLIED.to_owned(), said.into());
        }
    }
    if dry == DryRun::Client {
        if kind.namespaced
            && call.arguments.has("namespace")
            && let Some(meta) = meta_of(&mut value)
        {
            meta.insert("namespace".to_owned(), key.namespace().into());
        }
        return Ok(value);
    }
    let made = report::on(dry, cluster, |api| {
        write::create(&value, kind, key.namespace(), doing, api)
    })?;
    if dry == DryRun::No {
        cluster.settle();
    }
    Ok(made)
}

fn replace(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let mut report = Report::new(call)?;
    let dry = report::dry_run(call)?;
    let force = call.arguments.is("force");
    if !force && call.arguments.has("grace-period") {
        return Err("error: --grace-period must have --force specified".to_owned());
    }
    let part = subresource::asked(call);
    let manifests = files::read(call, cluster)?;
    for note in &manifests.notes {
        report.output.warn(note);
    }
    if manifests.all.is_empty() && manifests.faults.is_empty() && manifests.notes.is_empty() {
        return Err("error: no objects passed to replace".to_owned());
    }
    for manifest in &manifests.all {
        let (kind, key) = (manifest.kind, &manifest.key);
        if force && dry == DryRun::No {
            if cluster.api_mut().delete_object(kind.kind, key).is_ok() {
                report
                    .output
                    .say(super::delete::deleted(kind, key, "deleted"));
            }
            let until = cluster.api().now_ms().saturating_add(300_000);
            wait_until(cluster, until, &mut |cluster| {
                cluster.api().store().get(kind.kind, key).is_none()
            });
            let doing = format!("error when creating {:?}", manifest.file);
            let made = create_one(&manifest.value, kind, key, &doing, call, cluster);
            match made {
                Ok(object) => report.done(kind, &object, "replaced"),
                Err(complaint) => report.output.complain(complaint),
            }
            continue;
        }
        if dry == DryRun::Client {
            report.done(kind, &manifest.value, "replaced");
            continue;
        }
        if cluster.api().store().get(kind.kind, key).is_none() {
            let line = errors::not_found(kind.kind, key.name());
            let doing = format!("(NotFound): error when replacing {:?}", manifest.file);
            report
                .output
                .complain(line.replacen("(NotFound)", &doing, 1));
            continue;
        }
        let replaced = replace_one(manifest, part, dry, cluster);
        match replaced {
            Ok((_, object)) => report.done(kind, &object, "replaced"),
            Err(complaint) => report.output.complain(complaint),
        }
    }
    for fault in &manifests.faults {
        report.output.complain(fault);
    }
    report.finish()
}

/// Writes a manifest, or its status alone, over the object of its name.
fn replace_one(
    manifest: &files::Manifest,
    part: Option<&str>,
    dry: DryRun,
    cluster: &mut dyn Cluster,
) -> Result<(bool, Value), String> {
    let (kind, key) = (manifest.kind, &manifest.key);
    let mut wanted = desired(&manifest.value);
    let status = manifest.value.get("status");
    let status = status.filter(|_| part == Some("status"));
    if let (Some(status), Some(wanted)) = (status, wanted.as_object_mut()) {
        wanted.insert("status".to_owned(), status.clone());
    }
    report::on(dry, cluster, |api| {
        write::change(kind, key, api, &mut |live| {
            subresource::check(kind, part)?;
            let before = live.clone();
            *live = replaced(live, &wanted);
            if part.is_some() {
                write::stay_within(part, live, &before);
            }
            Ok(())
        })
    })
}

/// The manifest with what of the live object only the API server and controllers write.
pub(super) fn replaced(live: &Value, wanted: &Value) -> Value {
    let mut made = wanted.clone();
    let own = live.get("metadata").cloned().unwrap_or_default();
    if let Some(meta) = meta_of(&mut made) {
        for field in [
            "name",
            "namespace",
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
        ] {
            if let Some(value) = own.get(field) {
                meta.insert(field.to_owned(), value.clone());
            }
        }
    }
    if let (Some(object), Some(status)) = (made.as_object_mut(), live.get("status"))
        && !object.contains_key("status")
    {
        object.insert("status".to_owned(), status.clone());
    }
    // A Pod's node and priority are not the manifest's to take away.
    for field in [
        "nodeName",
        "priority",
        "serviceAccountName",
        "serviceAccount",
    ] {
        if let (Some(own), Some(Value::Object(spec))) = (
            live.pointer(&format!("/spec/{field}")),
            made.get_mut("spec"),
        ) && live.get("kind").is_some_and(|kind| kind == "Pod")
        {
            spec.entry(field).or_insert_with(|| own.clone());
        }
    }
    made
}
