//! The rate-limited queue of a zone's nodes that are to get a NoExecute taint (`RateLimitedTimedQueue` with a bucket
//! of one token).

use std::collections::{BTreeSet, VecDeque};

/// Nodes in order of arrival.
#[derive(Clone, Debug)]
pub(super) struct TaintQueue {
    waiting: VecDeque<String>,
    /// Queued nodes and those already taken; a taken node is queued again only after it is forgotten.
    known: BTreeSet<String>,
    /// Milliseconds between two nodes; `None` to stop.
    pace_ms: Option<i64>,
    /// When the next token is available.
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

    /// Appends a node, unless it is known.
    pub(super) fn add(&mut self, node: &str) {
        if self.known.insert(node.to_owned()) {
            self.waiting.push_back(node.to_owned());
        }
    }

    /// Removes a node; it may be added again.
    pub(super) fn forget(&mut self, node: &str) {
        if self.known.remove(node) {
            self.waiting.retain(|waiting| waiting != node);
        }
    }

    /// Takes the first node, if a token is available.
    pub(super) fn take(&mut self, now_ms: i64) -> Option<String> {
        let pace = self.pace_ms?;
        if self.waiting.is_empty() || self.token_ms > now_ms {
            return None;
        }
        self.token_ms = now_ms.saturating_add(pace);
        self.waiting.pop_front()
    }

    /// When the next node can be taken, in milliseconds.
    pub(super) fn next_due(&self) -> Option<i64> {
        (self.pace_ms.is_some() && !self.waiting.is_empty()).then_some(self.token_ms)
    }

    /// Changes the pace. If no token was available, the wait starts again.
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
