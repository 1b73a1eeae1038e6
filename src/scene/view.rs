//! The frame that the page shows, kept up to date by patches.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::CARDS;
use super::ZONE;
use super::label::shared_domain;
use super::owner::Owners;
use super::pod_layout::PodLayout;
use super::queue::{BLOCKS, lanes_of};
use berth_protocol::frame::{AboutFrame, Frame, Mark, MarkKind, NodeFrame, PodFrame};
use berth_protocol::page::{Changed, Head, Patch, ReleaseFrame};
use berth_protocol::problem::Problem;
use berth_protocol::scheduler::SchedulerFrame;

/// The session at one moment, as the engine last reported it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    pub head: Head,
    pub about: AboutFrame,
    pub nodes: Vec<Rc<NodeFrame>>,
    pub pods: Vec<Rc<PodFrame>>,
    pub timeline: Vec<Mark>,
    /// Incremented when the timeline changes.
    pub timeline_version: u32,
    pub problems: Vec<Problem>,
    pub scheduler: Rc<SchedulerFrame>,
    /// The owners of Pods and their colors.
    pub owners: Rc<Owners>,
    /// The places of Pods on nodes that are drawn as cards, by the node's name; empty in large clusters.
    layouts: BTreeMap<String, NodeLayout>,
    /// Keys that nodes can be grouped by.
    pub topology_keys: Rc<Vec<String>>,
    /// Incremented when the set of nodes or their labels change.
    pub labels_version: u32,
    /// What the pieces of the current patch have made stale so far.
    stale: Stale,
    /// The next patch brings another scenario.
    is_another: bool,
    /// The next patch brings another scenario if it has none of the owners that have Pods now.
    may_be_another: bool,
    pod_positions: BTreeMap<String, usize>,
    node_positions: BTreeMap<String, usize>,
}

/// A node and the places of its Pods.
#[derive(Clone, Debug, PartialEq)]
struct NodeLayout {
    node: Rc<NodeFrame>,
    layout: Rc<PodLayout>,
}

/// Data derived from all nodes or all Pods that is stale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stale {
    labels: bool,
    owners: bool,
}

impl View {
    /// The view of one frame. `release`: the minor version that is followed.
    pub fn of(frame: Frame, release: &str) -> Self {
        fn all<T>(items: Vec<T>) -> Changed<T> {
            Changed {
                length: items.len(),
                items: items.into_iter().enumerate().collect(),
            }
        }
        let mut view = Self::default();
        view.apply(Patch {
            head: Head {
                title: frame.title,
                position: frame.position,
                log_length: frame.log_length,
                finished: frame.finished,
                digest: frame.digest,
                ended: frame.ended,
                victims: frame.victims,
                queue: lanes_of(&frame.queue, BLOCKS),
                now_ms: frame.now_ms,
                release: ReleaseFrame {
                    minor: release.to_owned(),
                    ..ReleaseFrame::default()
                },
                ..Head::default()
            },
            about: Some(frame.about),
            nodes: all(frame.nodes),
            pods: all(frame.pods),
            timeline: frame.timeline,
            ..Patch::default()
        });
        view
    }

    /// Applies a patch, or a piece of one. Work over all nodes or Pods is deferred to the last piece.
    pub fn apply(&mut self, patch: Patch) {
        self.head = patch.head;
        let goes_on = patch.timeline_from >= self.timeline.len() && patch.timeline.is_empty();
        self.timeline_version += u32::from(!goes_on);
        self.timeline.truncate(patch.timeline_from);
        self.timeline.extend(patch.timeline);
        if let Some(about) = patch.about {
            self.about = about;
        }
        if let Some(problems) = patch.problems {
            self.problems = problems;
        }
        if let Some(scheduler) = patch.scheduler {
            self.scheduler = Rc::new(scheduler);
        }
        self.stale.labels |= are_unlike(&self.nodes, &patch.nodes, |one, other| {
            one.name == other.name && one.labels == other.labels
        });
        self.stale.owners |= are_unlike(&self.pods, &patch.pods, Owners::are_alike);
        update(
            &mut self.nodes,
            &mut self.node_positions,
            patch.nodes,
            |node| &node.name,
        );
        update(&mut self.pods, &mut self.pod_positions, patch.pods, |pod| {
            &pod.key
        });
        if patch.more {
            return;
        }
        self.lay_out_pods();
        let stale = std::mem::take(&mut self.stale);
        if stale.labels {
            self.labels_version += 1;
            self.topology_keys = Rc::new(topology_keys(&self.nodes));
        }
        let may_be_another = std::mem::take(&mut self.may_be_another);
        let is_another = std::mem::take(&mut self.is_another)
            || (may_be_another && stale.owners && !self.owners.has_any(&self.pods));
        if stale.owners || is_another {
            let known = if is_another {
                &Owners::default()
            } else {
                &*self.owners
            };
            let owners = known.with(&self.pods);
            if owners != *self.owners {
                self.owners = Rc::new(owners);
            }
        }
    }

