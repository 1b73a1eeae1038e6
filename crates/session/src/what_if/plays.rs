//! Plays in the living cluster, one after the other.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use berth_core::api::manifests::Manifests;
use berth_protocol::edit::EditError;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::{Drains, Evictions};
use berth_sim::run::Order;
use berth_sim::simulated_cluster::SimulatedCluster;

use super::PlayProgress;
use super::end::{End, FinishedPlay};
use super::evict;
use super::live::{Act, Live};
use crate::drain;
use crate::history::Now;
use crate::session::{Options, Session};
use crate::simulated::Simulated;
use crate::terminal::Terminal;

/// Where questions about drains begin: a living cluster in which nothing happens by itself.
pub(super) struct LiveGround {
    pub cluster: SimulatedCluster,
    pub manifests: Rc<Manifests>,
    pub options: Options,
}

/// The cluster at this moment, for questions about drains.
pub(super) fn live_ground(session: &Session) -> Result<LiveGround, EditError> {
    let would_not_start = || EditError::new(Remark::manifests_not_accepted(), Remark::default());
    Ok(LiveGround {
        cluster: drain::drained_cluster(session).ok_or_else(would_not_start)?,
        manifests: Rc::clone(session.history.manifests()),
        options: session.state.options.clone(),
    })
}

/// Plays, after one in which nothing is done: waiting Pods are tried, and become ready.
pub(super) struct LivePlays {
    /// Once that has been played, with the cluster that it came to.
    pub ground: LiveGround,
    next: VecDeque<(Vec<Act>, Order)>,
    now: Option<Box<Live>>,
    /// The uids of the Pods before anything is done.
    uids: BTreeSet<String>,
    /// The end if nothing is done.
    pub before: Option<End>,
    /// What the descheduler evicted in the first play.
    pub evictions: Option<Evictions>,
    /// Number of plays that have ended.
    ended: usize,
    moments: usize,
}

impl LivePlays {
    /// The plays of what is done, each in its order.
    pub fn new(ground: LiveGround, plays: impl IntoIterator<Item = (Vec<Act>, Order)>) -> Self {
        let first = Live::new(ground.cluster.clone(), vec![Act::Settle], Order::Names);
        Self {
            ground,
            next: plays.into_iter().collect(),
            now: Some(Box::new(first)),
            uids: BTreeSet::new(),
            before: None,
            evictions: None,
            ended: 0,
            moments: 0,
        }
    }

    /// Plays up to `limit` moments. Returns what the play came to that has ended, if one has; `is_shown`: whether its
    /// moment is kept.
    pub fn advance(&mut self, limit: usize, is_shown: bool) -> Option<(End, Drains)> {
        for _ in 0..limit {
            let now = self.now.as_mut()?;
            self.moments += 1;
            if !now.step() {
                let ended = self.now.take().map(|live| *live)?;
                return self.finish(ended, is_shown);
            }
        }
        None
    }

    fn finish(&mut self, mut live: Live, is_shown: bool) -> Option<(End, Drains)> {
        self.ended += 1;
        let come_to = match &self.before {
            None => {
                self.before = Some(now(&live));
                self.uids = live.uids();
                self.ground.cluster = live.cluster;
                None
            }
            Some(before) => {
                let evictions = live.evictions.take().filter(|_| self.evictions.is_none());
                let evictions = evictions.map(|it| evict::settled(it, &live, &self.uids));
                let (ended, drains) = live.ended(&self.uids);
                if let Some(evictions) = evictions {
                    self.evictions = Some(Evictions {
                        seconds: drains.seconds,
                        unmade: drains.unmade.clone(),
                        ..evictions
                    });
                }
                let end = End::of(ended, self.ground.cluster.seen(), is_shown);
                Some((End { moved: 0, ..end }.with_unmade(before), drains))
            }
        };
        self.now = self.next.pop_front().map(|(acts, order)| {
            let cluster = self.ground.cluster.clone();
            Box::new(Live::new(cluster, acts, order))
        });
        come_to
    }

    pub fn is_done(&self) -> bool {
        self.now.is_none()
    }

    /// How far has been played.
    pub fn progress(&self) -> PlayProgress {
        let left = self.next.len() + usize::from(self.now.is_some());
        PlayProgress {
            plays: (self.ended, self.ended + left),
            attempts: self.moments,
        }
    }
}

/// The waiting Pods of a moment.
pub(super) fn now(live: &Live) -> End {
    let ended = FinishedPlay {
        now: Now::Simulated(Box::new(Simulated::of_cluster(live.cluster.clone()))),
        again: BTreeSet::new(),
        lost: Vec::new(),
        gone: 0,
        preemptions: 0,
    };
    End::of(ended, live.cluster.seen(), true)
}

/// A terminal on the cluster of an end that was kept.
pub(super) fn terminal_at(end: &End) -> Option<Terminal> {
    match end.now.as_ref()? {
        Now::Simulated(simulated) => Some(Terminal::on(simulated.cluster().clone())),
        Now::Rounds(_) => None,
    }
}
