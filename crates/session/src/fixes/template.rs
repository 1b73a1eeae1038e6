//! Changes of a Pod whose workload the manifests lack, as in a dump of nodes and Pods: no Pod is changed alone, so the same
//! edits are made of all Pods of that workload, as a new template would.

use berth_core::api::prepared::ControllerRef;
use berth_protocol::edit::Edit;
use berth_protocol::fix::Candidate;
use berth_scheduler::cluster::pod::PodInfo;

use super::candidates::FixContext;
use super::source::Source;
use crate::workload;

/// Maximum number of Pods that change.
const MAX_PODS: usize = 100;

/// Extends the candidates that edit the Pod's own document to the other Pods of its workload.
pub fn complete(context: &FixContext<'_>, candidates: &mut [Candidate]) {
    let controller = context.pod.object.template.controller.as_ref();
    let Some(controller) = controller.filter(|it| !it.stays_on_its_node()) else {
        return;
    };
    if context.session.is_simulated() || context.source.is_workload() {
        return;
    }
    let own = &context.source.object;
    let changes = |edit: &Edit| match edit {
        Edit::Set { object, .. } | Edit::Remove { object, .. } | Edit::Append { object, .. } => {
            object == own
        }
        Edit::Create { .. } | Edit::Delete { .. } | Edit::Replace { .. } => false,
    };
    let mut siblings: Option<Vec<Source>> = None;
    for candidate in candidates {
        if !candidate.edits.iter().any(changes) {
            continue;
        }
        let siblings = siblings.get_or_insert_with(|| siblings_of(context, controller));
        let edits: Vec<Edit> = candidate
            .edits
            .iter()
            .filter(|it| changes(it))
            .cloned()
            .collect();
        let more = siblings
            .iter()
            .flat_map(|sibling| edits.iter().filter_map(|edit| made_on(sibling, edit)));
        candidate.edits.extend(more);
        candidate.template = Some(workload::named(context.pod));
    }
}

fn siblings_of(context: &FixContext<'_>, controller: &ControllerRef) -> Vec<Source> {
    let pods = context.cluster.pods().iter();
    let same = |pod: &&PodInfo| {
        let other = pod.object.template.controller.as_ref();
        pod.ix != context.pod.ix
            && pod.object.namespace == context.pod.object.namespace
            && !pod.object.terminating
            && other.is_some_and(|it| it.kind == controller.kind && it.name == controller.name)
    };
    let sources = pods
        .filter(same)
        .take(MAX_PODS)
        .filter_map(|pod| Source::at(context.session, pod.object.document));
    sources.filter(|source| !source.is_workload()).collect()
}

/// The edit of another Pod's document; `None` if it lacks the field.
fn made_on(source: &Source, edit: &Edit) -> Option<Edit> {
    match edit {
        Edit::Set { path, value, .. } => source.set(path, value.clone()),
        Edit::Remove { path, .. } => source.remove(path),
        Edit::Append { path, value, .. } => Some(source.append(path, value.clone())),
        Edit::Create { .. } | Edit::Delete { .. } | Edit::Replace { .. } => None,
    }
}