    /// Another scenario follows: owner colors start over.
    pub fn begin_anew(&mut self) {
        self.is_another = true;
        self.layouts.clear();
    }

    /// Finds places for the Pods of changed nodes. Pods that stay on their node keep their places.
    fn lay_out_pods(&mut self) {
        if self.nodes.len() > CARDS {
            self.layouts.clear();
            return;
        }
        let mut before = std::mem::take(&mut self.layouts);
        for node in &self.nodes {
            let known = before.remove(&node.name);
            let layout = match known {
                Some(known) if Rc::ptr_eq(&known.node, node) => known,
                known => NodeLayout {
                    layout: self.layout_after(known.map(|known| known.layout), node),
                    node: Rc::clone(node),
                },
            };
            self.layouts.insert(node.name.clone(), layout);
        }
    }

    fn layout_after(&self, known: Option<Rc<PodLayout>>, node: &NodeFrame) -> Rc<PodLayout> {
        let milli_cpu = node.milli_cpu();
        let known = known.filter(|layout| layout.milli_cpu() == milli_cpu);
        let mut layout = known.unwrap_or_else(|| Rc::new(PodLayout::new(milli_cpu)));
        let pods = node.pods.iter().filter_map(|key| self.pod(key));
        Rc::make_mut(&mut layout).set(pods.map(|pod| (pod.key.as_str(), pod.milli_cpu)));
        layout
    }

    /// Number of attempts among the entries before a position of the log; edits and moments are entries, too.
    pub fn attempts_before(&self, position: usize) -> usize {
        self.timeline
            .iter()
            .take(position)
            .filter(|mark| !mark.pod.is_empty())
            .count()
    }

    /// The places of the Pods on a node.
    pub fn pod_layout(&self, node: &NodeFrame) -> Rc<PodLayout> {
        let known = self.layouts.get(&node.name);
        known.map_or_else(
            || self.layout_after(None, node),
            |known| Rc::clone(&known.layout),
        )
    }

    /// Assigns owner colors again, to the owners of the Pods that there are.
    pub fn color_again(&mut self) {
        let owners = Owners::default().with(&self.pods);
        if owners != *self.owners {
            self.owners = Rc::new(owners);
        }
    }

    /// After typing: if no owner is left, another scenario was pasted.
    pub fn may_begin_anew(&mut self) {
        self.may_be_another = true;
    }

    /// The topology key to group nodes by, unless one is chosen.
    pub fn domain_key(&self) -> &str {
        domain_key(&self.topology_keys)
    }

