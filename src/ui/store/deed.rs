//! What keys do to nodes and Pods: to the one that the keyboard is at, and to those chosen with it.

use super::{Action, Command, Panel, Store};
use crate::protocol::edit::ObjectRef;
use crate::protocol::gesture::Gesture;
use crate::ui::parts::owner;
use crate::ui::words;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Chooses the node besides the others, or lets it go.
    Choose,
    /// Cordons, or uncordons if all of them are cordoned.
    Cordon,
    Delete,
    /// Explains the Pod, or why the explained Pod did not go to the node.
    Explain,
    /// Takes nodes up, to be carried to another domain.
    PickUp,
    /// To the next domain, or the one before.
    Carry {
        forwards: bool,
    },
    Drop,
    PutBack,
}

/// Where the keyboard is on the stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub node: Option<String>,
    /// `namespace/name`.
    pub pod: Option<String>,
}

/// Nodes on their way to another value of the grouping key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    pub nodes: Vec<String>,
    /// Where they would be put down.
    pub to: String,
}

impl Store {
    pub(super) fn deed(&mut self, deed: Deed, place: Place) -> Vec<Command> {
        match deed {
            Deed::Choose => {
                if let Some(node) = place.node {
                    self.select(node, true);
                }
                Vec::new()
            }
            Deed::Cordon => {
                let nodes = self.meant(place.node);
                if nodes.is_empty() {
                    return Vec::new();
                }
                let is_cordoned = |node: &String| {
                    let node = self.view.node(node);
                    node.is_some_and(|node| node.unschedulable)
                };
                let gesture = if nodes.iter().all(is_cordoned) {
                    Gesture::Uncordon { nodes }
                } else {
                    Gesture::Cordon { nodes }
                };
                self.act_now(Action::Gesture(gesture))
            }
            Deed::Delete => self.delete(place),
            Deed::Explain => self.explain_at(place),
            Deed::PickUp => {
                let nodes = self.meant(place.node);
                let node = nodes.first().and_then(|node| self.view.node(node));
                let domains = self.domains();
                let here = node.and_then(|node| node.labels.get(&self.group_by));
                let to = here.or(domains.first()).cloned();
                self.carried = to
                    .filter(|_| node.is_some())
                    .map(|to| Carried { nodes, to });
                Vec::new()
            }
            Deed::Carry { forwards } => {
                self.carry(forwards);
                Vec::new()
            }
            Deed::Drop => self.put_down(),
            Deed::PutBack => {
                self.carried = None;
                Vec::new()
            }
        }
    }

    /// The chosen nodes, unless the keyboard is at another one.
    fn meant(&self, at: Option<String>) -> Vec<String> {
        match at {
            Some(node) if !self.nodes.contains(&node) => vec![node],
            _ => self.nodes.iter().cloned().collect(),
        }
    }

    fn explain_at(&mut self, place: Place) -> Vec<Command> {
        if let Some(pod) = place.pod {
            self.open_panel(Panel::Explain);
            return self.act_now(Action::Find(pod));
        }
        let is_told = self.cycle().is_some();
        let mut nodes = self.meant(place.node);
        // Before an attempt's end nobody knows where it ends.
        match nodes.pop() {
            Some(node) if nodes.is_empty() && is_told && self.progress.is_none() => {
                self.act_now(Action::WhyNot(node))
            }
            _ => Vec::new(),
        }
    }

    fn delete(&mut self, place: Place) -> Vec<Command> {
        let nodes = self.meant(place.node.filter(|_| place.pod.is_none()));
        let chosen = self.chosen_pod().map(str::to_owned);
        let pod = place.pod.or(chosen.filter(|_| nodes.is_empty()));
        let objects = if let Some(pod) = pod.and_then(|key| self.view.pod(&key)) {
            if !pod.owner.is_empty() {
                // No manifest holds it, and whoever made it would make another.
                self.notice = Some(words::is_owned(&pod.key, &owner::name(pod)));
                return Vec::new();
            }
            let (namespace, name) = pod.key.split_once('/').unwrap_or(("", &pod.key));
            vec![ObjectRef {
                kind: "Pod".to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            }]
        } else {
            let node = |name: String| ObjectRef {
                kind: "Node".to_owned(),
                namespace: String::new(),
                name,
            };
            nodes.into_iter().map(node).collect()
        };
        if objects.is_empty() {
            return Vec::new();
        }
        self.act_now(Action::Gesture(Gesture::Delete { objects }))
    }

    fn carry(&mut self, forwards: bool) {
        let domains = self.domains();
        let Some(carried) = &mut self.carried else {
            return;
        };
        let here = domains.iter().position(|domain| *domain == carried.to);
        let last = domains.len().saturating_sub(1);
        let next = match (here, forwards) {
            (Some(here), true) => (here + 1).min(last),
            (Some(here), false) => here.saturating_sub(1),
            (None, _) => 0,
        };
        if let Some(next) = domains.into_iter().nth(next) {
            carried.to = next;
        }
    }

    /// The node that the keyboard was at when it put it down, as soon as it is there.
    pub fn arrived(&mut self) -> Option<String> {
        let Carried { nodes, to } = self.moved.as_ref()?;
        let node = self.view.node(nodes.first()?)?;
        if node.labels.get(&self.group_by) != Some(to) {
            return None;
        }
        self.moved.take()?.nodes.pop()
    }

    fn put_down(&mut self) -> Vec<Command> {
        let Some(Carried { nodes, to }) = self.carried.take() else {
            return Vec::new();
        };
        let is_there = |node: &String| {
            let node = self.view.node(node);
            node.is_some_and(|node| node.labels.get(&self.group_by) == Some(&to))
        };
        if nodes.iter().all(is_there) {
            return Vec::new();
        }
        let at = self.focus.iter().filter(|at| nodes.contains(at));
        self.moved = Some(Carried {
            nodes: at.cloned().collect(),
            to: to.clone(),
        });
        self.act_now(Action::Gesture(Gesture::MoveNodes {
            nodes,
            topology_key: self.group_by.clone(),
            value: Some(to),
        }))
    }
}

#[cfg(test)]
mod tests;
