//! Changes on trial: they make a fork even at the end of the run, whose list of changes names the gesture.

use berth_protocol::edit::{Edit, EditError, ObjectRef};
use berth_protocol::frame::ForkChange;
use berth_protocol::gesture::{Gesture, Label, NodeTemplate};
use berth_protocol::remark::Remark;

use super::compare::unfinished;
use super::delivery::Delivery;
use super::gesture;
use crate::edit;
use crate::session::Session;

/// Makes a change that keeps the run as the first one, even at its end: what follows is a fork.
pub fn on_trial<T>(session: &mut Session, change: impl FnOnce(&mut Session) -> T) -> T {
    let before = std::mem::replace(&mut session.forks_at_end, true);
    let made = change(session);
    session.forks_at_end = before;
    made
}

/// Deletes all nodes that have this label.
///
/// # Errors
/// As [`crate::edit::perform`]; also if there is no such node.
pub fn lose_zone(session: &mut Session, zone: &Label) -> Result<(), EditError> {
    edit::sources_can_be_read(session)?;
    let cluster = session.run().cluster();
    let nodes = cluster
        .nodes()
        .filter(|node| node.labels.get(&zone.key) == Some(&zone.value));
    let nodes: Vec<String> = nodes.map(|node| node.name.to_string()).collect();
    if nodes.is_empty() {
        let Label { key, value } = zone;
        let message = Remark::no_node_matches(format!("{key}={value}"));
        return Err(EditError::new(message, Remark::default()));
    }
    let is_on_them = |node: &str| nodes.iter().any(|it| it == node);
    let pods = unfinished(cluster)
        .filter(|pod| pod.object.node_name.as_deref().is_some_and(is_on_them))
        .count();
    let objects = nodes.iter().map(ObjectRef::node);
    let gesture = Gesture::Delete {
        objects: objects.collect(),
    };
    let loaded = edit::editable(session);
    let edits = gesture::edits(&loaded, &session.manifests().prepared.release, &gesture)?;
    let edited = gesture::checked(&loaded, &edits)?;
    let zone = zone.clone();
    let delivery = Delivery {
        asked: Some(ForkChange::ZoneLost { zone, nodes, pods }),
        ..Delivery::of(&edits)
    };
    edit::deliver(session, edited.loaded, delivery)
}

/// The change that a gesture on trial makes, if its edits do not show it.
pub(super) fn asked_by(session: &Session, gesture: &Gesture, edits: &[Edit]) -> Option<ForkChange> {
    let Gesture::AddNodes {
        template: NodeTemplate::Like { node },
        ..
    } = gesture
    else {
        return None;
    };
    let created = edits.iter().filter_map(|edit| match edit {
        Edit::Create { manifest } if manifest["kind"] == "Node" => {
            Some(manifest["metadata"]["name"].as_str()?.to_owned())
        }
        _ => None,
    });
    session.forks_at_end.then(|| ForkChange::NodesAdded {
        like: node.clone(),
        nodes: created.collect(),
    })
}

#[cfg(test)]
mod tests;
