//! `kubectl apply`: sets the fields of manifests, and removes fields that only the last applied manifest had.

pub(super) mod last_applied;
mod prune;
mod server_side;

use serde_json::Value;

use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::{Complaint, ErrorContext};
use crate::kinds;
use crate::printers::output::sorted;
use crate::printers::report::{self, DRY_RUN, DryRun, FIELD_MANAGER, OUTPUT, RECORD, Report};
use crate::resource::files::{self, FILENAME, KUSTOMIZE, Manifest, RECURSIVE};
use crate::resource::selector::Selection;
use crate::resource::subresource::SUBRESOURCE;
use crate::resource::write::{self, LAST_APPLIED, desired, entries_of, meta_of};
use berth_sim::patch::apply_again;
use berth_sim::server::ApiServer;
use berth_sim::store::Object;

pub(crate) const APPLY: Verb = Verb {
    name: "apply",
    about: "Apply a configuration to a resource by file name or stdin",
    usage: "apply (-f FILENAME | -k DIRECTORY)",
    examples: &[
        "kubectl apply -f pod.yaml",
        "cat pod.yaml | kubectl apply -f -",
    ],
    flags: &[
        FILENAME,
        KUSTOMIZE,
        RECURSIVE,
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        RECORD,
        Flag::word("selector").short('l'),
        Flag::switch("server-side"),
        Flag::switch("force-conflicts"),
        Flag::switch("force"),
        Flag::maybe("validate", "strict"),
        Flag::switch("wait"),
        Flag::switch("prune"),
        Flag::words("prune-allowlist"),
        Flag::switch("all"),
        Flag::switch("overwrite"),
        SUBRESOURCE,
    ],
    run,
};

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    if !call.arguments.words.is_empty() {
        let words = call.arguments.words.join(" ");
        return Err(format!(
            "error: Unexpected args: [{words}]\nSee 'kubectl apply -h' for help and examples"
        ));
    }
    let prunes = prune::asked(call)?;
    let mut report = Report::new(call)?;
    report.follow(cluster.api().release());
    let dry = report::dry_run(call)?;
    let manifests = files::read(call, cluster)?;
    let selector = call.arguments.word("selector").unwrap_or_default();
    let selection = Selection::parse(selector, "")?;
    for note in &manifests.notes {
        report.output.warn(note);
    }
    let is_empty = manifests.all.is_empty();
    if is_empty && manifests.faults.is_empty() && manifests.notes.is_empty() {
        return Err("error: no objects passed to apply".to_owned());
    }
    let server_side = call.arguments.is("server-side");
    if call.arguments.is("force-conflicts") && !server_side {
        return Err("error: --force-conflicts only works with --server-side".to_owned());
    }
    if server_side && dry == DryRun::Client {
        return Err(
            "error: --dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)"
                .to_owned(),
        );
    }
    for manifest in &manifests.all {
        if !selector.is_empty() && !is_selected(manifest, &selection) {
            continue;
        }
        let applied = match server_side {
            true => server_side::one(manifest, dry, call, cluster).map_err(Complaint::from),
            false => one(manifest, dry, call, cluster),
        };
        report.asks(manifest.kind);
        report.hear(cluster);
        match applied {
            Ok(applied) => {
                for warning in &applied.warnings {
                    report.output.warn(warning);
                }
                report.done(manifest.kind, &applied.object, applied.operation);
            }
            Err(complaint) => report.refuse(complaint),
        }
        if dry == DryRun::No {
            cluster.settle();
        }
    }
    for fault in &manifests.faults {
        report.refuse(fault.as_str());
    }
    if let Some(kinds) = prunes
        && !report.is_refused()
    {
        let asked = manifests.all.iter();
        let is_asked = |it: &&Manifest| selector.is_empty() || is_selected(it, &selection);
        let visited: Vec<&Manifest> = asked.filter(is_asked).collect();
        prune::run(&kinds, &visited, &selection, dry, &mut report, cluster);
    }
    report.finish()
}

/// Whether a label selector takes an object of a file.
pub(super) fn is_selected(manifest: &Manifest, selection: &Selection) -> bool {
    write::decoded(&manifest.value, ErrorContext::Nothing)
        .ok()
        .and_then(|it| Object::of_manifest(&it))
        .is_none_or(|object| selection.selects(&object))
}

/// What `apply` would make of an object: the server's answer to a dry run, without the annotation of what was applied
/// last.
pub(super) fn merged(
    manifest: &Manifest,
    call: &Call<'_>,
    cluster: &mut dyn Cluster,
) -> Result<Value, Complaint> {
    if call.arguments.is("server-side") {
        let applied = server_side::one(manifest, DryRun::Server, call, cluster);
        return Ok(applied?.object);
    }
    let mut wanted = wanted(manifest, call)?;
    // What was applied last had annotations, if none of its own; they stay.
    entries_of(&mut wanted, "annotations");
    report::on(DryRun::Server, cluster, |api| {
        write_it(manifest, &wanted, api)
    })
    .map(|applied| applied.object)
}

