//! What a commit would do: edits made on a branch of the session, and the Pod's next attempt there.

use std::collections::{BTreeMap, BTreeSet};

use crate::session::Session;
use crate::{edit, simulated};
use berth_core::api::edit::{document, is_same};
use berth_core::api::load::Loaded;
use berth_core::api::manifests::Manifests;
use berth_core::api::prepared::{DocumentIndex, PodObject};
use berth_protocol::edit::{Edit, EditError, ObjectRef};
use berth_protocol::fix::Moved;
use berth_protocol::key::split;
use berth_protocol::remark::Remark;
use berth_scheduler::cluster::NodeIx;
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::framework::status::Rejected;
use berth_scheduler::observer::{Observer, SearchStart};
use berth_sim::store::{Key, Store, controller_of};

/// Maximum number of entries that are played to reach the Pod's next attempt.
const MAX_STEPS: usize = 400;
/// The limit for clusters with many nodes: entries times nodes.
const MAX_WORK: usize = 200_000;
/// Maximum length of a chain of owners.
const MAX_OWNERS: usize = 4;

/// The node that a Pod is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    pub node: String,
    /// The nodes that passed, in the order in which they were found.
    pub feasible: Vec<String>,
    /// Other Pods that were bound before and are bound to another node now, in document order.
    pub moves: Vec<Moved>,
}

/// The Pod whose next attempt is previewed.
#[derive(Clone, Debug)]
pub struct Target {
    /// `namespace/name`.
    pub key: String,
    /// The document that defines the Pod: its own or that of its workload; `None` if the manifests do not contain it.
    pub source: Option<(DocumentIndex, ObjectRef)>,
}

/// The object that a Pod comes from, and its place among the Pods of that object: a changed template changes names.
type PlaceKey = (String, usize);

/// The Pods (`namespace/name`) with their nodes.
type Places = BTreeMap<PlaceKey, (String, Option<String>)>;

/// What to look for after a commit: the Pod, or the one that replaces it.
struct Watched {
    key: String,
    /// In a simulated cluster, the workload whose new Pods count because its template changed.
    workload: Option<ObjectRef>,
    /// The Pods that existed before the commit.
    known: BTreeSet<String>,
    /// The placement of a new Pod.
    placement: Option<Placement>,
}

/// Commits edits, which come to these objects ([`crate::edit::objects_after`]), on a branch at the current moment, and
/// plays up to the next attempt of the Pod, or of the Pod that replaces it. `None` if that does not bind it, or if
/// another Pod that was bound waits then: nothing is won.
///
/// # Errors
/// The edited objects that the API server of a simulated cluster refuses; empty if the edits fail otherwise.
pub(super) fn preview(
    session: &Session,
    after: Loaded,
    edits: &[Edit],
    target: &Target,
) -> Result<Option<Placement>, Vec<ObjectRef>> {
    let position = session.position();
    let mut branch = session.branch(position).ok_or_else(Vec::new)?;
    let place = place_of(session, position, target);
    let known = pod_keys(&branch);
    let mut delivery = edit::delivery_of(&branch, edits);
    let made_again = delivery.evicted.clone();
    if edit::try_deliver(&mut branch, after, &mut delivery).is_err() {
        let refused = delivery.refused.into_iter();
        return Err(refused.map(|(object, _)| object).collect());
    }
    let before = places(session);
    let watched = watched(&branch, target, place, known, edits);
    let Some(mut placement) = watched.and_then(|watched| next_placement(&mut branch, watched))
    else {
        return Ok(None);
    };
    if !branch.is_simulated() {
        let (moves, loses_one) = moves(&mut branch, &before, &target.key);
        if loses_one {
            return Ok(None);
        }
        placement.moves = moves;
    }
    // A Pod that waits in place of another is no gain.
    let is_gain = waiting_among(&mut branch, &made_again) == 0;
    Ok(Some(placement).filter(|_| is_gain))
}

