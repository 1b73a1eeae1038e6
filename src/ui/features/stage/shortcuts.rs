//! Keyboard shortcuts on nodes and Pods: the focused one, or the chosen ones.

use crate::ui::features::explain::ExplainAction;
use crate::ui::parts::owner;
use crate::ui::store::{Effect, Panel, Store};
use crate::words;
use berth_protocol::edit::ObjectRef;
use berth_protocol::gesture::Gesture;
use berth_protocol::key;

/// What a key does on the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortcut {
    /// Adds the node to the chosen ones, or removes it.
    Choose,
    /// Cordons the nodes, or uncordons them if all are cordoned.
    Cordon,
    /// Shows what a drain of the node would do.
    Drain,
    Delete,
    /// Explains the Pod, or why the explained Pod was not placed on the node.
    Explain,
    /// Picks nodes up to carry them to another domain.
    PickUp,
    /// Carries them to the next or previous domain.
    Carry {
        forwards: bool,
    },
    Drop,
    PutBack,
}

/// The position of the keyboard focus on the stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub node: Option<String>,
    /// `namespace/name`.
    pub pod: Option<String>,
}

/// Nodes carried to another value of the grouping key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    pub nodes: Vec<String>,
    /// The value under which they would be dropped.
    pub to: String,
}

impl Store {
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(in crate::ui) fn shortcut(&mut self, shortcut: Shortcut, place: Place) -> Vec<Effect> {
        match shortcut {
            Shortcut::Choose => {
                if let Some(node) = place.node {
                    self.stage.select(node, true);
                }
                Vec::new()
            }
            Shortcut::Cordon => {
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
                self.gesture(gesture)
            }
            Shortcut::Drain => match self.meant(place.node).as_slice() {
                [node] => self.ask_drain(node.clone()),
                _ => Vec::new(),
            },
            Shortcut::Delete => self.delete(place),
            Shortcut::Explain => self.explain_at(place),
            Shortcut::PickUp => {
                let nodes = self.meant(place.node);
                let node = nodes.first().and_then(|node| self.view.node(node));
                let domains = self.domains();
                let here = node.and_then(|node| node.labels.get(&self.stage.group_by));
                let to = here.or(domains.first()).cloned();
                self.stage.carried = to
                    .filter(|_| node.is_some())
                    .map(|to| Carried { nodes, to });
                Vec::new()
            }
            Shortcut::Carry { forwards } => {
                self.carry(forwards);
                Vec::new()
            }
            Shortcut::Drop => self.put_down(),
            Shortcut::PutBack => {
                self.stage.carried = None;
                Vec::new()
            }
        }
    }

    /// The nodes that a shortcut applies to: the chosen ones, or the focused node if it is not among them.
    fn meant(&self, at: Option<String>) -> Vec<String> {
        match at {
            Some(node) if !self.stage.chosen.contains(&node) => vec![node],
            _ => self.stage.chosen.iter().cloned().collect(),
        }
    }

    fn explain_at(&mut self, place: Place) -> Vec<Effect> {
        if let Some(pod) = place.pod {
            self.open_panel(Panel::Explain);
            return self.explain(ExplainAction::Find(pod));
        }
        let is_explained = self.cycle().is_some();
        let mut nodes = self.meant(place.node);
        // Within an attempt the outcome is not shown yet.
        match nodes.pop() {
            Some(node) if nodes.is_empty() && is_explained && self.time.progress.is_none() => {
                self.explain(ExplainAction::WhyNot(node))
            }
            _ => Vec::new(),
        }
    }

    fn delete(&mut self, place: Place) -> Vec<Effect> {
        let nodes = self.meant(place.node.filter(|_| place.pod.is_none()));
        let chosen = self.chosen_pod().map(str::to_owned);
        let pod = place.pod.or(chosen.filter(|_| nodes.is_empty()));
        let objects = if let Some(pod) = pod.and_then(|key| self.view.pod(&key)) {
            if !pod.owner.is_empty() {
                // It has no manifest, and its owner would create a replacement.
                self.page.notice = Some(words::is_owned(&pod.key, &owner::name(pod)));
                return Vec::new();
            }
            let (namespace, name) = key::split(&pod.key);
            vec![ObjectRef::new("Pod", namespace, name)]
        } else {
            nodes.into_iter().map(ObjectRef::node).collect()
        };
        if objects.is_empty() {
            return Vec::new();
        }
        self.gesture(Gesture::Delete { objects })
    }

    fn carry(&mut self, forwards: bool) {
        let domains = self.domains();
        let Some(carried) = &mut self.stage.carried else {
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

    /// The node that had the focus when it was dropped, once the engine has moved it.
    pub fn arrived(&mut self) -> Option<String> {
        let Carried { nodes, to } = self.stage.moved.as_ref()?;
        let node = self.view.node(nodes.first()?)?;
        if node.labels.get(&self.stage.group_by) != Some(to) {
            return None;
        }
        self.stage.moved.take()?.nodes.pop()
    }

    fn put_down(&mut self) -> Vec<Effect> {
        let Some(Carried { nodes, to }) = self.stage.carried.take() else {
            return Vec::new();
        };
        let is_there = |node: &String| {
            let node = self.view.node(node);
            node.is_some_and(|node| node.labels.get(&self.stage.group_by) == Some(&to))
        };
        if nodes.iter().all(is_there) {
            return Vec::new();
        }
        let at = self.stage.focus.iter().filter(|at| nodes.contains(at));
        self.stage.moved = Some(Carried {
            nodes: at.cloned().collect(),
            to: to.clone(),
        });
        self.gesture(Gesture::MoveNodes {
            nodes,
            topology_key: self.stage.group_by.clone(),
            value: Some(to),
        })
    }
}

#[cfg(test)]
mod tests;
