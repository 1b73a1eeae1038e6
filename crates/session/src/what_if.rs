//! What-ifs: what a change of the cluster comes to, played on copies of the run.
//!
//! A question is asked of a session and played attempt by attempt, so that it can be watched and stopped. Each play begins
//! with a copy of the run's beginning, changed by events ([`Run::begun_with`]), and goes on to its end. What the words of an
//! answer mean is in `docs/what-if.md`.

mod added;
mod answer;
mod each;
mod end;
mod evict;
mod fit;
mod live;
mod losses;
mod need;
mod playing;
mod plays;
mod rolling;
mod shrink;

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use berth_core::api::manifests::Manifests;
use berth_protocol::cycle::Cycle;
use berth_protocol::edit::EditError;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{Question, Workload};
use berth_scheduler::cluster::event::Event;
use berth_sim::run::{Displaced, Order, Run};

use super::history::Now;
use crate::explain::explained_next;
use crate::session::{Options, Session};
use end::End;

pub use added::ask_more_nodes;
pub use each::{DrainingEach, ask_drains};
pub use evict::ask_evict;
pub use fit::ask_fit;
pub use live::SETTLE;
pub(crate) use live::{comes_to_rest, rests_by};
pub use losses::{Losing, ask_losses};
pub use need::{Needing, ask_need};
pub use playing::{Playing, ask, ask_drain_of, ask_loss_of, ask_shrink_of, ask_upgrade_of, model};
pub use rolling::{Rolling, ask_drain, ask_upgrade, nodes_of_pool};
pub use shrink::{Prices, Shrinking, ask_shrink, prices};

/// Number of further orders that an answer whose order matters plays.
pub const ORDERS: u64 = 10;

/// Number of replicas that are tried if nothing is said.
pub const AT_MOST: usize = 1_000;

/// How a play begins.
#[derive(Clone, Debug)]
enum Change {
    /// With the cluster as it is.
    Nothing,
    Lost(BTreeSet<String>),
    Unplaced,
    Added(Rc<Arriving>),
}

/// Pods that come.
#[derive(Debug, Default)]
struct Arriving {
    events: Vec<Event>,
    /// `namespace/name`.
    pods: BTreeSet<String>,
}

/// A play: the run that it begins from, what changes, and in which order Pods come again.
struct Play {
    base: Rc<Run>,
    change: Change,
    order: Order,
}

impl Play {
    /// The run at its beginning, and what became of the Pods that lost their place.
    fn begin(&self) -> Begun {
        let displaced = match &self.change {
            Change::Nothing => Displaced::default(),
            Change::Lost(nodes) => self.base.nodes_lost(nodes, self.order),
            Change::Unplaced => self.base.pods_unplaced(self.order),
            Change::Added(arriving) => Displaced {
                events: arriving.events.clone(),
                again: arriving.pods.iter().cloned().collect(),
                ..Displaced::default()
            },
        };
        let run = self.base.begun_with(displaced.events, self.order);
        Begun {
            run,
            again: displaced.again.into_iter().collect(),
            lost: displaced.lost,
            gone: displaced.gone,
            preemptions: 0,
        }
    }
}

/// A play that goes on.
struct Begun {
    run: Run,
    /// The Pods that an answer follows: those that come again, that are asked for, or that waited before nodes came.
    again: BTreeSet<String>,
    lost: Vec<String>,
    gone: usize,
    /// Number of attempts that evicted Pods.
    preemptions: usize,
}

/// Plays, one after the other.
#[derive(Default)]
struct Plays {
    next: VecDeque<Play>,
    now: Option<Box<Begun>>,
    /// Number of plays that have ended.
    ended: usize,
    attempts: usize,
}

