//! A question of any kind while it is played.

use std::collections::BTreeSet;

use berth_protocol::cycle::Cycle;
use berth_protocol::edit::EditError;
use berth_protocol::what_if::{Answered, Asking, Workload};

use super::{
    AT_MOST, Asked, DrainingEach, Losing, Needing, ORDERS, PlayProgress, Prices, Rolling, Shrinking,
};
use crate::session::Session;
use crate::{pairing, variant, what_if};

/// A question of any kind that is being played.
pub enum Playing {
    Answer(Box<Asked>),
    Rolling(Box<Rolling>),
    Shrinking(Box<Shrinking>),
    Losses(Box<Losing>),
    Drains(Box<DrainingEach>),
    Need(Box<Needing>),
}

/// Asks a question as a user does, with the usual number of orders and replicas.
///
/// # Errors
/// If the question names what is not there, or the cluster is simulated.
pub fn ask(session: &Session, asking: &Asking) -> Result<Playing, EditError> {
    Ok(match asking {
        Asking::Lose { what } => what_if::ask_loss_of(session, [what], ORDERS)?.into(),
        Asking::LoseEach { label } => what_if::ask_losses(session, label.as_deref())?.into(),
        Asking::Add { like, count } => {
            let like = what_if::model(session, like)?;
            what_if::ask_more_nodes(session, &like, *count)?.into()
        }
        Asking::Need => what_if::ask_need(session)?.into(),
        Asking::Fit { workload } => what_if::ask_fit(session, workload, AT_MOST)?.into(),
        Asking::Anew => what_if::ask_anew(session, ORDERS)?.into(),
        Asking::Drain { what } => what_if::ask_drain_of(session, [what], ORDERS)?.into(),
        Asking::DrainEach { label } => what_if::ask_drains(session, label.as_deref())?.into(),
        Asking::Upgrade {
            pool,
            max_unavailable,
            max_surge,
        } => {
            let [unavailable, surge] = [*max_unavailable, *max_surge].map(|it| it as usize);
            what_if::ask_upgrade_of(session, pool, unavailable, surge, ORDERS)?.into()
        }
        Asking::Shrink { pool } => {
            let pool = (!pool.is_empty()).then_some(pool.as_str());
            what_if::ask_shrink_of(session, pool, None)?.into()
        }
    })
}

/// Asks what the loss of these nodes comes to; a word is a node's name, or a label as for kubectl's `-l`.
///
/// # Errors
/// If there is no such node, or the cluster is simulated.
pub fn ask_loss_of<'w>(
    session: &Session,
    words: impl IntoIterator<Item = &'w String>,
    orders: u64,
) -> Result<Asked, EditError> {
    let (nodes, labels) = named_nodes(session, words)?;
    what_if::ask_loss(session, nodes, labels, orders)
}

/// Asks what the drain of these nodes comes to, named as in [`ask_loss_of`].
///
/// # Errors
/// If there is no such node, or the cluster is simulated.
pub fn ask_drain_of<'w>(
    session: &Session,
    words: impl IntoIterator<Item = &'w String>,
    orders: u64,
) -> Result<Rolling, EditError> {
    let (nodes, labels) = named_nodes(session, words)?;
    what_if::ask_drain(session, nodes, labels, orders)
}

/// Asks what an upgrade of the nodes of a pool, or with a label, comes to.
///
/// # Errors
/// As [`what_if::ask_upgrade`].
pub fn ask_upgrade_of(
    session: &Session,
    pool: &str,
    max_unavailable: usize,
    max_surge: usize,
    orders: u64,
) -> Result<Rolling, EditError> {
    let nodes = nodes_of(session, pool)?;
    what_if::ask_upgrade(session, pool, nodes, max_unavailable, max_surge, orders)
}

/// Asks which nodes of a pool, or with a label, can go; without one, which of all. Without `prices`, those of the Scenario
/// count.
///
/// # Errors
/// If there are no such nodes, or kube-scheduler would not start.
pub fn ask_shrink_of(
    session: &Session,
    pool: Option<&str>,
    prices: Option<Prices>,
) -> Result<Shrinking, EditError> {
    let nodes = pool.map(|pool| nodes_of(session, pool)).transpose()?;
    let of_scenario = || pairing::scenario(session)?.prices.clone();
    let prices = prices.or_else(of_scenario);
    what_if::ask_shrink(session, pool, nodes, prices)
}

