//! The colors of Pods: one per owner, in the order in which owners first appear.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::view::View;
use berth_protocol::frame::PodFrame;

/// Number of colors in the style sheet.
const COLORS: usize = 8;

/// The legend's name for the Pods of all DaemonSets, which are on most nodes and say little about each.
const DAEMON_SETS: &str = "DaemonSets";

/// Owners by name, each numbered by first appearance: an owner that returns gets its old color. DaemonSets have one color
/// in common, and no number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Owners {
    numbers: BTreeMap<String, usize>,
    /// Numbers of the owners that have Pods now.
    present: BTreeSet<usize>,
    /// Numbers of those with Pods that waited when they came.
    waiting: BTreeSet<usize>,
    /// There are Pods of DaemonSets now.
    has_daemons: bool,
}

impl Owners {
    /// The owners of these Pods, and all earlier ones.
    pub fn with(&self, pods: &[Rc<PodFrame>]) -> Self {
        let mut numbers = self.numbers.clone();
        let mut number = |pod: &Rc<PodFrame>| {
            let next = numbers.len();
            *numbers.entry(name(pod)).or_insert(next)
        };
        let (daemons, others): (Vec<_>, Vec<_>) = pods.iter().partition(|pod| is_daemon(pod));
        let numbered = others.into_iter().map(|pod| (number(pod), pod));
        let numbered: Vec<_> = numbered.collect();
        let waits = numbered.iter().filter(|(_, pod)| pod.node.is_none());
        Self {
            present: numbered.iter().map(|(number, _)| *number).collect(),
            waiting: waits.map(|(number, _)| *number).collect(),
            numbers,
            has_daemons: !daemons.is_empty(),
        }
    }

    /// The same owners, with the numbers of another view of the run: one of the two has grown from the other.
    #[must_use]
    pub fn numbered_as(&self, other: &Self) -> Self {
        let numbers = [&self.numbers, &other.numbers]
            .into_iter()
            .max_by_key(|numbers| numbers.len());
        Self {
            numbers: numbers.cloned().unwrap_or_default(),
            present: self.present.clone(),
            waiting: self.waiting.clone(),
            has_daemons: self.has_daemons,
        }
    }

    /// Whether any of these Pods has an owner that has Pods now.
    pub fn has_any(&self, pods: &[Rc<PodFrame>]) -> bool {
        let is_present = |pod: &Rc<PodFrame>| {
            let number = self.numbers.get(&name(pod));
            number.is_some_and(|number| self.present.contains(number))
                || (self.has_daemons && is_daemon(pod))
        };
        pods.iter().any(is_present)
    }

    /// Whether two Pods of the same name certainly have the same owner.
    pub fn are_alike(one: &PodFrame, other: &PodFrame) -> bool {
        one.key == other.key && one.owner == other.owner && one.labels == other.labels
    }

    /// The CSS classes of a Pod's color.
    pub fn class(&self, pod: &PodFrame) -> String {
        self.flag(pod).class()
    }

    /// A Pod's color and hoist.
    pub fn flag(&self, pod: &PodFrame) -> Flag {
        if is_daemon(pod) {
            return Flag::default();
        }
        Flag::of(self.numbers.get(&name(pod)).copied().unwrap_or_default())
    }

    /// The owners that have Pods, in order of first appearance, DaemonSets together and last. Of many, those with Pods that
    /// wait come first.
    pub fn legend(&self) -> Vec<(&str, Flag)> {
        let mut shown: Vec<_> = self
            .numbers
            .iter()
            .filter(|(_, number)| self.present.contains(number))
            .collect();
        let are_many = shown.len() > COLORS;
        shown.sort_by_key(|(_, number)| (are_many && !self.waiting.contains(number), **number));
        shown
            .into_iter()
            .map(|(name, number)| (name.as_str(), Flag::of(*number)))
            .chain(self.has_daemons.then_some((DAEMON_SETS, Flag::default())))
            .collect()
    }
}

/// Whether the Pod is of a DaemonSet.
fn is_daemon(pod: &PodFrame) -> bool {
    pod.owner.starts_with("DaemonSet/")
}

/// An owner's color and the pattern beside it, each from 1 on; 0 for DaemonSets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flag {
    pub color: usize,
    pub hoist: usize,
}

impl Flag {
    /// When the colors run out, they repeat, each with another color's hoist.
    fn of(number: usize) -> Self {
        let color = number % COLORS + 1;
        let round = number / COLORS;
        let hoist = match round {
            0 => color,
            round => (number + round) % COLORS + 1,
        };
        Self { color, hoist }
    }

    /// The CSS classes.
    pub fn class(self) -> String {
        let Self { color, hoist } = self;
        if hoist == color {
            format!("o-{color}")
        } else {
            format!("o-{color} h-{hoist}")
        }
    }
}

