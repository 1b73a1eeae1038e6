//! A question of any kind while it is played.

use std::collections::BTreeSet;

use berth_protocol::cycle::Cycle;
use berth_protocol::edit::EditError;
use berth_protocol::what_if::{Answered, Asking, Workload};

use super::{AT_MOST, Asked, Losing, Needing, ORDERS, Played};
use crate::Session;

/// A question of any kind that is being played.
pub enum Playing {
    Answer(Box<Asked>),
    Losses(Box<Losing>),
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
        self.ask_loss(nodes, labels, orders)
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
            Self::Losses(losing) => losing.advance(limit),
            Self::Need(needing) => needing.advance(limit),
        }
    }

    /// How far the question has been played.
    pub fn played(&self) -> Played {
        match self {
            Self::Answer(asked) => asked.played(),
            Self::Losses(losing) => losing.played(),
            Self::Need(needing) => needing.played(),
        }
    }

    /// The answer from what has been played; `None` if that is too little for one.
    pub fn answer(&self) -> Option<Answered> {
        Some(match self {
            Self::Answer(asked) => Answered::Answer(Box::new(asked.answer()?)),
            Self::Losses(losing) => Answered::Losses(losing.answer()?),
            Self::Need(needing) => Answered::Need(needing.answer()?),
        })
    }

    /// Why the first waiting Pod of a workload waits at the end, in the order of names; `None` if none waits.
    pub fn explain(&self, workload: &Workload) -> Option<Cycle> {
        match self {
            Self::Answer(asked) => asked.explain(workload),
            Self::Losses(_) => None,
            Self::Need(needing) => needing.explain(workload),
        }
    }
}

impl From<Asked> for Playing {
    fn from(asked: Asked) -> Self {
        Self::Answer(Box::new(asked))
    }
}

impl From<Losing> for Playing {
    fn from(losing: Losing) -> Self {
        Self::Losses(Box::new(losing))
    }
}

impl From<Needing> for Playing {
    fn from(needing: Needing) -> Self {
        Self::Need(Box::new(needing))
    }
}
