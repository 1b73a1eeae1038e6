//! The verdict of the explained attempt on one node, up to the current step.

use yew::{Html, classes, html};

use super::card::Card;
use crate::scene::moment::{NodeVerdict, Score};
use crate::ui::parts::icon::icon;

/// The card's class.
pub(super) fn class(node_verdict: &NodeVerdict) -> Option<&'static str> {
    match node_verdict {
        NodeVerdict::Feasible | NodeVerdict::FeasibleSoFar => Some("node--feasible"),
        NodeVerdict::Chosen => Some("node--chosen"),
        NodeVerdict::Rejected {
            is_foreign: true, ..
        } => Some("node--rejected node--foreign"),
        NodeVerdict::Rejected { .. } => Some("node--rejected"),
        NodeVerdict::Candidate { .. } | NodeVerdict::Unknown | NodeVerdict::NotExamined => None,
    }
}

impl Card {
    /// The line at the card's bottom.
    pub(super) fn verdict(&self) -> Html {
        let Some((mark, text)) = self.node_verdict.line() else {
            return html! { <div class="node__verdict" /> };
        };
        if mark == "dash" {
            return html! { <div class="node__verdict node__verdict--quiet"><i class="dash" /><span>{ text }</span></div> };
        }
        let score = self.score.as_ref();
        let score = score.filter(|_| self.node_verdict.may_take());
        // If the bar needs the room, the icon alone marks the chosen node.
        let text = if score.is_some() { String::new() } else { text };
        let quotes = matches!(self.node_verdict, NodeVerdict::Rejected { .. });
        let (title, text) = match &self.node_verdict {
            NodeVerdict::Rejected { brief, least, .. } if self.is_compact && brief != least => {
                (brief.clone(), least.clone())
            }
            NodeVerdict::Rejected { reasons, .. } => (reasons.clone(), text),
            _ => (text.clone(), text),
        };
        html! {
            <div class="node__verdict" {title} translate={quotes.then_some("no")}>
                { icon(mark) }
                if !text.is_empty() { <span class="clip" translate="yes">{ text }</span> }
                if let Some(score) = score {
                    { bar(score) }
                    if let Some(total) = score.total { <span class="push node__total">{ total }</span> }
                }
            </div>
        }
    }

    /// The same as text, for the card's accessible name.
    pub(super) fn verdict_in_words(&self) -> Option<String> {
        let nominated = self.blocks.nominated_in_words();
        let total = self.score.as_ref().and_then(|score| score.total);
        let parts: Vec<String> = nominated
            .into_iter()
            .chain(self.node_verdict.in_words(total))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The stack of scores: each plugin's part once it has run.
fn bar(score: &Score) -> Html {
    let parts = score.parts.iter().map(|(decides, part)| {
        html! { <i class={classes!(if *decides { "c-decides" } else { "c-equal" })} style={format!("--p:{part}")} /> }
    });
    html! {
        <span class="sbar" style={format!("--of:{}", score.highest)} aria-hidden="true">{ for parts }</span>
    }
}
