//! A question of any kind while it is played.

use std::collections::BTreeSet;

use berth_protocol::cycle::Cycle;
use berth_protocol::edit::EditError;
use berth_protocol::what_if::{Answered, Asking, Workload};

use super::{
    AT_MOST, Asked, DrainingEach, Losing, Needing, ORDERS, Played, Prices, Rolling, Shrinking,
};
use crate::Session;

/// A question of any kind that is being played.
pub enum Playing {
    Answer(Box<Asked>),
    Rolling(Box<Rolling>),
    Shrinking(Box<Shrinking>),
    Losses(Box<Losing>),
    Drains(Box<DrainingEach>),
    Need(Box<Needing>),
}

impl Session {
    /// Asks a question as a user does, with the usual number of orders and replicas.
    ///
    /// # Errors
    /// If the question names what is not there, or the cluster is simulated.
    pub fn ask(&self, asking: &Asking) -> Result<Playing, EditError> {
        Ok(match asking {
            Asking::Lose { what } => self.ask_loss_of([what], ORDERS)?.into(),
            Asking::LoseEach { label } => self.ask_losses(label.as_deref())?.into(),
            Asking::Add { like, count } => {
                let like = self.model(like)?;
                self.ask_more_nodes(&like, *count)?.into()
            }
            Asking::Need => self.ask_need()?.into(),
            Asking::Fit { workload } => self.ask_fit(workload, AT_MOST)?.into(),
            Asking::Anew => self.ask_anew(ORDERS)?.into(),
            Asking::Drain { what } => self.ask_drain_of([what], ORDERS)?.into(),
            Asking::DrainEach { label } => self.ask_drains(label.as_deref())?.into(),
            Asking::Upgrade {
                pool,
                max_unavailable,
                max_surge,
            } => {
                let [unavailable, surge] = [*max_unavailable, *max_surge].map(|it| it as usize);
                self.ask_upgrade_of(pool, unavailable, surge, ORDERS)?
                    .into()
            }
            Asking::Shrink { pool } => {
                let pool = (!pool.is_empty()).then_some(pool.as_str());
                self.ask_shrink_of(pool, None)?.into()
            }
        })
    }

    /// Asks what the loss of these nodes comes to; a word is a node's name, or a label as for kubectl's `-l`.
    ///
    /// # Errors
    /// If there is no such node, or the cluster is simulated.
    pub fn ask_loss_of<'w>(
        &self,
        words: impl IntoIterator<Item = &'w String>,
        orders: u64,
    ) -> Result<Asked, EditError> {
        let (nodes, labels) = self.named_nodes(words)?;
        self.ask_loss(nodes, labels, orders)
    }

    /// Asks what the drain of these nodes comes to, named as in [`Self::ask_loss_of`].
    ///
    /// # Errors
    /// If there is no such node, or the cluster is simulated.
    pub fn ask_drain_of<'w>(
        &self,
        words: impl IntoIterator<Item = &'w String>,
        orders: u64,
    ) -> Result<Rolling, EditError> {
        let (nodes, labels) = self.named_nodes(words)?;
        self.ask_drain(nodes, labels, orders)
    }

    /// Asks what an upgrade of the nodes of a pool, or with a label, comes to.
    ///
    /// # Errors
    /// As [`Self::ask_upgrade`].
    pub fn ask_upgrade_of(
        &self,
        pool: &str,
        max_unavailable: usize,
        max_surge: usize,
        orders: u64,
    ) -> Result<Rolling, EditError> {
        let nodes = self.nodes_of(pool)?;
        self.ask_upgrade(pool, nodes, max_unavailable, max_surge, orders)
    }

    /// Asks which nodes of a pool, or with a label, can go; without one, which of all.
    ///
    /// # Errors
    /// If there are no such nodes, or kube-scheduler would not start.
    pub fn ask_shrink_of(
        &self,
        pool: Option<&str>,
        prices: Option<Prices>,
    ) -> Result<Shrinking, EditError> {
        let nodes = pool.map(|pool| self.nodes_of(pool)).transpose()?;
        self.ask_shrink(pool, nodes, prices)
    }

    /// The nodes of a pool, or with a label.
    ///
    /// # Errors
    /// If there are none.
    fn nodes_of(&self, pool: &str) -> Result<BTreeSet<String>, EditError> {
        match is_selector(pool) {
            true => self.nodes_with(pool),
            false => self.nodes_of_pool(pool),
        }
    }

    /// The nodes that words name, and those of the words that are labels.
    fn named_nodes<'w>(
        &self,
        words: impl IntoIterator<Item = &'w String>,
    ) -> Result<(BTreeSet<String>, Vec<String>), EditError> {
        let mut nodes = BTreeSet::new();
        let mut labels = Vec::new();
        for word in words {
            if is_selector(word) {
                nodes.extend(self.nodes_with(word)?);
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
    pub fn model(&self, like: &str) -> Result<String, EditError> {
        if !is_selector(like) {
            return Ok(like.to_owned());
        }
        let nodes = self.nodes_with(like)?;
        Ok(nodes.into_iter().next().unwrap_or_default())
    }
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
    pub fn played(&self) -> Played {
        match self {
            Self::Answer(asked) => asked.played(),
            Self::Rolling(asked) => asked.played(),
            Self::Shrinking(asked) => asked.played(),
            Self::Losses(asked) => asked.played(),
            Self::Drains(asked) => asked.played(),
            Self::Need(asked) => asked.played(),
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
