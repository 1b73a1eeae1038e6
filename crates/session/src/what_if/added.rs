//! What new nodes come to.

use std::collections::BTreeSet;
use std::rc::Rc;

use berth_core::api::edit::on_objects;
use berth_core::api::load::Loaded;
use berth_core::api::manifests::of_loaded;
use berth_protocol::edit::{Edit, EditError};
use berth_protocol::gesture::{Gesture, NodeTemplate};
use berth_protocol::remark::Remark;
use berth_protocol::what_if::Question;
use berth_scheduler::plugins::registry::registry;
use berth_sim::run::{Order, Run};
use serde_json::Value;

use super::{Asked, Change, Ground, Play, Plays, no_such_node};
use crate::gesture;
use crate::session::Session;
use crate::sources::run_options;
use crate::{edit, sources, what_if};

/// The ground with more nodes, and the names of those like each model.
pub(super) struct LargerGround {
    pub ground: Ground,
    pub nodes: Vec<Vec<String>>,
}

/// Asks what comes of so many new nodes like this one.
///
/// # Errors
/// If there is no such node, its manifest cannot be read, the number makes no sense, or the cluster is simulated.
pub fn ask_more_nodes(session: &Session, like: &str, count: u32) -> Result<Asked, EditError> {
    let ground = what_if::ground(session)?;
    if !ground.has_node(like) {
        return Err(no_such_node(like));
    }
    let LargerGround {
        ground: grown,
        nodes,
    } = grown(session, &ground, &[(like.to_owned(), count)])?;
    let question = Question::Add {
        like: like.to_owned(),
        nodes: nodes.concat(),
    };
    let with_nodes = Play {
        base: Rc::clone(&grown.run),
        change: Change::Nothing,
        order: Order::Names,
    };
    Ok(Asked {
        plays: Plays::of([ground.as_it_is(), with_nodes]),
        question,
        ground,
        with: Some(grown),
        before: None,
        ends: Vec::new(),
    })
}

/// The manifests with this many nodes like each model, and these nodes.
pub(super) fn nodes_like(
    session: &Session,
    models: &[(String, u32)],
) -> Result<(Loaded, Vec<Vec<Value>>), EditError> {
    edit::sources_can_be_read(session)?;
    let mut loaded = edit::editable(session);
    let mut nodes = Vec::new();
    for (like, count) in models {
        let gesture = Gesture::AddNodes {
            template: NodeTemplate::Like { node: like.clone() },
            count: *count,
            topology: None,
        };
        let release = &session.manifests().prepared.release;
        let edits = gesture::edits(&loaded, release, &gesture)?;
        loaded = on_objects(&loaded, &edits)?;
        nodes.push(edits.into_iter().filter_map(created).collect());
    }
    Ok((loaded, nodes))
}

/// The ground with this many nodes like each model, on which DaemonSets' Pods run, before any Pod is tried.
pub(super) fn grown(
    session: &Session,
    ground: &Ground,
    models: &[(String, u32)],
) -> Result<LargerGround, EditError> {
    let (loaded, nodes) = nodes_like(session, models)?;
    let named = |node: &Value| node["metadata"]["name"].as_str().map(str::to_owned);
    let nodes = nodes
        .iter()
        .map(|nodes| nodes.iter().filter_map(named).collect());
    let nodes: Vec<Vec<String>> = nodes.collect();
    let manifests = of_loaded(loaded, &sources::prepare_options(session));
    let prepared = (&ground.manifests.prepared, &manifests.prepared);
    let options = run_options(&ground.options);
    let grown: Result<Run, _> =
        ground
            .run
            .continued(prepared, &BTreeSet::new(), &registry(), options);
    let refused = |_| EditError::new(Remark::manifests_not_accepted(), Remark::default());
    let run = Rc::new(grown.map_err(refused)?);
    Ok(LargerGround {
        ground: Ground {
            run,
            manifests: Rc::new(manifests),
            options: ground.options.clone(),
        },
        nodes,
    })
}

/// The object that an edit creates.
fn created(edit: Edit) -> Option<Value> {
    match edit {
        Edit::Create { manifest } => Some(manifest),
        _ => None,
    }
}
