//! `kubectl diff`: what `apply` would change, as `diff -u -N` shows it.

use serde_json::Value;

use super::apply;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::Complaint;
use crate::printers::report::FIELD_MANAGER;
use crate::printers::{Format, time};
use crate::resource::files::{self, FILENAME, KUSTOMIZE, Manifest, RECURSIVE};
use crate::resource::selector::Selection;
use crate::resource::shown::shown;
use crate::{Cluster, Output};
use berth_base::difflib;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

pub(crate) const DIFF: Verb = Verb {
    name: "diff",
    about: "Diff the live version against a would-be applied version",
    usage: "diff -f FILENAME",
    examples: &["kubectl diff -f pod.yaml"],
    flags: &[
        FILENAME,
        KUSTOMIZE,
        RECURSIVE,
        FIELD_MANAGER,
        Flag::word("selector").short('l'),
        Flag::switch("server-side"),
        Flag::switch("force-conflicts"),
        Flag::switch("show-managed-fields"),
        Flag::number("concurrency"),
    ],
    run,
};

/// The exit code if there are differences; that of an error is greater.
const DIFFERENT: i32 = 1;
const FAILED: i32 = 2;

/// What stands for the value of a Secret.
const MASK: &str = "***";

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    Ok(differences(call, cluster).unwrap_or_else(|why| Output::failure(&why, FAILED)))
}

fn differences(call: &Call<'_>, cluster: &mut dyn Cluster) -> Done {
    if !call.arguments.words.is_empty() {
        let words = call.arguments.words.join(" ");
        return Err(format!(
            "error: Unexpected args: [{words}]\nSee 'kubectl diff -h' for help and examples"
        ));
    }
    let manifests = files::read(call, cluster)?;
    let selector = call.arguments.word("selector").unwrap_or_default();
    let selection = Selection::parse(selector, "")?;
    let mut texts = Vec::new();
    for manifest in &manifests.all {
        if !selector.is_empty() && !apply::is_selected(manifest, &selection) {
            continue;
        }
        let [live, merged] = sides(manifest, call, cluster).map_err(String::from)?;
        texts.push((file_name(manifest), print(live)?, print(merged)?));
    }
    if let Some(fault) = manifests.faults.into_iter().next() {
        return Err(fault);
    }
    berth_base::sort::sort(&mut texts);
    let mut output = Output::default();
    let now = time::of_file(&cluster.api().now());
    for (name, live, merged) in texts.iter().filter(|(_, live, merged)| live != merged) {
        let [old, new] = ["LIVE", "MERGED"].map(|side| format!("/tmp/{side}-0/{name}"));
        output.line(format!("diff -u -N {old} {new}"));
        let then = if live.is_empty() {
            time::of_file(&Time(Timestamp::UNIX_EPOCH))
        } else {
            now.clone()
        };
        output.line(format!("--- {old}\t{then}"));
        output.line(format!("+++ {new}\t{now}"));
        output.stdout.push_str(&unified(live, merged));
        output.code = DIFFERENT;
    }
    Ok(output)
}

/// The live object, which may not be there, and what `apply` would make of it.
fn sides(
    manifest: &Manifest,
    call: &Call<'_>,
    cluster: &mut dyn Cluster,
) -> Result<[Value; 2], Complaint> {
    let api = cluster.api();
    let live = api.get(manifest.kind.kind, &manifest.key);
    let mut live = live.map_or(Value::Null, |live| shown(&live, api));
    let mut merged = apply::merged(manifest, call, cluster)?;
    // A dry run stores nothing, so no version is given out.
    let version = live.pointer("/metadata/resourceVersion").cloned();
    if let Some(meta) = merged.get_mut("metadata").and_then(Value::as_object_mut) {
        match version {
            Some(version) => meta.insert("resourceVersion".to_owned(), version),
            None => meta.shift_remove("resourceVersion"),
        };
    }
    if manifest.kind.kind == "Secret" {
        mask(&mut live, &mut merged);
    }
    for side in [&mut live, &mut merged] {
        if let Some(meta) = side.get_mut("metadata").and_then(Value::as_object_mut)
            && !call.arguments.is("show-managed-fields")
        {
            meta.shift_remove("managedFields");
        }
    }
    Ok([live, merged])
}

