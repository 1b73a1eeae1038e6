//! `kubectl replace`.

use std::collections::VecDeque;

use serde_json::Value;

use super::create::create_one;
use super::delete::deleted;
use crate::arguments::Flag;
use crate::call::{Call, DetachedCall, Done, Verb};
use crate::errors::{Complaint, ErrorContext};
use crate::printers::report::{self, DRY_RUN, DryRun, FIELD_MANAGER, OUTPUT, Report, SAVE_CONFIG};
use crate::resource::files::{self, FILENAME, KUSTOMIZE, Manifest, RECURSIVE};
use crate::resource::subresource::{self, SUBRESOURCE};
use crate::resource::write::{self, desired, meta_of};
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output, errors};
use berth_sim::server::ApiError;

pub(crate) const REPLACE: Verb = Verb {
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

fn replace(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let mut report = Report::new(call)?;
    report.follow(cluster.api().release());
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
    if force && dry == DryRun::No {
        let forced = Forced {
            call: call.detached(),
            report: Some(report),
            manifests: manifests.all.into(),
            faults: manifests.faults,
            until: None,
        };
        return Ok(call.wait(forced, cluster));
    }
    for manifest in &manifests.all {
        let (kind, key) = (manifest.kind, &manifest.key);
        if dry == DryRun::Client {
            report.done(kind, &manifest.value, "replaced");
            continue;
        }
        if cluster.api().get(kind.kind, key).is_none() {
            let line = errors::not_found(kind.kind, key.name());
            let context = format!("(NotFound): error when replacing {:?}", manifest.file);
            report
                .output
                .complain(line.replacen("(NotFound)", &context, 1));
            continue;
        }
        let replaced = replace_one(manifest, part, dry, cluster);
        report.asks(kind);
        report.hear(cluster);
        match replaced {
            Ok((_, object)) => report.done(kind, &object, "replaced"),
            Err(complaint) => report.refuse(complaint),
        }
    }
    for fault in &manifests.faults {
        report.output.complain(fault);
    }
    report.finish()
}

/// The time after which `--force` no longer waits for the removal of an object, in milliseconds.
const REMOVAL_MS: i64 = 300_000;

/// `--force`: deletes one object after the other, waits until it is gone, and creates it again.
struct Forced {
    call: DetachedCall,
    /// `None` once it is printed.
    report: Option<Report>,
    manifests: VecDeque<Manifest>,
    faults: Vec<String>,
    /// When it no longer waits for the removal of the first object; `None` until that is deleted.
    until: Option<i64>,
}

impl Suspended for Forced {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        let Some(report) = &mut self.report else {
            return Poll::Ready;
        };
        while let Some(manifest) = self.manifests.front() {
            let (kind, key) = (manifest.kind, &manifest.key);
            let now = cluster.api().now_ms();
            let until = *self.until.get_or_insert_with(|| {
                if cluster.api_mut().delete_object(kind.kind, key).is_ok() {
                    report.output.line(deleted(kind, key, "deleted"));
                }
                now.saturating_add(REMOVAL_MS)
            });
            let is_gone = cluster.api().get(kind.kind, key).is_none();
            if !is_gone && now < until {
                return Poll::Pending(until);
            }
            let context = format!("error when creating {:?}", manifest.file);
            let call = self.call.call();
            match create_one(
                &manifest.value,
                kind,
                key,
                ErrorContext::File(&context),
                &call,
                cluster,
            ) {
                Ok(object) => report.done(kind, &object, "replaced"),
                Err(complaint) => report.refuse(complaint),
            }
            self.until = None;
            self.manifests.pop_front();
        }
        for fault in &self.faults {
            report.output.complain(fault);
        }
        let done = self.report.take().map(Report::finish);
        let printed = done.unwrap_or_else(|| Ok(Output::default()));
        let printed = printed.unwrap_or_else(|complaint| Output::failure(&complaint, 1));
        *output = std::mem::take(output).and(printed);
        Poll::Ready
    }
}

/// Replaces the object of the manifest's name, or only its status.
fn replace_one(
    manifest: &files::Manifest,
    part: Option<&str>,
    dry: DryRun,
    cluster: &mut dyn Cluster,
) -> Result<(bool, Value), Complaint> {
    let (kind, key) = (manifest.kind, &manifest.key);
    let mut wanted = desired(&manifest.value);
    let status = manifest.value.get("status");
    let status = status.filter(|_| part == Some("status"));
    if let (Some(status), Some(wanted)) = (status, wanted.as_object_mut()) {
        wanted.insert("status".to_owned(), status.clone());
    }
    let text = format!("error when replacing {:?}", manifest.file);
    let context = ErrorContext::File(&text);
    write::decoded(&whole(&manifest.value), context)?;
    report::on(dry, cluster, |api| {
        write::change_part(kind, key, part, context, api, &mut |live| {
            subresource::check(kind, part)?;
            is_meant(manifest, live, context)?;
            let before = live.clone();
            *live = replaced(live, &wanted);
            if part.is_some_and(|part| part != "resize") {
                write::stay_within(part, live, &before);
            }
            Ok(())
        })
    })
}

/// The manifest with its status, which is read before it is dropped.
fn whole(manifest: &Value) -> Value {
    let mut whole = desired(manifest);
    if let Some(status) = manifest.get("status").filter(|it| it.is_object()) {
        whole["status"] = status.clone();
    }
    whole
}

/// Whether the live object is the one that a manifest with a uid or a version means (apiserver's preconditions of an
/// update).
fn is_meant(
    manifest: &files::Manifest,
    live: &Value,
    context: ErrorContext<'_>,
) -> Result<(), String> {
    let text = |object: &Value, field: &str| -> String {
        let text = object.pointer(field).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let (uid, own) = (
        text(&manifest.value, "/metadata/uid"),
        text(live, "/metadata/uid"),
    );
    let (kind, key) = (manifest.kind.kind, manifest.key.clone());
    if !uid.is_empty() && uid != own {
        let path = match key.namespace() {
            "" => format!("/{}/{}", manifest.kind.plural, key.name()),
            namespace => format!("/{}/{namespace}/{}", manifest.kind.plural, key.name()),
        };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {own}"
        );
        let error = ApiError::Mismatch { kind, key, why };
        return Err(errors::server_while(&error, context).into());
    }
    let version = text(&manifest.value, "/metadata/resourceVersion");
    if !matches!(version.as_str(), "" | "0") && version != text(live, "/metadata/resourceVersion") {
        let error = ApiError::Conflict { kind, key };
        return Err(errors::server_while(&error, context).into());
    }
    Ok(())
}

/// The manifest, with the fields of the live object that only the API server and controllers write.
pub(crate) fn replaced(live: &Value, wanted: &Value) -> Value {
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
    // A manifest cannot unset a Pod's node, priority or service account.
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
