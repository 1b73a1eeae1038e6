//! `kubectl apply --prune`: deletes what was applied and is in the files no longer (`cmd/apply/prune.go`, v1.36).

use crate::Cluster;
use crate::call::Call;
use crate::kinds::{KindInfo, of_kind};
use crate::printers::report::{self, DryRun, Report};
use crate::printers::time;
use crate::resource::files::Manifest;
use crate::resource::selector::Selection;
use crate::resource::write::LAST_APPLIED;
use berth_sim::store::{Key, name_of, namespace_of};

/// The kinds that are pruned unless `--prune-allowlist` names others: namespaced ones first.
const DEFAULT: [&str; 16] = [
    "ConfigMap",
    "Endpoints",
    "PersistentVolumeClaim",
    "Pod",
    "ReplicationController",
    "Secret",
    "Service",
    "Job",
    "CronJob",
    "Ingress",
    "DaemonSet",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "Namespace",
    "PersistentVolume",
];

const DEPRECATED: &str = "prune.go:71] Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.";

/// What is pruned.
pub(super) struct Kinds {
    kinds: Vec<&'static KindInfo>,
    is_default: bool,
}

/// The kinds that a call prunes; `None` without `--prune`.
///
/// # Errors
/// kubectl's errors about flags that do not fit.
pub(super) fn asked(call: &Call<'_>) -> Result<Option<Kinds>, String> {
    let arguments = &call.arguments;
    let has_selector = arguments.word("selector").is_some_and(|it| !it.is_empty());
    if arguments.is("all") && has_selector {
        return Err("error: cannot set --all and --selector at the same time".to_owned());
    }
    if !arguments.is("prune") {
        return Ok(None);
    }
    if arguments.is("force") {
        return Err("error: --force cannot be used with --prune".to_owned());
    }
    if !arguments.is("all") && !has_selector {
        return Err("error: all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector".to_owned());
    }
    if arguments.is("server-side") {
        return Err("error: --prune is in alpha and doesn't currently work on objects created by server-side apply".to_owned());
    }
    let allowed = arguments.list("prune-allowlist");
    let is_default = allowed.is_empty();
    let kinds = match is_default {
        true => DEFAULT.iter().filter_map(|kind| of_kind(kind)).collect(),
        false => allowed
            .into_iter()
            .map(allowed_kind)
            .collect::<Result<_, _>>()?,
    };
    Ok(Some(Kinds { kinds, is_default }))
}

/// `core/v1/ConfigMap`
fn allowed_kind(name: &str) -> Result<&'static KindInfo, String> {
    let [group, version, kind] = name.split('/').collect::<Vec<_>>()[..] else {
        return Err(format!(
            "error: invalid GroupVersionKind format: {name}, please follow <group/version/kind>"
        ));
    };
    let api_version = match group {
        "core" | "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    let known = of_kind(kind).filter(|info| info.api_version == api_version);
    known.ok_or_else(|| format!("error: no matches for kind {kind:?} in version {api_version:?}"))
}

/// Deletes the objects of the kinds, in the namespaces of the files, that carry the annotation of `apply` and are in no
/// file.
pub(super) fn run(
    Kinds { kinds, is_default }: &Kinds,
    visited: &[&Manifest],
    selection: &Selection,
    dry: DryRun,
    report: &mut Report,
    cluster: &mut dyn Cluster,
) {
    if *is_default {
        let head = time::of_log(&cluster.api().now());
        report.output.warn(format!("{head} {DEPRECATED}"));
    }
    let mut namespaces: Vec<&str> = visited.iter().map(|it| it.key.namespace()).collect();
    namespaces.retain(|namespace| !namespace.is_empty());
    berth_base::sort::sort(&mut namespaces);
    namespaces.dedup();
    let [namespaced, of_cluster] =
        [true, false].map(|it| kinds.iter().filter(move |kind| kind.namespaced == it));
    let within = namespaces
        .iter()
        .flat_map(|namespace| namespaced.clone().map(move |kind| (*namespace, *kind)));
    let places: Vec<(&str, &'static KindInfo)> =
        within.chain(of_cluster.map(|kind| ("", *kind))).collect();
    for (namespace, kind) in places {
        report.asks(kind);
        for (key, object) in abandoned(kind, namespace, visited, selection, cluster) {
            if dry != DryRun::Client
                && let Err(error) =
                    report::on(dry, cluster, |api| api.delete_object(kind.kind, &key))
            {
                let scope = if kind.namespaced {
                    "namespaced"
                } else {
                    "nonNamespaced"
                };
                let slash = if kind.group().is_empty() { "/" } else { "" };
                let (version, name) = (kind.api_version, kind.kind);
                report.refuse(format!(
                    "error: error pruning {scope} object {slash}{version}, Kind={name}: {error}"
                ));
                return;
            }
            report.done(kind, &object, "pruned");
        }
        if dry == DryRun::No {
            cluster.settle();
        }
    }
}

/// Objects of a kind that were applied before and are in none of the files.
fn abandoned(
    kind: &'static KindInfo,
    namespace: &str,
    visited: &[&Manifest],
    selection: &Selection,
    cluster: &dyn Cluster,
) -> Vec<(Key, serde_json::Value)> {
    let is_visited = |key: &Key| {
        let mut visited = visited.iter();
        visited.any(|it| it.kind.kind == kind.kind && it.key == *key)
    };
    let mut found = Vec::new();
    for object in cluster.api().list(kind.kind) {
        let meta = object.metadata();
        let key = Key::new(namespace_of(meta), name_of(meta));
        let annotations = meta.annotations.as_ref();
        let is_applied = annotations.is_some_and(|it| it.contains_key(LAST_APPLIED));
        if is_applied
            && namespace_of(meta) == namespace
            && selection.selects(&object)
            && !is_visited(&key)
        {
            found.push((key, object.to_json()));
        }
    }
    found
}
