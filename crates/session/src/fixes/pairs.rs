//! Two changes at once, where no single one helps: a taint is tolerated, and a request is lowered.

use berth_protocol::fix::{Candidate, Change, NewNode, Part};

/// Maximum number of pairs that are tried.
const MAX_PAIRS: usize = 60;

/// Whether a change alone leaves nothing to ask for: it needs no node unlike those that exist, and nothing that is reserved
/// for others.
pub fn is_enough(what: &Change) -> bool {
    let is_new = matches!(
        what,
        Change::AddNode {
            kind: NewNode::Larger | NewNode::Unlike,
            ..
        }
    );
    !is_new && !what.rank().is_last_resort()
}

/// The pairs of these candidates, none of which helps alone, in the order in which an operator would try them.
pub fn of(singles: &[Candidate]) -> Vec<Candidate> {
    let usable = singles.iter().filter(|it| {
        is_enough(&it.what) && !matches!(it.what, Change::Forgo { .. } | Change::DeletePod { .. })
    });
    let usable: Vec<&Candidate> = usable.collect();
    let mut pairs: Vec<(&Candidate, &Candidate)> = Vec::new();
    for (at, first) in usable.iter().enumerate() {
        let others = usable.iter().skip(at + 1);
        pairs.extend(
            others
                .filter(|second| second.group != first.group && !are_alike(first, second))
                .map(|second| (*first, *second)),
        );
    }
    pairs.sort_by_key(|(first, second)| {
        let (one, other) = (first.rank(), second.rank());
        (one.max(other), one.min(other))
    });
    pairs.truncate(MAX_PAIRS);
    pairs.into_iter().map(both).collect()
}

/// Whether both do the same to different nodes: for one Pod, one of them is enough.
fn are_alike(first: &Candidate, second: &Candidate) -> bool {
    let is_of_nodes = matches!(
        first.what,
        Change::Uncordon { .. }
            | Change::RemoveTaint { .. }
            | Change::LabelNode { .. }
            | Change::UnlabelNode { .. }
            | Change::AddNode { .. }
    );
    is_of_nodes && first.what.kind() == second.what.kind() && node_of(first) != node_of(second)
}

/// The node that a change is about.
fn node_of(candidate: &Candidate) -> Option<&str> {
    match &candidate.what {
        Change::Uncordon { node }
        | Change::RemoveTaint { node, .. }
        | Change::LabelNode { node, .. }
        | Change::UnlabelNode { node, .. } => Some(node),
        Change::AddNode { name, .. } => Some(name),
        _ => None,
    }
}

fn both((first, second): (&Candidate, &Candidate)) -> Candidate {
    let part = |candidate: &Candidate| {
        Box::new(Part {
            what: candidate.what.clone(),
            template: candidate.template.clone(),
        })
    };
    let more = second
        .edits
        .iter()
        .filter(|edit| !first.edits.contains(edit));
    Candidate {
        what: Change::Both {
            first: part(first),
            second: part(second),
        },
        edits: first.edits.iter().chain(more).cloned().collect(),
        group: format!("{}\n{}", first.group, second.group),
        template: None,
    }
}
