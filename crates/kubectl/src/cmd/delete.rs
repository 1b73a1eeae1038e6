//! `kubectl delete`.

use std::collections::VecDeque;

use k8s_openapi::api::core::v1::Pod;

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::Complaint;
use crate::kinds::KindInfo;
use crate::printers::report::{self, DRY_RUN, DryRun, OUTPUT};
use crate::resource::files::{self, FILENAME, KUSTOMIZE, RECURSIVE};
use crate::resource::targets::{self, Found, Target};
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output, errors};
use berth_sim::server::{ApiServer, Propagation};
use berth_sim::store::{Key, Object, uid_of};

/// kubectl's maximum wait: one week.
const WEEK_MS: i64 = 168 * 3_600_000;

pub(crate) const DELETE: Verb = Verb {
    name: "delete",
    about: "Delete resources by file names, stdin, resources and names, or by resources and label selector",
    usage: "delete ([-f FILENAME] | TYPE [(NAME | -l label | --all)])",
    examples: &[
        "kubectl delete -f pod.yaml",
        "kubectl delete pod web-0 --grace-period=0 --force",
        "kubectl delete pods -l app=web",
    ],
    flags: &[
        FILENAME,
        KUSTOMIZE,
        RECURSIVE,
        OUTPUT,
        DRY_RUN,
        Flag::word("selector").short('l'),
        Flag::word("field-selector"),
        Flag::switch("all"),
        Flag::switch("all-namespaces").short('A'),
        Flag::switch("force"),
        Flag::switch("now"),
        Flag::switch("ignore-not-found"),
        Flag::switch("wait"),
        Flag::switch("interactive").short('i'),
        Flag::maybe("cascade", "background"),
        Flag::number("grace-period"),
        Flag::duration("timeout"),
    ],
    run,
};

/// How objects are deleted.
struct DeleteOptions {
    operation: &'static str,
    /// The grace period of Pods in seconds; `None` for each Pod's own.
    grace: Option<i64>,
    propagation: Propagation,
}

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let options = delete_options(call)?;
    let dry = report::dry_run(call)?;
    let suffix = match dry {
        DryRun::No => "",
        DryRun::Client => " (dry run)",
        DryRun::Server => " (server dry run)",
    };
    let mut output = Output::default();
    if options.grace == Some(0) && call.arguments.is("force") {
        output.warn("Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.");
    }
    let mut complaints = Vec::new();
    let found = meant(call, cluster, &mut complaints)?;
    let is_by_name = call.arguments.word("output") == Some("name");
    let mut gone: Vec<(Target, String)> = Vec::new();
    for target in found.targets {
        let Target { kind, key } = &target;
        let Some(object) = cluster.api().get(kind.kind, key) else {
            // Deleting an earlier target already removed it.
            continue;
        };
        if dry != DryRun::Client
            && let Err(complaint) =
                report::on(dry, cluster, |api| delete(&object, key, &options, api))
        {
            complaints.push(complaint.into());
            continue;
        }
        if is_by_name {
            output.line(target.label());
        } else {
            let operation = format!("{}{suffix}", options.operation);
            output.line(deleted(kind, key, &operation));
        }
        gone.push((target, uid_of(object.metadata()).to_owned()));
    }
    for line in &found.missing {
        if !call.arguments.is("ignore-not-found") {
            complaints.push(line.as_str().into());
        }
    }
    for line in errors::lines(&complaints) {
        output.complain(line);
    }
    if gone.is_empty() && found.missing.is_empty() && complaints.is_empty() {
        output.line("No resources found");
    }
    if dry == DryRun::No && call.arguments.is_or("wait", !call.arguments.is("force")) {
        let timeout = call.arguments.duration_ms("timeout").filter(|ms| *ms > 0);
        let now = cluster.api().now_ms();
        let gone = Deletion {
            targets: gone.into(),
            until: now.saturating_add(timeout.unwrap_or(WEEK_MS)),
            code: output.code,
        };
        return Ok(output.and(call.wait(gone, cluster)));
    }
    Ok(output)
}