/// The Pod's name without the namespace `default` and without the ReplicaSet's hash, which all Pods beside it share.
pub fn label(pod: &PodFrame) -> String {
    let name = crate::words::short(&pod.key);
    match pod.labels.get("pod-template-hash") {
        Some(hash) if !hash.is_empty() => name.replacen(&format!("-{hash}-"), "-", 1),
        _ => name.to_owned(),
    }
}

/// The same for the Pod of that key; the key without the namespace `default` if the Pod is gone.
pub fn label_of(view: &View, key: &str) -> String {
    let pod = view.pod(key);
    pod.map_or_else(|| crate::words::short(key).to_owned(), |pod| label(pod))
}

/// The name of the Pod's workload: [`PodFrame::workload_name`].
pub fn name(pod: &PodFrame) -> String {
    pod.workload_name().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Flag, Owners};
    use std::rc::Rc;

    use berth_protocol::frame::PodFrame;

    #[test]
    fn pods_of_a_deployment_share_a_color() {
        let pod = |key: &str, owner: &str| PodFrame {
            key: key.into(),
            owner: owner.into(),
            labels: [("pod-template-hash".to_owned(), "5d9c".to_owned())].into(),
            ..PodFrame::default()
        };
        let pods = vec![
            Rc::new(pod("default/web-5d9c-a", "ReplicaSet/web-5d9c")),
            Rc::new(pod("default/lone", "")),
        ];
        let owners = Owners::default().with(&pods);
        assert_eq!(
            owners.legend(),
            [("web", Flag::of(0)), ("lone", Flag::of(1))]
        );
        assert_eq!(owners.class(&pods[1]), "o-2");
    }

    #[test]
    fn daemon_sets_come_last_in_one_color_and_of_many_owners_those_that_wait_first() {
        let pod = |key: &str, owner: &str, node: Option<&str>| {
            Rc::new(PodFrame {
                key: key.into(),
                owner: owner.into(),
                node: node.map(str::to_owned),
                ..PodFrame::default()
            })
        };
        let pods = [
            pod("a/proxy-1", "DaemonSet/proxy", Some("n")),
            pod("a/csi-1", "DaemonSet/csi", Some("n")),
            pod("a/web-1", "StatefulSet/web", Some("n")),
            pod("a/pay-1", "StatefulSet/pay", None),
        ];
        let owners = Owners::default().with(&pods);
        assert_eq!(
            owners.legend(),
            [
                ("web", Flag::of(0)),
                ("pay", Flag::of(1)),
                ("DaemonSets", Flag::default())
            ]
        );
        assert_eq!(owners.class(&pods[0]), "o-0");
        assert_eq!(owners.class(&pods[1]), "o-0");
        assert!(owners.has_any(&pods[..1]));
        let more = (0..9).map(|at| format!("a/x{at}"));
        let more: Vec<_> = more.map(|key| pod(&key, "", Some("n"))).collect();
        let many = owners.with(&[&more[..], &pods[..]].concat());
        assert_eq!(many.legend()[0], ("pay", Flag::of(1)));
    }

    #[test]
    fn two_views_of_a_run_number_their_owners_alike() {
        let pod = |key: &str| {
            Rc::new(PodFrame {
                key: key.into(),
                ..PodFrame::default()
            })
        };
        let (web, api, new) = (pod("default/web"), pod("default/api"), pod("default/new"));
        let page = Owners::default().with(&[Rc::clone(&web), Rc::clone(&api)]);
        // This one first saw the others' order reversed, and an owner of its own.
        let first = Owners::default().numbered_as(&page);
        let first = first.with(&[Rc::clone(&new), Rc::clone(&api)]);
        let second = Owners::default().numbered_as(&page).numbered_as(&first);
        let second = second.with(&[Rc::clone(&api), Rc::clone(&web), pod("default/other")]);
        assert_eq!(first.legend(), [("api", Flag::of(1)), ("new", Flag::of(2))]);
        let names = [
            ("web", Flag::of(0)),
            ("api", Flag::of(1)),
            ("other", Flag::of(3)),
        ];
        assert_eq!(second.legend(), names);
        assert_eq!(first.numbered_as(&second).flag(&new), Flag::of(2));
    }

    #[test]
    fn colors_are_stable_and_repeat_with_another_hoist_after_eight() {
        let pod = |name: String| {
            Rc::new(PodFrame {
                key: format!("default/{name}"),
                ..PodFrame::default()
            })
        };
        let all: Vec<_> = (0..10).map(|number| pod(format!("p{number}"))).collect();
        let owners = Owners::default().with(&all).with(&all[8..]);
        let classes: Vec<_> = owners
            .legend()
            .into_iter()
            .map(|(name, flag)| (name, flag.class()))
            .collect();
        assert_eq!(
            classes,
            [("p8", "o-1 h-2".to_owned()), ("p9", "o-2 h-3".to_owned())]
        );
        assert_eq!(owners.class(&all[1]), "o-2");
    }
}