/// Commits edits that give the Pod up. `None` if it is still there, or if a Pod that was bound is not any more.
pub(super) fn preview_without(
    session: &Session,
    after: Loaded,
    edits: &[Edit],
    target: &Target,
) -> Option<()> {
    let mut branch = session.branch(session.position())?;
    edit::apply_edits(&mut branch, after, edits).ok()?;
    let (namespace, name) = split(&target.key);
    let is_there = |branch: &Session| {
        let pods = branch.run().cluster().pods();
        pods.find(namespace, name).is_some()
    };
    for _ in 0..steps(session) {
        if !is_there(&branch) || !branch.is_simulated() || !branch.step() {
            break;
        }
    }
    let bound = |session: &Session| {
        let pods = session.run().cluster().pods().iter();
        pods.filter(|pod| pod.object.node_name.is_some()).count()
    };
    (!is_there(&branch) && bound(&branch) >= bound(session)).then_some(())
}

/// All Pods of the manifests.
fn places(session: &Session) -> Places {
    let Manifests {
        loaded, prepared, ..
    } = session.manifests();
    let mut counts: BTreeMap<DocumentIndex, usize> = BTreeMap::new();
    let cluster = session.run().cluster();
    let pods = prepared.pods.iter().filter_map(|pod| {
        let at = counts.entry(pod.document).or_default();
        *at += 1;
        let document = loaded.documents.get(usize::try_from(pod.document).ok()?)?;
        let object = (&document.kind, &document.namespace, &document.name);
        let of = format!("{object:?}");
        let now = cluster.pods().find(&pod.namespace, &pod.name)?;
        let node = now.object.node_name.as_ref();
        Some(((of, *at), (pod.key(), node.map(ToString::to_string))))
    });
    pods.collect()
}

/// Plays until every Pod that was bound before is bound again, or all that wait were tried; then compares.
fn moves(session: &mut Session, before: &Places, target: &str) -> (Vec<Moved>, bool) {
    let bound = |places: &Places, key: &PlaceKey| {
        let place = places.get(key);
        place.is_none_or(|(_, node)| node.is_some())
    };
    let were: Vec<&PlaceKey> = before
        .iter()
        .filter(|(_, (_, node))| node.is_some())
        .map(|(key, _)| key)
        .collect();
    let mut left = session.run().queue().count().min(steps(session));
    let mut after = places(session);
    while left > 0 && !were.iter().all(|key| bound(&after, key)) && session.step() {
        after = places(session);
        left -= 1;
    }
    let loses_one = !were.iter().all(|key| bound(&after, key));
    let moved = were.into_iter().filter_map(|key| {
        let (_, old) = before.get(key)?;
        let (pod, new) = after.get(key)?;
        let node = new.clone().filter(|_| new != old && pod != target)?;
        Some(Moved {
            pod: pod.clone(),
            node,
        })
    });
    (moved.collect(), loses_one)
}

/// Plays on until none of these Pods waits, or the run ends; returns how many still wait.
fn waiting_among(session: &mut Session, pods: &BTreeSet<String>) -> usize {
    let waits = |session: &Session, key: &&String| {
        let (namespace, name) = split(key);
        let pod = session.run().cluster().pods().find(namespace, name);
        pod.is_none_or(|pod| pod.object.node_name.is_none())
    };
    for _ in 0..steps(session) {
        if !pods.iter().any(|key| waits(session, &key)) || !session.step() {
            break;
        }
    }
    pods.iter().filter(|key| waits(session, key)).count()
}

/// The same for several Pods: plays until all were tried. Returns how many it binds, less the deleted Pods that are
/// made again and wait, and how many were tried.
///
/// # Errors
/// As [`crate::edit::apply_edits`].
pub(super) fn preview_all(
    session: &Session,
    after: Loaded,
    edits: &[Edit],
    targets: &[Target],
) -> Result<(usize, usize), EditError> {
    let position = session.position();
    let gone = || EditError::new(Remark::no_position(), Remark::try_again());
    let mut branch = session.branch(position).ok_or_else(gone)?;
    let places: Vec<Option<usize>> = targets
        .iter()
        .map(|target| place_of(session, position, target))
        .collect();
    let known = pod_keys(&branch);
    let made_again = edit::delivery_of(&branch, edits).evicted;
    edit::apply_edits(&mut branch, after, edits)?;
    let watched = targets
        .iter()
        .zip(places)
        .filter_map(|(target, place)| watched(&branch, target, place, known.clone(), edits))
        .collect();
    let (bound, tried) = play_all(&mut branch, watched);
    let net = bound.saturating_sub(waiting_among(&mut branch, &made_again));
    Ok((net, tried))
}