    /// The Pod of that key (`namespace/name`).
    pub fn pod(&self, key: &str) -> Option<&Rc<PodFrame>> {
        self.pods.get(*self.pod_positions.get(key)?)
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<&Rc<NodeFrame>> {
        self.nodes.get(self.node_position(name)?)
    }

    /// A node's label.
    pub fn label(&self, node: &str, key: &str) -> Option<String> {
        self.node(node)?.labels.get(key).cloned()
    }

    /// A node's position among all of them, in document order.
    pub fn node_position(&self, name: &str) -> Option<usize> {
        self.node_positions.get(name).copied()
    }

    /// The name of the node at a position in document order.
    pub fn name_at(&self, position: u32) -> Option<&str> {
        let node = self.nodes.get(usize::try_from(position).ok()?)?;
        Some(&node.name)
    }

    /// The DNS suffix that the names of all nodes share, its dot included.
    pub fn node_domain(&self) -> &str {
        let names = self.nodes.iter().map(|node| node.name.as_str());
        let shared = shared_domain(names);
        let first = self.nodes.first().filter(|_| self.nodes.len() > 1);
        let domain = first.and_then(|node| node.name.get(node.name.len() - shared..));
        domain.unwrap_or_default()
    }

    /// Whether anything was changed by hand between the entry at this position of the log and this moment.
    pub fn is_outdated(&self, position: usize) -> bool {
        let mut since = position + 1..self.head.position;
        since.any(|at| {
            let mark = self.timeline.get(at);
            mark.is_some_and(|mark| mark.kind == MarkKind::Edited) && !self.begins_cluster(at)
        })
    }

    /// Whether an edit only continues the run as a simulated cluster: the entries before it have no time, and those after
    /// it do.
    fn begins_cluster(&self, at: usize) -> bool {
        let mut before = self.timeline.iter().take(at);
        let is_plain = |mark: &Mark| mark.at_ms.is_none() && mark.change.is_none();
        let next = self.timeline.get(at + 1);
        self.head.now_ms.is_some()
            && self.timeline.get(at).is_some_and(is_plain)
            && before.all(|mark| mark.at_ms.is_none())
            && next.is_none_or(|mark| mark.at_ms.is_some())
    }

    /// The last event before this moment.
    pub fn last_mark(&self) -> Option<&Mark> {
        self.timeline.get(self.head.position.checked_sub(1)?)
    }
}

/// Whether a list changes in the fields that `alike` compares.
fn are_unlike<T>(list: &[Rc<T>], changed: &Changed<T>, alike: fn(&T, &T) -> bool) -> bool {
    let is_unlike = |(position, item): &(usize, T)| {
        let before = list.get(*position);
        before.is_none_or(|before| !alike(before, item))
    };
    list.len() != changed.length || changed.items.iter().any(is_unlike)
}

fn update<T: Default>(
    list: &mut Vec<Rc<T>>,
    positions: &mut BTreeMap<String, usize>,
    changed: Changed<T>,
    name: fn(&T) -> &String,
) {
    // Items move, so the name may already map to another position.
    let forget = |positions: &mut BTreeMap<String, usize>, item: &T, position: usize| {
        if positions.get(name(item)) == Some(&position) {
            positions.remove(name(item));
        }
    };
    for (position, item) in list.iter().enumerate().skip(changed.length) {
        forget(positions, item, position);
    }
    list.resize_with(changed.length, Rc::default);
    for (position, item) in changed.items {
        let Some(slot) = list.get_mut(position) else {
            continue;
        };
        if name(slot) != name(&item) {
            forget(positions, slot, position);
            positions.insert(name(&item).clone(), position);
        }
        *slot = Rc::new(item);
    }
}

/// The last parts of keys that name where a node is, and how much fails at once, the most common first.
const DOMAINS: [&str; 7] = ["zone", "datacenter", "dc", "room", "row", "rack", "region"];

/// Keys that nodes can be grouped by: labels with more than one value but fewer values than nodes, and the zone.
fn topology_keys(nodes: &[Rc<NodeFrame>]) -> Vec<String> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for node in nodes {
        for (key, value) in &node.labels {
            values.entry(key).or_default().insert(value);
        }
    }
    let shared = |count: usize| count > 1 && count < nodes.len();
    values
        .into_iter()
        .filter(|(key, values)| *key == ZONE || shared(values.len()))
        .map(|(key, _)| key.to_owned())
        .collect()
}

