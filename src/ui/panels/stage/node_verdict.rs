//! The verdict of the explained attempt on one node, up to the current step.

use yew::{Html, classes, html};

use super::card::Card;
use crate::scene::moment::{Score, Standing};
use crate::ui::parts::icon::icon;

/// The card's class.
pub(super) fn class(standing: &Standing) -> Option<&'static str> {
    match standing {
        Standing::Feasible | Standing::FeasibleSoFar => Some("node--feasible"),
        Standing::Chosen => Some("node--chosen"),
        Standing::Rejected { .. } => Some("node--rejected"),
        Standing::Candidate { .. } | Standing::Unknown | Standing::NotExamined => None,
    }
}

impl Card {
    /// The line at the card's bottom.
    pub(super) fn verdict(&self) -> Html {
        let Some((mark, text)) = self.standing.line() else {
            return html! { <div class="node__verdict" /> };
        };
        if mark == "dash" {
            return html! { <div class="node__verdict node__verdict--quiet"><i class="dash" /><span>{ text }</span></div> };
        }
        let score = self.score.as_ref();
        let score = score.filter(|_| self.standing.may_take());
        // If the bar needs the room, the icon alone marks the chosen node.
        let text = if score.is_some() { String::new() } else { text };
        let quotes = matches!(self.standing, Standing::Rejected { .. });
        let (title, text) = match &self.standing {
            Standing::Rejected { brief, least, .. } if self.is_compact && brief != least => {
                (brief.clone(), least.clone())
            }
            Standing::Rejected { reasons, .. } => (reasons.clone(), text),
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

    /// The same in words, for the card's accessible name.
    pub(super) fn verdict_in_words(&self) -> Option<String> {
        let nominated = self.blocks.nominated_in_words();
        let total = self.score.as_ref().and_then(|score| score.total);
        let parts: Vec<String> = nominated
            .into_iter()
            .chain(self.standing.in_words(total))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// The stack of scores: each plugin's part once it has run.
fn bar(score: &Score) -> Html {
    let parts = score.parts.iter().map(|(shade, part)| {
        html! { <i class={classes!(format!("c-{shade}"))} style={format!("--p:{part}")} /> }
    });
    html! {
        <span class="sbar" style={format!("--of:{}", score.highest)} aria-hidden="true">{ for parts }</span>
    }
}
