//! Long work that answers a question. A job is advanced in slices, between which the engine handles commands; it says
//! how far it is, and can be stopped. A new kind is a file below this one and a row of [`Kind`].

#![deny(clippy::wildcard_enum_match_arm)]

pub mod draft;
pub mod fixes;
pub mod fork;
pub mod reduction;
pub mod what_if;

use std::mem::discriminant;

use super::patch::Sent;
use berth_protocol::page::Update;
use berth_protocol::work::Work;
use berth_session::Session;

/// What a job finds out. The first in this order comes first; there is at most one job of a variant.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Where a fork leads.
    Fork,
    /// What a change of the cluster would come to.
    WhatIf,
    /// The smallest case of an attempt.
    Reduction,
    /// The fixes for the attempt at this position of the log.
    Fixes(usize),
    /// The fix for the Pods of these attempts; ascending.
    GroupFix(Vec<usize>),
    /// The rules that a lesson keeps while it is being made.
    Draft,
}

/// Long work of one kind.
pub trait Job {
    /// Works for one slice. Returns what the page learns, and whether work is left.
    fn advance(&mut self, session: &mut Session, sent: &mut Sent) -> (Vec<Update>, bool);

    /// What it is and how far it is; `None` if its updates say so.
    fn work(&self) -> Option<Work> {
        None
    }

    /// Ends it, done or stopped: the answer from what it has.
    fn end(self: Box<Self>) -> Option<Update> {
        None
    }
}

/// The jobs that wait for their slices, in the order of their kinds.
#[derive(Default)]
pub struct Jobs(Vec<(Kind, Box<dyn Job>)>);

impl Kind {
    /// Whether it asks about the present moment: a change or a move makes the answer stale, and the page can stop it.
    fn is_of_moment(&self) -> bool {
        match self {
            Self::Fork | Self::WhatIf | Self::Reduction | Self::Fixes(_) | Self::GroupFix(_) => {
                true
            }
            Self::Draft => false,
        }
    }
}

impl Jobs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether such a job waits: changes of the session end it, so its answer will be valid.
    pub fn has(&self, kind: &Kind) -> bool {
        self.0.iter().any(|(other, _)| other == kind)
    }

    /// Begins a job in place of the one of its variant.
    #[inline(never)]
    pub fn begin(&mut self, kind: Kind, job: impl Job + 'static) {
        let variant = discriminant(&kind);
        self.0.retain(|(other, _)| discriminant(other) != variant);
        let place = self.0.partition_point(|(other, _)| *other < kind);
        self.0.insert(place, (kind, Box::new(job)));
    }

    /// What the first job works on.
    pub fn work(&self) -> Option<Work> {
        self.0.first()?.1.work()
    }

    /// Works for one slice of the first job.
    #[inline(never)]
    pub fn advance(&mut self, session: &mut Session, sent: &mut Sent) -> Vec<Update> {
        let Some((_, job)) = self.0.first_mut() else {
            return Vec::new();
        };
        let (mut updates, is_left) = job.advance(session, sent);
        if !is_left {
            updates.extend(self.0.remove(0).1.end());
        }
        updates
    }

    /// Drops the jobs that ask about the present moment: it is over.
    pub fn drop_stale(&mut self) {
        self.0.retain(|(kind, _)| !kind.is_of_moment());
    }

    /// Stops the jobs that ask about the present moment, each with the answer from what it has.
    #[inline(never)]
    pub fn stop(&mut self) -> Vec<Update> {
        let stopped = self.0.extract_if(.., |(kind, _)| kind.is_of_moment());
        stopped.filter_map(|(_, job)| job.end()).collect()
    }
}