/// The key to group nodes by: the zone if there are zones, else the first of [`DOMAINS`] that a key ends in.
fn domain_key(keys: &[String]) -> &str {
    if keys.iter().any(|key| key == ZONE) {
        return ZONE;
    }
    let last = |key: &str| key.rsplit('/').next().unwrap_or_default().to_lowercase();
    let best = DOMAINS
        .iter()
        .find_map(|domain| keys.iter().find(|key| last(key) == *domain));
    best.map_or(ZONE, String::as_str)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{View, domain_key};
    use berth_protocol::frame::{NodeFrame, PodFrame};
    use berth_protocol::page::{Changed, Patch};

    #[test]
    fn nodes_without_a_zone_are_grouped_by_the_next_best_place() {
        let key = |keys: &[&str]| {
            let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            domain_key(&keys).to_owned()
        };
        let zone = "topology.kubernetes.io/zone";
        assert_eq!(
            key(&["example.com/Rack", "kubernetes.io/arch"]),
            "example.com/Rack"
        );
        let region = "topology.kubernetes.io/region";
        assert_eq!(key(&["rack", region]), "rack");
        let old = "failure-domain.beta.kubernetes.io/zone";
        assert_eq!(key(&[old, "rack"]), old);
        assert_eq!(key(&[old, zone]), zone);
        assert_eq!(key(&["kubernetes.io/arch", "pool"]), zone, "no place");
        assert_eq!(key(&[]), zone);
    }

    /// The owners with their classes.
    fn legend(view: &View) -> Vec<(&str, String)> {
        view.owners
            .legend()
            .into_iter()
            .map(|(name, flag)| (name, flag.class()))
            .collect()
    }

    fn node(name: &str, zone: &str) -> NodeFrame {
        NodeFrame {
            name: name.into(),
            labels: [("zone".to_owned(), zone.to_owned())].into(),
            ..NodeFrame::default()
        }
    }

    fn patch(length: usize, items: Vec<(usize, NodeFrame)>) -> Patch {
        Patch {
            nodes: Changed { length, items },
            ..Patch::default()
        }
    }

    fn named(names: &[&str]) -> Vec<(usize, NodeFrame)> {
        let nodes = names.iter().map(|name| node(name, "a"));
        nodes.enumerate().collect()
    }

    /// Checks that every node is found at its position, and nothing else is.
    fn check(view: &View, names: &[&str]) {
        let listed: Vec<&str> = view.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(listed, names);
        for (position, name) in names.iter().enumerate() {
            assert_eq!(view.node_position(name), Some(position));
        }
        assert_eq!(view.node_positions.len(), names.len());
    }

    #[test]
    fn nodes_are_found_wherever_they_move() {
        let mut view = View::default();
        view.apply(patch(3, named(&["a", "b", "c"])));
        check(&view, &["a", "b", "c"]);
        view.apply(patch(4, named(&["x", "a", "b", "c"])));
        check(&view, &["x", "a", "b", "c"]);
        view.apply(patch(2, named(&["b", "c"])));
        check(&view, &["b", "c"]);
        view.apply(patch(2, named(&["c", "b"])));
        check(&view, &["c", "b"]);
        view.apply(patch(0, Vec::new()));
        check(&view, &[]);
    }

    #[test]
    fn labels_version_counts_changes_and_pieces_once() {
        let mut view = View::default();
        let first = Patch {
            more: true,
            ..patch(2, vec![(0, node("a", "1"))])
        };
        view.apply(first);
        assert_eq!(view.labels_version, 0);
        view.apply(patch(2, vec![(1, node("b", "2"))]));
        assert_eq!(view.labels_version, 1);
        assert!(view.topology_keys.is_empty(), "each has its own value");
        let fuller = NodeFrame {
            pods: vec!["default/web".into()],
            ..node("a", "1")
        };
        view.apply(patch(2, vec![(0, fuller)]));
        assert_eq!(view.labels_version, 1);
        let more = vec![(1, node("b", "2")), (2, node("c", "2"))];
        view.apply(patch(3, more));
        assert_eq!(view.labels_version, 2);
        assert_eq!(*view.topology_keys, ["zone"]);
    }

    #[test]
    fn owners_are_computed_at_the_last_piece() {
        let pod = |key: &str| PodFrame {
            key: key.into(),
            ..PodFrame::default()
        };
        let piece = |more: bool, position: usize, key: &str| Patch {
            more,
            pods: Changed {
                length: 2,
                items: vec![(position, pod(key))],
            },
            ..Patch::default()
        };
        let mut view = View::default();
        view.apply(piece(true, 0, "default/one"));
        view.apply(piece(false, 1, "default/two"));
        let owners = Rc::clone(&view.owners);
        let names: Vec<&str> = owners.legend().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["one", "two"]);
        // A Pod that is only placed keeps its owner.
        view.apply(piece(false, 1, "default/two"));
        assert!(Rc::ptr_eq(&owners, &view.owners));

        let alone = || Patch {
            pods: Changed {
                length: 1,
                items: vec![(0, pod("default/two"))],
            },
            ..Patch::default()
        };
        view.apply(alone());
        assert_eq!(legend(&view), [("two", "o-2".to_owned())]);
        view.begin_anew();
        view.apply(alone());
        assert_eq!(legend(&view), [("two", "o-1".to_owned())]);

        // Typing keeps owner colors while at least one owner remains.
        view.apply(piece(false, 1, "default/one"));
        view.may_begin_anew();
        view.apply(piece(false, 0, "default/new"));
        let expected = [("one", "o-2".to_owned()), ("new", "o-3".to_owned())];
        assert_eq!(legend(&view), expected);
        view.may_begin_anew();
        view.apply(alone());
        assert_eq!(legend(&view), [("two", "o-1".to_owned())]);
        view.apply(piece(false, 1, "default/one"));
        assert_eq!(legend(&view).len(), 2);

        view.apply(piece(false, 0, "default/new"));
        view.color_again();
        let expected = [("new", "o-1".to_owned()), ("one", "o-2".to_owned())];
        assert_eq!(legend(&view), expected);
    }
}