/// Runs a line of the terminal on a branch at the current moment, and plays until these Pods of a simulated cluster were
/// tried. Returns where the first of them goes, and the numbers of those that are bound, and of those that were tried;
/// `None` if the line fails, or the first is not bound.
pub(super) fn preview_line(
    session: &Session,
    line: &str,
    pods: &[String],
) -> Option<(Placement, (usize, usize))> {
    let mut branch = session.branch(session.position())?;
    if simulated::command(&mut branch, line).code != 0 {
        return None;
    }
    let watched = |key: &String| Watched {
        key: key.clone(),
        workload: None,
        known: BTreeSet::new(),
        placement: None,
    };
    let mut first = branch.branch(branch.position())?;
    let placement = next_placement(&mut first, watched(pods.first()?))?;
    Some((
        placement,
        play_all(&mut branch, pods.iter().map(watched).collect()),
    ))
}

/// Without controllers: the index of the target among the Pods of its document. Its name may depend on the
/// template.
fn place_of(session: &Session, position: usize, target: &Target) -> Option<usize> {
    let (document, _) = target.source.as_ref()?;
    let manifests = session.history.manifests_at(position);
    prepared_pods(manifests, *document).position(|pod| pod.key() == target.key)
}

fn pod_keys(session: &Session) -> BTreeSet<String> {
    let pods = session
        .simulated_cluster()
        .map(|cluster| cluster.api().store().pods.iter())
        .into_iter()
        .flatten();
    pods.map(|pod| Key::of(&pod.metadata).to_string()).collect()
}

/// What to look for after a commit; `None` if no Pod replaces the target.
fn watched(
    session: &Session,
    target: &Target,
    place: Option<usize>,
    known: BTreeSet<String>,
    edits: &[Edit],
) -> Option<Watched> {
    let mut watched = Watched {
        key: target.key.clone(),
        workload: None,
        known,
        placement: None,
    };
    let Some((_, source)) = &target.source else {
        return Some(watched);
    };
    if session.is_simulated() && session.position() == 0 {
        // The run started again, so Pods may have other names.
        watched.workload = Some(source.clone());
        watched.known.clear();
        return Some(watched);
    }
    if session.is_simulated() {
        let mut objects = edits.iter().filter_map(Edit::object);
        let is_edited = objects.any(|object| is_same(object, source));
        watched.workload = Some(source.clone()).filter(|_| is_edited);
        return Some(watched);
    }
    let document = document(&session.manifests().loaded, source)?;
    let pod = prepared_pods(session.manifests(), document.index).nth(place?)?;
    watched.key = pod.key();
    Some(watched)
}

/// Maximum number of entries to play.
fn steps(session: &Session) -> usize {
    let nodes = session.run().cluster().node_order().len();
    MAX_STEPS.min(MAX_WORK / nodes.max(1))
}

/// Plays until all of these Pods are bound, or the run ends. Returns the numbers of those bound, and of those tried.
fn play_all(session: &mut Session, watched: Vec<Watched>) -> (usize, usize) {
    let mut waiting = watched;
    let (mut bound, mut failed) = (0, BTreeSet::new());
    for _ in 0..steps(session) {
        let position = session.position();
        if waiting.is_empty() || !session.step() {
            break;
        }
        let Some(attempt) = session.attempt(position) else {
            continue;
        };
        let key = attempt.key.clone();
        if attempt.node().is_none() {
            if waiting.iter().any(|watched| watched.key == key) {
                failed.insert(key);
            }
            continue;
        }
        let is_it = |watched: &Watched| watched.key == key;
        let own = waiting.iter().position(is_it);
        let own = own.or_else(|| {
            waiting
                .iter()
                .position(|watched| replaces(session, watched, &key))
        });
        if let Some(own) = own {
            failed.remove(&waiting.swap_remove(own).key);
            bound += 1;
        }
    }
    (bound, bound + failed.len())
}

