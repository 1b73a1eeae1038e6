//! The nodes of a zone that wait for their NoExecute taint, one after the other at a pace
//! (`RateLimitedTimedQueue` with a bucket of one token).

use std::collections::{BTreeSet, VecDeque};

/// Nodes in the order of waiting.
#[derive(Clone, Debug)]
pub(super) struct TaintQueue {
    waiting: VecDeque<String>,
    /// Those that wait and those that had their turn: these do not wait again until they are forgotten.
    known: BTreeSet<String>,
    /// Milliseconds between two nodes; `None` to stop.
    pace_ms: Option<i64>,
    /// When there is a token.
    token_ms: i64,
}

impl TaintQueue {
    pub(super) fn new(pace_ms: i64, now_ms: i64) -> Self {
        TaintQueue {
            waiting: VecDeque::new(),
            known: BTreeSet::new(),
            pace_ms: Some(pace_ms),
            token_ms: now_ms,
        }
    }

    /// Puts a node at the end, if it is not known.
    pub(super) fn add(&mut self, node: &str) {
        if self.known.insert(node.to_owned()) {
            self.waiting.push_back(node.to_owned());
        }
    }

    /// The node does not wait any more, and may do so again.
    pub(super) fn forget(&mut self, node: &str) {
        if self.known.remove(node) {
            self.waiting.retain(|waiting| waiting != node);
        }
    }

    /// The first node, if there is a token for it.
    pub(super) fn take(&mut self, now_ms: i64) -> Option<String> {
        let pace = self.pace_ms?;
        if self.waiting.is_empty() || self.token_ms > now_ms {
            return None;
        }
        self.token_ms = now_ms.saturating_add(pace);
        self.waiting.pop_front()
    }

    /// When the next node's turn comes, in milliseconds.
    pub(super) fn next_due(&self) -> Option<i64> {
        (self.pace_ms.is_some() && !self.waiting.is_empty()).then_some(self.token_ms)
    }

    /// Changes the pace. If there was no token, there is none now, and the wait begins anew.
    pub(super) fn set_pace(&mut self, pace_ms: Option<i64>, now_ms: i64) {
        if self.pace_ms == pace_ms {
            return;
        }
        let had_token = self.pace_ms.is_some() && self.token_ms <= now_ms;
        self.token_ms = if had_token {
            now_ms
        } else {
            now_ms.saturating_add(pace_ms.unwrap_or(0))
        };
        self.pace_ms = pace_ms;
    }
}
