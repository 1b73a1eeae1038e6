//! The removal of scheduling gates from Pods that no attempt was made for. Where Pods are only scheduled it is an edit of
//! the manifests; in a simulated cluster the Pods are patched, as no command of kubectl's own removes a gate.

use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::fix::{Candidate, Change, Fix, GroupFix};
use berth_protocol::frame::HeldBy;
use berth_protocol::key::split;
use berth_scheduler::cluster::pod::PodInfo;

use super::fields::key;
use super::source::Source;
use crate::preview::{Placement, Target};
use crate::session::Session;
use crate::{edit, preview};

/// Maximum number of Pods that are changed together.
const MOST: usize = 200;
/// Maximum number of feasible nodes that a fix lists.
const MAX_NAMED: usize = 8;

/// Removes the gates of these Pods (`namespace/name`) on a branch at this moment; `None` if the first of them has none,
/// or would not be bound then.
pub fn ungate(session: &Session, pods: &[String]) -> Option<GroupFix> {
    let gated = gated(session, pods);
    let (first, gates) = gated.first()?;
    let gates = gates.clone();
    let all = || gated.iter().take(MOST).map(|(pod, _)| *pod);
    let (candidate, (placement, (helped, tried))) = if session.is_simulated() {
        let namespace = &first.object.namespace;
        let beside = all().filter(|pod| pod.object.namespace == *namespace);
        let keys: Vec<String> = beside.map(|pod| pod.object.key()).collect();
        let line = line(namespace, &keys);
        let preview = preview::preview_line(session, &line, &keys)?;
        let object = Source::unwritten(first).object;
        (candidate(gates, object, line, Vec::new()), preview)
    } else {
        let sources = all().filter_map(|pod| {
            let source = Source::at(session, pod.object.document)?;
            let edit = source.remove(&[key("spec"), key("schedulingGates")])?;
            Some((pod, source, edit))
        });
        let sources: Vec<(&PodInfo, Source, Edit)> = sources.collect();
        let object = sources.first()?.1.object.clone();
        let mut edits: Vec<Edit> = Vec::new();
        for (_, _, edit) in &sources {
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
        let targets = sources.into_iter().map(|(pod, source, _)| Target {
            key: pod.object.key(),
            source: Some((source.document, source.object)),
        });
        let targets: Vec<Target> = targets.collect();
        let preview = preview_edits(session, &edits, &targets)?;
        (candidate(gates, object, String::new(), edits), preview)
    };
    let fix = Fix {
        rank: candidate.rank(),
        what: candidate.what,
        edits: candidate.edits,
        node: placement.node,
        feasible_count: u32::try_from(placement.feasible.len()).unwrap_or(u32::MAX),
        feasible: placement.feasible.into_iter().take(MAX_NAMED).collect(),
        template: None,
        moves: Vec::new(),
    };
    Some(GroupFix { fix, helped, tried })
}

/// Those of the Pods that have gates, with the gates of each.
fn gated<'s>(session: &'s Session, pods: &[String]) -> Vec<(&'s PodInfo, Vec<String>)> {
    let run = session.history.with_sources();
    let asked = run.gated().filter(|pod| pods.contains(&pod.object.key()));
    let gated = asked.filter_map(|pod| match run.held_by(pod)? {
        HeldBy::Gates(gates) => Some((pod, gates)),
        HeldBy::Scheduler(_) => None,
    });
    let mut gated: Vec<_> = gated.collect();
    // The first Pod decides whether the change helps.
    gated.sort_by_key(|(pod, _)| pods.first() != Some(&pod.object.key()));
    gated
}

fn preview_edits(
    session: &Session,
    edits: &[Edit],
    targets: &[Target],
) -> Option<(Placement, (usize, usize))> {
    let after = || edit::objects_after(session, edits).ok();
    let placement = preview::preview(session, after()?, edits, targets.first()?).ok()??;
    let counts = preview::preview_all(session, after()?, edits, targets).ok()?;
    Some((placement, counts))
}

fn candidate(gates: Vec<String>, object: ObjectRef, line: String, edits: Vec<Edit>) -> Candidate {
    Candidate {
        what: Change::RemoveGates {
            gates,
            object,
            line,
        },
        edits,
        group: String::new(),
        template: None,
    }
}

/// The line of the terminal that removes all gates of these Pods of a namespace.
fn line(namespace: &str, keys: &[String]) -> String {
    let names: Vec<&str> = keys.iter().map(|key| split(key).1).collect();
    let namespace = match namespace {
        "default" => String::new(),
        namespace => format!(" -n {namespace}"),
    };
    format!(
        r#"kubectl patch pod {}{namespace} --type=json -p='[{{"op":"remove","path":"/spec/schedulingGates"}}]'"#,
        names.join(" ")
    )
}