/// Hides the data of a Secret; what differs is marked.
fn mask(live: &mut Value, merged: &mut Value) {
    let data = |side: &Value| side.get("data").cloned().unwrap_or_default();
    let (old, new) = (data(live), data(merged));
    for (side, other, mark) in [(live, &new, " (before)"), (merged, &old, " (after)")] {
        let Some(entries) = side.get_mut("data").and_then(Value::as_object_mut) else {
            continue;
        };
        for (key, value) in entries.iter_mut() {
            let differs = other.get(key).is_some_and(|other| *other != *value);
            let mark = if differs { mark } else { "" };
            *value = format!("{MASK}{mark}").into();
        }
    }
}

fn print(object: Value) -> Result<String, String> {
    match object {
        Value::Null => Ok(String::new()),
        object => Format::Yaml.print(vec![object], true, false),
    }
}

/// `apps.v1.Deployment.default.web`
fn file_name(manifest: &Manifest) -> String {
    let Manifest { kind, key, .. } = manifest;
    let version = kind.api_version.replace('/', ".");
    format!("{version}.{}.{}.{}", kind.kind, key.namespace(), key.name())
}

/// The difference of two files; one that is not there is empty.
fn unified(old: &str, new: &str) -> String {
    if !old.is_empty() {
        let [old, new] = [old, new].map(|text| text.strip_suffix('\n').unwrap_or(text));
        return difflib::unified(old, new);
    }
    let lines: Vec<String> = new.lines().map(|line| format!("+{line}\n")).collect();
    format!("@@ -0,0 +1,{} @@\n{}", lines.len(), lines.concat())
}

#[cfg(test)]
mod tests {
    use crate::tests::cluster::TestCluster;
    use crate::tests::commands::run;
    use berth_shell::Files as _;

    #[test]
    fn what_apply_would_change_is_shown_and_nothing_is_changed() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: '1'}\n";
        cluster.write_file("one.yaml", one.to_owned());
        let new = run(&mut cluster, "diff -f one.yaml");
        assert_eq!(new.code, 1, "{}", new.stderr);
        assert!(
            new.stdout
                .contains("\n@@ -0,0 +1,9 @@\n+apiVersion: v1\n+data:\n+  a: \"1\"\n"),
            "{}",
            new.stdout
        );
        assert!(!run(&mut cluster, "get cm one").stderr.is_empty());
        run(&mut cluster, "apply -f one.yaml");
        let same = run(&mut cluster, "diff -f one.yaml");
        assert_eq!((same.code, same.stdout.as_str()), (0, ""));
        cluster.write_file("one.yaml", one.replace("'1'", "'2'"));
        let other = run(&mut cluster, "diff -f one.yaml").stdout;
        assert!(
            other.contains("\n@@ -1,6 +1,6 @@\n apiVersion: v1\n data:\n-  a: \"1\"\n+  a: \"2\"\n kind: ConfigMap\n"),
            "{other}"
        );
        let missing = run(&mut cluster, "diff -f none.yaml");
        assert_eq!(missing.code, 2);
    }

    #[test]
    fn data_of_secrets_are_masked() {
        let mut cluster = TestCluster::with_nodes(&[]);
        let one = "apiVersion: v1\nkind: Secret\nmetadata: {name: one}\nstringData: {a: first, b: same}\n";
        cluster.write_file("one.yaml", one.to_owned());
        run(&mut cluster, "apply -f one.yaml");
        cluster.write_file("one.yaml", one.replace("first", "other"));
        let other = run(&mut cluster, "diff -f one.yaml").stdout;
        for masked in ["-  a: '*** (before)'", "+  a: '*** (after)'", "   b: '***'"] {
            assert!(other.contains(masked), "{other}");
        }
    }
}
