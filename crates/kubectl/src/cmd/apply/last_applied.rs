//! `kubectl apply view-last-applied` and `set-last-applied`: the annotation with the manifest that was applied last.

use serde_json::Value;

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::ErrorContext;
use crate::printers::output::{json_in_order, sorted, yaml};
use crate::printers::report::{self, DRY_RUN, DryRun, OUTPUT, Report};
use crate::resource::files::{self, FILENAME, KUSTOMIZE, Manifest, RECURSIVE, not_found};
use crate::resource::targets::{self, NO_OBJECTS};
use crate::resource::write::{self, LAST_APPLIED, entries_of, meta_of};
use crate::{Cluster, Output};

pub(crate) const VIEW: Verb = Verb {
    name: "apply view-last-applied",
    about: "View the latest last-applied-configuration annotations of a resource/object",
    usage: "apply view-last-applied (TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
    examples: &["kubectl apply view-last-applied deployment/web"],
    flags: &[
        FILENAME,
        KUSTOMIZE,
        RECURSIVE,
        Flag::word("output").short('o'),
        Flag::word("selector").short('l'),
        Flag::switch("all"),
    ],
    run: view,
};

pub(crate) const SET: Verb = Verb {
    name: "apply set-last-applied",
    about: "Set the last-applied-configuration annotation on a live object to match the contents of a file",
    usage: "apply set-last-applied -f FILENAME",
    examples: &["kubectl apply set-last-applied -f web.yaml"],
    flags: &[
        FILENAME,
        KUSTOMIZE,
        RECURSIVE,
        OUTPUT,
        DRY_RUN,
        Flag::switch("create-annotation"),
    ],
    run: set,
};

pub(crate) const EDIT: Verb = Verb {
    name: "apply edit-last-applied",
    about: "Edit latest last-applied-configuration annotations of a resource/object",
    usage: "apply edit-last-applied (RESOURCE/NAME | -f FILENAME)",
    examples: &["kubectl apply edit-last-applied deployment/web"],
    flags: &[FILENAME, KUSTOMIZE, RECURSIVE, OUTPUT],
    run: edit,
};

/// The annotation of an object.
pub(super) fn annotation(object: &Value) -> Option<&str> {
    object
        .pointer("/metadata/annotations")?
        .get(LAST_APPLIED)?
        .as_str()
}

fn view(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = &call.arguments.words;
    let found = files::targets_or(call, words, targets::select_or_all, NO_OBJECTS, cluster)?;
    if let Some(missing) = found.missing.into_iter().next() {
        return Err(missing);
    }
    let format = call.arguments.word("output").filter(|it| !it.is_empty());
    let mut output = Output::default();
    for target in &found.targets {
        let object = cluster.api().get(target.kind.kind, &target.key);
        let object = object.map(|it| it.to_json()).unwrap_or_default();
        let Some(applied) = annotation(&object) else {
            let name = target.key.name();
            return Err(format!(
                "error: no last-applied-configuration annotation found on resource: {name}\n"
            ));
        };
        let applied: Value =
            serde_json::from_str(applied).map_err(|why| format!("error: {why}"))?;
        let text = match format {
            None | Some("yaml") => yaml(&sorted(&applied)),
            Some("json") => json_in_order(&applied, "  "),
            Some(other) => {
                return Err(format!(
                    "error: Unexpected -o output mode: {other}, the flag 'output' must be one of yaml|json\nSee 'kubectl apply view-last-applied -h' for help and examples"
                ));
            }
        };
        output.stdout.push_str(&text);
    }
    Ok(output)
}