/// kubectl's error about a manifest without a name.
fn nameless(manifest: &Manifest) -> String {
    let Manifest {
        kind, key, file, ..
    } = manifest;
    let slash = if kind.group().is_empty() { "/" } else { "" };
    format!(
        "error: error when retrieving current configuration of:\nResource: {:?}, GroupVersionKind: \"{slash}{}, Kind={}\"\nName: \"\", Namespace: {:?}\nfrom server for: {file:?}: resource name may not be empty",
        kinds::version_and_resource(kind),
        kind.api_version,
        kind.kind,
        key.namespace()
    )
}

struct Applied {
    object: Value,
    operation: &'static str,
    warnings: Vec<String>,
}

/// The manifest as it is sent.
fn wanted(manifest: &Manifest, call: &Call<'_>) -> Result<Value, Complaint> {
    let Manifest {
        value, kind, key, ..
    } = manifest;
    if key.name().is_empty() {
        let complaint = match value.pointer("/metadata/generateName") {
            Some(base) => format!(
                "error: from {}: cannot use generate name with apply",
                base.as_str().unwrap_or_default()
            ),
            None => nameless(manifest),
        };
        return Err(complaint.into());
    }
    let mut wanted = desired(value);
    report::record(call, &mut wanted);
    if kind.namespaced
        && let Some(meta) = meta_of(&mut wanted)
    {
        meta.insert("namespace".to_owned(), key.namespace().into());
    }
    Ok(wanted)
}

fn one(
    manifest: &Manifest,
    dry: DryRun,
    call: &Call<'_>,
    cluster: &mut dyn Cluster,
) -> Result<Applied, Complaint> {
    let mut wanted = wanted(manifest, call)?;
    let applied = last_applied(&wanted);
    let exists = cluster
        .api()
        .get(manifest.kind.kind, &manifest.key)
        .is_some();
    if dry == DryRun::Client && !exists {
        return Ok(Applied {
            object: wanted,
            operation: "created",
            warnings: Vec::new(),
        });
    }
    if let Some(annotations) = entries_of(&mut wanted, "annotations") {
        annotations.insert(LAST_APPLIED.to_owned(), applied.into());
    }
    report::on(dry, cluster, |api| write_it(manifest, &wanted, api))
}

/// Creates the object, or changes what is there.
fn write_it(
    manifest: &Manifest,
    wanted: &Value,
    api: &mut ApiServer,
) -> Result<Applied, Complaint> {
    let Manifest { kind, key, .. } = manifest;
    if api.get(kind.kind, key).is_some() {
        return again(manifest, wanted, api);
    }
    let context = format!("error when creating {:?}", manifest.file);
    let object = write::create(
        wanted,
        kind,
        key.namespace(),
        ErrorContext::File(&context),
        api,
    )?;
    Ok(Applied {
        object,
        operation: "created",
        warnings: Vec::new(),
    })
}

/// The manifest as the `last-applied-configuration` annotation stores it.
pub(crate) fn last_applied(manifest: &Value) -> String {
    let mut manifest = manifest.clone();
    if let Some(annotations) = entries_of(&mut manifest, "annotations") {
        annotations.shift_remove(LAST_APPLIED);
    }
    format!("{}\n", sorted(&manifest))
}

fn again(manifest: &Manifest, wanted: &Value, api: &mut ApiServer) -> Result<Applied, Complaint> {
    let Manifest { kind, key, .. } = manifest;
    // Decode the manifest before merging, so that errors name its own fields.
    let context = format!("error when patching {:?}", manifest.file);
    write::decoded(wanted, ErrorContext::File(&context))?;
    let mut warnings = Vec::new();
    let (is_other, object) = write::change(kind, key, api, &mut |live| {
        let annotation = last_applied::annotation(live);
        let before = annotation
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or(Value::Null);
        if annotation.is_none() {
            warnings.push(format!(
                "Warning: resource {}/{} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.",
                kind.plural, key.name()
            ));
        }
        let mut before = before;
        // Ignore null annotations: the last-applied annotation is always written.
        if let Some(meta) = before.get_mut("metadata").and_then(Value::as_object_mut)
            && meta.get("annotations").is_some_and(Value::is_null)
        {
            meta.shift_remove("annotations");
        }
        apply_again(live, &before, wanted);
        Ok(())
    })?;
    let operation = if is_other { "configured" } else { "unchanged" };
    Ok(Applied {
        object,
        operation,
        warnings,
    })
}
