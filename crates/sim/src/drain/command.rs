//! A whole `kubectl drain`: cordons all nodes, then drains one after the other.

use std::collections::VecDeque;

use super::evictions::{Evictions, Refused};
use super::{DrainOptions, DryRun, Line, aggregate, cordon, plan};
use crate::server::{ApiError, ApiServer};
use berth_base::random::Random;

/// A drain in progress. Its owner calls [`DrainCommand::step`] when it is due and whenever Pods may have been deleted,
/// until it is done.
#[derive(Clone, Debug)]
pub struct DrainCommand {
    options: DrainOptions,
    waiting: VecDeque<String>,
    /// The node that is being drained.
    current: Option<(String, Evictions)>,
    /// Nodes that could not be drained, with the reasons.
    failed: Vec<(String, Vec<String>)>,
    is_done: bool,
}

impl DrainCommand {
    /// Cordons the nodes and starts to drain the first. Also returns the lines that kubectl prints.
    ///
    /// # Errors
    /// If there is no such node; then nothing is done.
    pub fn start(
        nodes: &[String],
        options: DrainOptions,
        api: &mut ApiServer,
    ) -> Result<(Self, Vec<Line>), ApiError> {
        for node in nodes {
            // A client dry run only checks that the node exists.
            cordon(node, true, DryRun::Client, api)?;
        }
        let mut lines = Vec::new();
        for node in nodes {
            lines.push(cordon(node, true, options.dry_run, api)?);
        }
        let mut command = DrainCommand {
            options,
            waiting: nodes.iter().cloned().collect(),
            current: None,
            failed: Vec::new(),
            is_done: false,
        };
        lines.extend(command.step(api));
        Ok((command, lines))
    }

    /// Whether kubectl has returned.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether some node could not be drained, so that kubectl's exit code is 1.
    pub fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Number of Pods left on the node, and of those whose evictions have not been accepted.
    pub fn left(&self) -> (usize, usize) {
        let current = self.current.as_ref();
        current.map_or((0, 0), |(_, evictions)| evictions.left())
    }

    /// The end of the last grace period of the Pods that are being deleted, in milliseconds.
    pub fn ends_by(&self, api: &ApiServer) -> Option<i64> {
        let (_, evictions) = self.current.as_ref()?;
        evictions.ends_by(api)
    }

    /// The evictions that were refused and are tried again.
    pub fn refusals(&self) -> impl Iterator<Item = Refused<'_>> {
        let current = self.current.iter();
        current.flat_map(|(_, evictions)| evictions.refusals())
    }

    /// When to call [`Self::step`] at the latest, in milliseconds; `None` if it is done or only waits for deletions.
    pub fn next_due(&self, api: &ApiServer) -> Option<i64> {
        let (_, evictions) = self.current.as_ref()?;
        evictions.next_due(&self.options, api)
    }

    /// Does the work that is due, and returns the lines that kubectl prints.
    pub fn step(&mut self, api: &mut ApiServer) -> Vec<Line> {
        let mut lines = Vec::new();
        while !self.is_done {
            let Some((node, mut evictions)) = self.current.take() else {
                match self.waiting.pop_front() {
                    Some(node) => self.begin(node, api, &mut lines),
                    None => self.finish(&mut lines),
                }
                continue;
            };
            lines.extend(evictions.step(&self.options, api));
            if !evictions.is_done() {
                self.current = Some((node, evictions));
                return lines;
            }
            match aggregate(evictions.errors()) {
                Some(error) => {
                    self.tell_pending(&node, &error, api, &mut lines);
                    self.fail(node, evictions.into_errors(), &mut lines);
                }
                None => self.drained(&node, &mut lines),
            }
        }
        lines
    }

    fn begin(&mut self, node: String, api: &ApiServer, lines: &mut Vec<Line>) {
        let plan = plan(&node, &self.options, api);
        if !plan.errors.is_empty() {
            self.fail(node, plan.errors, lines);
            return;
        }
        lines.extend(plan.warning_line().map(Line::error));
        if self.options.dry_run == DryRun::Client {
            for key in &plan.evict {
                lines.push(Line::out(format!("evicting pod {key} (dry run)")));
            }
            self.drained(&node, lines);
            return;
        }
        let mut evict = plan.evict;
        if let Some(seed) = self.options.order {
            Random::new(seed).shuffle(&mut evict);
        }
        let evictions = Evictions::new(&evict, &self.options, api);
        self.current = Some((node, evictions));
    }

    fn drained(&self, node: &str, lines: &mut Vec<Line>) {
        let suffix = self.options.dry_run.suffix();
        lines.push(Line::out(format!("node/{node} drained{suffix}")));
    }

    fn fail(&mut self, node: String, errors: Vec<String>, lines: &mut Vec<Line>) {
        let error = aggregate(&errors).unwrap_or_default();
        lines.push(Line::error(format!(
            "error: unable to drain node {node:?} due to error: {error}, continuing command..."
        )));
        self.failed.push((node, errors));
    }

    /// Prints the Pods that are left after an error.
    fn tell_pending(&self, node: &str, error: &str, api: &ApiServer, lines: &mut Vec<Line>) {
        let plan = plan(node, &self.options, api);
        if !plan.evict.is_empty() {
            lines.push(Line::error(format!(
                "There are pending pods in node {node:?} when an error occurred: {error}"
            )));
            let pods = plan.evict.iter().map(|key| format!("pod/{}", key.name()));
            lines.extend(pods.map(Line::error));
        }
        if let Some(errors) = plan.error() {
            lines.push(Line::error(
                "Following errors occurred while getting the list of pods to delete:",
            ));
            lines.push(Line::error(errors));
        }
    }

    fn finish(&mut self, lines: &mut Vec<Line>) {
        self.is_done = true;
        if self.failed.is_empty() {
            return;
        }
        lines.push(Line::error("There are pending nodes to be drained:"));
        let nodes = self.failed.iter().map(|(node, _)| format!(" {node}"));
        lines.extend(nodes.map(Line::error));
        // cmdutil.CheckErr unwraps the error of a single node, and prints each of the rest on a line of its own.
        match self.failed.as_slice() {
            [(_, errors)] => lines.extend(errors.iter().map(Line::error)),
            several => {
                let errors = several.iter().filter_map(|(_, errors)| aggregate(errors));
                lines.extend(errors.map(Line::error));
            }
        }
    }
}
