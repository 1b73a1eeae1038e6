//! `kubectl create`: from files, or with the generators of `create KIND NAME …`.

pub(super) mod access;
pub(super) mod config;
pub(super) mod generate;
pub(super) mod ingress;
pub(super) mod secret;
pub(super) mod service;
pub(super) mod workloads;

use serde_json::Value;

use super::apply;
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::{Complaint, ErrorContext};
use crate::kinds::KindInfo;
use crate::printers::report::{
    self, DRY_RUN, DryRun, FIELD_MANAGER, OUTPUT, RECORD, Report, SAVE_CONFIG,
};
use crate::resource::files::{self, FILENAME, KUSTOMIZE, RECURSIVE};
use crate::resource::write::{self, LAST_APPLIED, desired, entries_of, meta_of};
use berth_core::api::load::convert_back;
use berth_sim::store::Key;

pub(crate) const CREATE: Verb = Verb {
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

/// The error for `kubectl create token`, whatever its flags.
pub fn not_kept(words: &[String]) -> Option<String> {
    words.first().filter(|word| *word == "token")?;
    Some("error: tokens are not issued here, as nothing would check them".to_owned())
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
    report.follow(cluster.api().release());
    let manifests = files::read(call, cluster)?;
    for note in &manifests.notes {
        report.output.warn(note);
    }
    if manifests.all.is_empty() && manifests.faults.is_empty() && manifests.notes.is_empty() {
        return Err("error: no objects passed to create".to_owned());
    }
    for manifest in &manifests.all {
        let context = format!("error when creating {:?}", manifest.file);
        let made = create_one(
            &manifest.value,
            manifest.kind,
            &manifest.key,
            ErrorContext::File(&context),
            call,
            cluster,
        );
        if report::dry_run(call)? != DryRun::Client {
            report.asks(manifest.kind);
        }
        report.hear(cluster);
        match made {
            Ok(mut object) => {
                convert_back(&mut object, &manifest.version);
                report.done(manifest.kind, &object, "created");
            }
            Err(complaint) => report.refuse(complaint.in_version(&manifest.version)),
        }
    }
    for fault in &manifests.faults {
        report.refuse(fault.as_str());
    }
    report.finish()
}

/// Creates an object; for a client-side dry run, only returns it.
///
/// # Errors
/// kubectl's message about the API server's error.
pub(crate) fn create_one(
    value: &Value,
    kind: &KindInfo,
    key: &Key,
    context: ErrorContext<'_>,
    call: &Call<'_>,
    cluster: &mut dyn Cluster,
) -> Result<Value, Complaint> {
    let dry = report::dry_run(call)?;
    let mut value = value.clone();
    report::record(call, &mut value);
    if call.arguments.is("save-config") {
        let applied = apply::last_applied(&desired(&value));
        if let Some(annotations) = entries_of(&mut value, "annotations") {
            annotations.insert(LAST_APPLIED.to_owned(), applied.into());
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
        write::create(&value, kind, key.namespace(), context, api)
    })?;
    if dry == DryRun::No {
        cluster.settle();
    }
    Ok(made)
}