/// `pod "web" deleted from default namespace`.
pub(crate) fn deleted(kind: &KindInfo, key: &Key, operation: &str) -> String {
    let (label, name) = (kind.qualified(), key.name());
    if key.namespace().is_empty() {
        format!("{label} {name:?} {operation}")
    } else {
        let namespace = key.namespace();
        format!("{label} {name:?} {operation} from {namespace} namespace")
    }
}

fn delete_options(call: &Call<'_>) -> Result<DeleteOptions, String> {
    let arguments = &call.arguments;
    let propagation = match arguments.word("cascade") {
        None | Some("background" | "true") => Propagation::Background,
        Some("foreground") => Propagation::Foreground,
        Some("orphan" | "false") => Propagation::Orphan,
        Some(other) => {
            return Err(format!(
                "error: invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""
            ));
        }
    };
    let given = arguments.number("grace-period").filter(|grace| *grace >= 0);
    let force = arguments.is("force");
    if arguments.is("now") {
        if given.is_some() {
            return Err("error: --now and --grace-period cannot be specified together".to_owned());
        }
        return Ok(DeleteOptions {
            operation: "deleted",
            grace: Some(1),
            propagation,
        });
    }
    if force && given.is_some_and(|grace| grace > 0) {
        return Err(
            "error: --force and --grace-period greater than 0 cannot be specified together"
                .to_owned(),
        );
    }
    let (operation, grace) = match (force, given) {
        (true, _) => ("force deleted", Some(0)),
        // Without --force, kubectl replaces a grace period of 0 by 1 second.
        (false, Some(0)) => ("deleted", Some(1)),
        (false, given) => ("deleted", given),
    };
    Ok(DeleteOptions {
        operation,
        grace,
        propagation,
    })
}

/// The objects that a call selects.
fn meant(
    call: &Call<'_>,
    cluster: &dyn Cluster,
    complaints: &mut Vec<Complaint>,
) -> Result<Found, String> {
    if !files::are_given(call) {
        let words = &call.arguments.words;
        if words.is_empty() {
            return Err(targets::NO_OBJECTS.to_owned());
        }
        return targets::select(call, words, cluster);
    }
    let manifests = files::read(call, cluster)?;
    complaints.extend(manifests.faults.into_iter().map(Complaint::from));
    Ok(files::existing(manifests.all, cluster, |manifest| {
        let context = format!("(NotFound): error when deleting {:?}", manifest.file);
        files::not_found(manifest).replacen("(NotFound)", &context, 1)
    }))
}

fn delete(
    object: &Object,
    key: &Key,
    options: &DeleteOptions,
    api: &mut ApiServer,
) -> Result<(), String> {
    if api.store().get(object.kind(), key).is_none() {
        // Its controller makes it again at once.
        return Ok(());
    }
    let deleted = match object {
        Object::Pod(_) => api.delete_with::<Pod>(key, options.propagation, options.grace),
        object => api.delete_any(object, options.propagation),
    };
    deleted.map_err(|error| errors::server(&error))
}

/// Waits until each of these objects, identified by UID, is gone.
struct Deletion {
    targets: VecDeque<(Target, String)>,
    until: i64,
    /// The exit code so far.
    code: i32,
}

impl Suspended for Deletion {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        while let Some((Target { kind, key }, uid)) = self.targets.front() {
            let object = cluster.api().store().get(kind.kind, key);
            if object.is_some_and(|object| uid_of(object.metadata()) == uid) {
                if cluster.api().now_ms() < self.until {
                    return Poll::Pending(self.until);
                }
                let (plural, name) = (kind.plural, &key.name());
                output.complain(format!(
                    "error: timed out waiting for the condition on {plural}/{name}"
                ));
            }
            self.targets.pop_front();
        }
        output.code = output.code.max(self.code);
        Poll::Ready
    }
}