fn next_placement(session: &mut Session, mut watched: Watched) -> Option<Placement> {
    for _ in 0..steps(session) {
        let position = session.position();
        if !session.step() {
            return None;
        }
        if let Some(attempt) = session.attempt(position) {
            let is_placed = attempt.node().is_some();
            if attempt.key == watched.key {
                if is_placed {
                    return placement(session, position);
                }
                if !session.is_simulated() {
                    return None;
                }
            } else if is_placed && replaces(session, &watched, &attempt.key) {
                watched.placement = placement(session, position);
            }
        }
        if watched.placement.is_some() && has_gone(session, &watched) {
            return watched.placement;
        }
    }
    None
}

/// Whether a Pod is a new one of the workload whose template changed.
fn replaces(session: &Session, watched: &Watched, key: &str) -> bool {
    let (Some(workload), Some(cluster)) = (&watched.workload, session.simulated_cluster()) else {
        return false;
    };
    !watched.known.contains(key) && comes_from(cluster.api().store(), key, workload)
}

/// Whether the Pod was deleted. A CronJob's later Jobs do not replace it.
fn has_gone(session: &Session, watched: &Watched) -> bool {
    let kind = watched.workload.as_ref().map(|it| it.kind.as_str());
    let pods = session
        .simulated_cluster()
        .map(|cluster| &cluster.api().store().pods);
    kind == Some("CronJob") || pods.is_none_or(|pods| pods.get(&key_of(&watched.key)).is_none())
}

/// Repeats the attempt at a position of the log to get the nodes that passed.
fn placement(session: &Session, position: usize) -> Option<Placement> {
    let node = session.attempt(position)?.node()?.to_string();
    let before = session.history.at(position)?;
    let mut feasible = Feasible::default();
    before.snapshot().decide_next(&mut feasible)?;
    let cluster = before.snapshot().cluster();
    let feasible = feasible.0.into_iter();
    Some(Placement {
        node,
        feasible: feasible
            .map(|node| cluster.node(node).name.to_string())
            .collect(),
        moves: Vec::new(),
    })
}

/// The Pods of a document without controllers, in the order of their creation.
fn prepared_pods(
    manifests: &Manifests,
    document: DocumentIndex,
) -> impl Iterator<Item = &PodObject> {
    manifests
        .prepared
        .pods
        .iter()
        .filter(move |pod| pod.document == document)
}

/// `namespace/name` of a Pod as a key of the store.
fn key_of(pod: &str) -> Key {
    let (namespace, name) = split(pod);
    Key::new(namespace, name)
}

/// Whether a workload is among the direct or indirect controllers of the Pod.
fn comes_from(store: &Store, pod: &str, workload: &ObjectRef) -> bool {
    let key = key_of(pod);
    let Some(pod) = store.pods.get(&key) else {
        return false;
    };
    let mut owner = controller_of(&pod.metadata).cloned();
    for _ in 0..MAX_OWNERS {
        let Some(it) = owner else {
            return false;
        };
        let named = ObjectRef::new(&it.kind, key.namespace(), &it.name);
        if is_same(&named, workload) {
            return true;
        }
        let object = store.get(&it.kind, &Key::new(key.namespace(), &it.name));
        owner = object.and_then(|object| controller_of(object.metadata()).cloned());
    }
    false
}

/// Collects the nodes that pass.
#[derive(Default)]
struct Feasible(Vec<NodeIx>);

impl Observer for Feasible {
    const MAY_REMEMBER: bool = false;

    fn search_started(&mut self, _search: SearchStart) {
        self.0.clear();
    }

    fn node_judged(&mut self, node: &NodeInfo, verdict: &Result<(), Rejected>) {
        if verdict.is_ok() {
            self.0.push(node.ix);
        }
    }
}