fn set(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let mut report = Report::new(call)?;
    report.follow(cluster.api().release());
    let dry = report::dry_run(call)?;
    let manifests = files::read(call, cluster)?;
    if let Some(fault) = manifests.faults.into_iter().next() {
        return Err(fault);
    }
    for manifest in &manifests.all {
        let Manifest { kind, key, .. } = manifest;
        let live = cluster.api().get(kind.kind, key);
        let Some(live) = live.map(|it| it.to_json()) else {
            return Err(not_found(manifest));
        };
        let applied = as_written(manifest);
        match annotation(&live) {
            None if !call.arguments.is("create-annotation") => {
                let name = key.name();
                return Err(format!(
                    "error: no last-applied-configuration annotation found on resource: {name}, to create the annotation, run the command with --create-annotation"
                ));
            }
            Some(before) if before == applied => {
                let name = key.name();
                report
                    .output
                    .line(format!("set-last-applied {name}: no changes required."));
                continue;
            }
            _ => {}
        }
        if dry == DryRun::Client {
            report.done(kind, &live, "configured");
            continue;
        }
        let changed = report::on(dry, cluster, |api| {
            write::change_part(kind, key, None, ErrorContext::Nothing, api, &mut |object| {
                if let Some(annotations) = entries_of(object, "annotations") {
                    annotations.insert(LAST_APPLIED.to_owned(), applied.as_str().into());
                }
                Ok(())
            })
        });
        match changed {
            Ok((_, object)) => report.done(kind, &object, "configured"),
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish()
}

/// The manifest as the annotation stores it: as it is written, in its namespace.
fn as_written(manifest: &Manifest) -> String {
    let mut value = manifest.value.clone();
    if manifest.kind.namespaced
        && let Some(meta) = meta_of(&mut value)
    {
        meta.insert("namespace".to_owned(), manifest.key.namespace().into());
    }
    format!("{}\n", sorted(&value))
}

/// An editor shows objects here, not their annotations.
fn edit(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = &call.arguments.words;
    let found = files::targets_or(call, words, targets::select_or_all, NO_OBJECTS, cluster)?;
    if let Some(missing) = found.missing.into_iter().next() {
        return Err(missing);
    }
    Err("error: kubectl apply edit-last-applied opens no editor here: kubectl apply set-last-applied -f FILENAME writes the annotation".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::tests::cluster::TestCluster;
    use crate::tests::commands::{fails, prints, run};
    use berth_shell::Files as _;

    #[test]
    fn what_was_applied_last_is_viewed_and_set() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: '1'}\n";
        cluster.write_file("one.yaml", one.to_owned());
        run(&mut cluster, "create -f one.yaml");
        fails(
            &mut cluster,
            "apply view-last-applied cm/one",
            "error: no last-applied-configuration annotation found on resource: one",
        );
        fails(
            &mut cluster,
            "apply set-last-applied -f one.yaml",
            "error: no last-applied-configuration annotation found on resource: one, to create the annotation, run the command with --create-annotation",
        );
        prints(
            &mut cluster,
            "apply set-last-applied -f one.yaml --create-annotation",
            "configmap/one configured\n",
        );
        prints(
            &mut cluster,
            "apply view-last-applied cm one",
            "apiVersion: v1\ndata:\n  a: \"1\"\nkind: ConfigMap\nmetadata:\n  name: one\n  namespace: default\n",
        );
        prints(
            &mut cluster,
            "apply set-last-applied -f one.yaml",
            "set-last-applied one: no changes required.\n",
        );
        fails(
            &mut cluster,
            "apply view-last-applied deploy/web",
            "Error from server (NotFound): deployments.apps \"web\" not found",
        );
    }

    #[test]
    fn what_is_in_no_file_any_more_is_pruned() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let made = |name: &str| {
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{set: a}}}}\n---\n"
            )
        };
        cluster.write_file("one.yaml", made("one"));
        cluster.write_file("both.yaml", made("one") + &made("two"));
        run(&mut cluster, "apply -f both.yaml");
        run(&mut cluster, "create cm mine");
        run(&mut cluster, "label cm mine set=a");
        fails(
            &mut cluster,
            "apply -f one.yaml --prune",
            "error: all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
        );
        let pruned = run(
            &mut cluster,
            "apply -f one.yaml --prune -l set=a --dry-run=server",
        )
        .stdout;
        assert!(
            pruned.ends_with("configmap/two pruned (server dry run)\n"),
            "{pruned}"
        );
        prints(
            &mut cluster,
            "apply -f one.yaml --prune -l set=a --prune-allowlist=core/v1/ConfigMap",
            "configmap/one unchanged\nconfigmap/two pruned\n",
        );
        let left = run(&mut cluster, "get cm -l set=a -o name").stdout;
        assert_eq!(left, "configmap/mine\nconfigmap/one\n");
        fails(
            &mut cluster,
            "apply -f one.yaml --prune --all --prune-allowlist=ConfigMap",
            "error: invalid GroupVersionKind format: ConfigMap, please follow <group/version/kind>",
        );
    }
}