/// The nodes of a pool, or with a label.
///
/// # Errors
/// If there are none.
fn nodes_of(session: &Session, pool: &str) -> Result<BTreeSet<String>, EditError> {
    match is_selector(pool) {
        true => variant::nodes_with(session, pool),
        false => what_if::nodes_of_pool(session, pool),
    }
}

/// The nodes that words name, and those of the words that are labels.
fn named_nodes<'w>(
    session: &Session,
    words: impl IntoIterator<Item = &'w String>,
) -> Result<(BTreeSet<String>, Vec<String>), EditError> {
    let mut nodes = BTreeSet::new();
    let mut labels = Vec::new();
    for word in words {
        if is_selector(word) {
            nodes.extend(variant::nodes_with(session, word)?);
            labels.push(word.clone());
        } else {
            nodes.insert(word.clone());
        }
    }
    Ok((nodes, labels))
}

/// The node that new ones are like: named, or the first by name with a label.
///
/// # Errors
/// If no node has the label.
pub fn model(session: &Session, like: &str) -> Result<String, EditError> {
    if !is_selector(like) {
        return Ok(like.to_owned());
    }
    let nodes = variant::nodes_with(session, like)?;
    Ok(nodes.into_iter().next().unwrap_or_default())
}

fn is_selector(word: &str) -> bool {
    word.contains(['=', '!', ',', ' '])
}

impl Playing {
    /// Makes up to `limit` attempts; returns whether more remain.
    pub fn advance(&mut self, limit: usize) -> bool {
        match self {
            Self::Answer(asked) => asked.advance(limit),
            Self::Rolling(asked) => asked.advance(limit),
            Self::Shrinking(asked) => asked.advance(limit),
            Self::Losses(asked) => asked.advance(limit),
            Self::Drains(asked) => asked.advance(limit),
            Self::Need(asked) => asked.advance(limit),
        }
    }

    /// How far the question has been played.
    pub fn progress(&self) -> PlayProgress {
        match self {
            Self::Answer(asked) => asked.progress(),
            Self::Rolling(asked) => asked.progress(),
            Self::Shrinking(asked) => asked.progress(),
            Self::Losses(asked) => asked.progress(),
            Self::Drains(asked) => asked.progress(),
            Self::Need(asked) => asked.progress(),
        }
    }

    /// The answer from what has been played; `None` if that is too little for one.
    pub fn answer(&self) -> Option<Answered> {
        Some(match self {
            Self::Answer(asked) => Answered::Answer(Box::new(asked.answer()?)),
            Self::Rolling(asked) => Answered::Answer(Box::new(asked.answer()?)),
            Self::Shrinking(asked) => Answered::Answer(Box::new(asked.answer()?)),
            Self::Losses(asked) => Answered::Losses(asked.answer()?),
            Self::Drains(asked) => Answered::Losses(asked.answer()?),
            Self::Need(asked) => Answered::Need(asked.answer()?),
        })
    }

    /// Why the first waiting Pod of a workload waits at the end, in the order of names; `None` if none waits.
    pub fn explain(&self, workload: &Workload) -> Option<Cycle> {
        match self {
            Self::Answer(asked) => asked.explain(workload),
            Self::Rolling(asked) => asked.explain(workload),
            Self::Shrinking(asked) => asked.explain(workload),
            Self::Losses(_) | Self::Drains(_) => None,
            Self::Need(asked) => asked.explain(workload),
        }
    }
}

macro_rules! from {
    ($($question:ty => $variant:ident),* $(,)?) => {
        $(impl From<$question> for Playing {
            fn from(asked: $question) -> Self {
                Self::$variant(Box::new(asked))
            }
        })*
    };
}

from!(
    Asked => Answer,
    Rolling => Rolling,
    Shrinking => Shrinking,
    Losing => Losses,
    DrainingEach => Drains,
    Needing => Need,
);