impl Plays {
    fn of(plays: impl IntoIterator<Item = Play>) -> Self {
        Self {
            next: plays.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Makes up to `limit` attempts. Returns the play that has ended, if one has; `None` if more attempts remain, or all
    /// plays have ended ([`Self::is_done`]).
    fn advance(&mut self, limit: usize) -> Option<Begun> {
        if self.now.is_none() {
            let play = self.next.pop_front()?;
            self.now = Some(Box::new(play.begin()));
        }
        let now = self.now.as_mut()?;
        for _ in 0..limit {
            let Some(attempt) = now.run.step() else {
                self.ended += 1;
                return self.now.take().map(|ended| *ended);
            };
            now.preemptions += usize::from(!attempt.victims.is_empty());
            self.attempts += 1;
        }
        None
    }

    fn is_done(&self) -> bool {
        self.now.is_none() && self.next.is_empty()
    }
}

/// How far a question has been played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayProgress {
    /// Plays that have ended, and all of them.
    pub plays: (usize, usize),
    pub attempts: usize,
}

impl Plays {
    fn progress(&self) -> PlayProgress {
        let left = self.next.len() + usize::from(self.now.is_some());
        PlayProgress {
            plays: (self.ended, self.ended + left),
            attempts: self.attempts,
        }
    }
}

/// Where questions begin: the session's run at this moment.
struct Ground {
    run: Rc<Run>,
    manifests: Rc<Manifests>,
    options: Options,
}

/// The run at this moment, for questions about it.
fn ground(session: &Session) -> Result<Ground, EditError> {
    let now = session.history.at(session.position());
    match now.as_deref() {
        Some(Now::Rounds(run)) => Ok(Ground {
            run: Rc::new(run.checkpoint()),
            manifests: Rc::clone(session.history.manifests()),
            options: session.state.options.clone(),
        }),
        Some(Now::Simulated(_)) | None => Err(EditError::new(
            Remark::what_if_without_clock(),
            Remark::default(),
        )),
    }
}

/// Asks what the loss of these nodes comes to, in the order of names and in `orders` further ones. `labels`: the
/// selectors by which they were named, for the answer.
///
/// # Errors
/// If there is no such node, or the cluster is simulated.
pub fn ask_loss(
    session: &Session,
    nodes: BTreeSet<String>,
    labels: Vec<String>,
    orders: u64,
) -> Result<Asked, EditError> {
    let ground = ground(session)?;
    if let Some(missing) = nodes.iter().find(|node| !ground.has_node(node)) {
        return Err(no_such_node(missing));
    }
    let question = Question::Lose {
        nodes: nodes.iter().cloned().collect(),
        labels,
    };
    Ok(Asked::new(ground, question, Change::Lost(nodes), orders))
}

/// Asks what comes of placing every Pod again that can move, in the order of their age and in `orders` further ones.
///
/// # Errors
/// If the cluster is simulated.
pub fn ask_anew(session: &Session, orders: u64) -> Result<Asked, EditError> {
    let ground = ground(session)?;
    Ok(Asked::new(ground, Question::Anew, Change::Unplaced, orders))
}

fn no_such_node(node: &str) -> EditError {
    EditError::new(
        Remark::quoted(format!("nodes \"{node}\" not found")),
        Remark::default(),
    )
}

impl Ground {
    /// The release that is followed.
    fn release(&self) -> String {
        answer::release_of(&self.manifests)
    }

    fn has_node(&self, node: &str) -> bool {
        self.run.snapshot().cluster().find_node(node).is_some()
    }

    /// The run without a change.
    fn as_it_is(&self) -> Play {
        Play {
            base: Rc::clone(&self.run),
            change: Change::Nothing,
            order: Order::Names,
        }
    }
}

/// A question that is being played.
pub struct Asked {
    question: Question,
    ground: Ground,
    /// The ground with the new nodes that were asked for.
    with: Option<Ground>,
    plays: Plays,
    /// The end without the change.
    before: Option<End>,
    /// The ends with it: that of the order of names, then those of the further orders.
    ends: Vec<End>,
}

impl Asked {
    fn new(ground: Ground, question: Question, change: Change, orders: u64) -> Self {
        let seeds = (1..=orders).map(Order::Seed);
        let orders = [Order::Names].into_iter().chain(seeds);
        let changed = orders.map(|order| Play {
            base: Rc::clone(&ground.run),
            change: change.clone(),
            order,
        });
        Self {
            plays: Plays::of([ground.as_it_is()].into_iter().chain(changed)),
            question,
            ground,
            with: None,
            before: None,
            ends: Vec::new(),
        }
    }

    /// Makes up to `limit` attempts; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        if let Some(mut ended) = self.plays.advance(limit) {
            if let (Some(_), Some(before)) = (&self.with, &self.before) {
                ended.again = before.waiting_keys();
            }
            let is_shown = self.ends.is_empty();
            let end = End::of(ended, self.ground.run.snapshot().cluster(), is_shown);
            match self.before {
                None => self.before = Some(end),
                Some(_) => self.ends.push(end),
            }
        }
        !self.plays.is_done()
    }

    /// How far the question has been played.
    pub fn progress(&self) -> PlayProgress {
        self.plays.progress()
    }

    /// Why the first waiting Pod of a workload waits at the end, in the order of names; `None` if none waits. If nodes
    /// were added, the attempt tells of these alone.
    pub fn explain(&self, workload: &Workload) -> Option<Cycle> {
        let mut cycle = explained(self.ends.first()?, workload)?;
        if let Question::Add { nodes, .. } = &self.question
            && !cycle.nodes.is_empty()
        {
            cycle.nodes.retain(|report| nodes.contains(&report.node));
            // Its positions are those of all nodes.
            cycle.meant = None;
        }
        Some(cycle)
    }
}

/// The next attempt of the first waiting Pod of a workload, at an end that was kept.
fn explained(end: &End, workload: &Workload) -> Option<Cycle> {
    let now = end.now.as_ref()?;
    let (namespace, name) = end.waiting.get(workload)?.first.as_ref()?;
    let snapshot = now.snapshot().what_if(Vec::new(), (namespace, name))?;
    explained_next(&snapshot, None)
}

#[cfg(test)]
mod tests;
