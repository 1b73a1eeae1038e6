//! The elements beside the canvas: the card of the node below the pointer, and the list that exposes the cells to
//! screen readers. The list holds only the focused node and its neighbors.

use yew::{Context, Html, html};

use super::{Event, Far, Props};
use crate::scene::marks::{Outcome, share};
use crate::scene::outcomes;
use crate::ui::features::stage::view::group;
use crate::ui::parts::icon::icon;
use crate::ui::store::progress::Point;
use crate::words;

/// Sizes assumed to place the hover card and the open card beside a cell, in CSS pixels.
const HOVER: (f64, f64) = (250.0, 130.0);
pub(super) const OPEN: (f64, f64) = (260.0, 260.0);
/// Number of listed nodes before and after the focused one.
const AROUND: usize = 2;

impl Far {
    /// The position of a card of that size beside a node's cell.
    pub(super) fn beside(&self, node: usize, size: (f64, f64)) -> Option<(i32, i32)> {
        let cell = self.camera.to_view(&self.chart.cell(node)?);
        let right = cell.x + cell.width + 6.0;
        let left = if right + size.0 <= self.camera.width {
            right
        } else {
            (cell.x - size.0 - 6.0).max(0.0)
        };
        let top = cell.y.min(self.camera.height - size.1).max(0.0);
        Some((left as i32, top as i32))
    }

    pub(super) fn hover_card(&self, props: &Props) -> Html {
        let hovered = self.hover.filter(|_| self.pointers.is_empty());
        let Some((position, node)) =
            hovered.and_then(|hover| Some((hover, props.fleet.0.get(hover)?)))
        else {
            return html! {};
        };
        let Some((left, top)) = self.beside(position, HOVER) else {
            return html! {};
        };
        let rows = node
            .resources
            .iter()
            .filter(|row| row.name != "ephemeral-storage");
        let rows = rows.map(|row| {
            let share = share(row.requested, row.allocatable);
            let name = match row.name.as_str() {
                "memory" => words::MEMORY.get(),
                other => words::short_key(other),
            };
            html! {
                <>
                    <span>{ name }</span>
                    <span class="bar" style={format!("--v:{share:.1}")} />
                    <span class="v"><b>{ words::amount(&row.name, row.requested) }</b>
                        { format!(" / {}{}", words::amount(&row.name, row.allocatable), words::unit(&row.name)) }</span>
                </>
            }
        });
        let (mark, verdict) = self.verdict(props, position);
        html! {
            <div class="pop hovercard hovercard--hover" aria-hidden="true" style={format!("left:{left}px;top:{top}px")}>
                <div class="node__head"><span class="node__name clip">{ &node.name }</span>
                    <span class="node__role">{ group(node, &props.group_by).unwrap_or_default() }</span></div>
                <div class="meters meters--keep">{ for rows }</div>
                if let Some(verdict) = verdict {
                    <div class={format!("node__verdict node__verdict--{mark}")}>{ icon(mark) }<span class="clip">{ verdict }</span></div>
                }
            </div>
        }
    }

    /// The icon and the text for a node's outcome.
    fn verdict(&self, props: &Props, position: usize) -> (&'static str, Option<String>) {
        let whole = props.revealed.reached(Point::PostFilter);
        match self.outcomes.get(position) {
            Some(Outcome::Feasible) if whole => ("feasible", Some(words::FEASIBLE.to_owned())),
            Some(Outcome::Feasible) => ("feasible", Some(words::FEASIBLE_SO_FAR.to_owned())),
            Some(Outcome::Chosen) => ("chosen", Some(words::CHOSEN.to_owned())),
            Some(Outcome::NotExamined) => ("unseen", Some(words::explain::NOT_EXAMINED.to_owned())),
            Some(Outcome::Rejected | Outcome::Foreign) => {
                let rows = props.explained.0.as_ref().map(|explained| &explained.rows);
                let reasons = rows.map(|rows| outcomes::reasons(rows, position));
                let reasons = reasons.filter(|reasons| !reasons.is_empty());
                let words = reasons.unwrap_or_else(|| words::REJECTED.to_owned());
                ("rejected", Some(words))
            }
            Some(Outcome::Unknown) | None => ("", None),
        }
    }

    pub(super) fn list(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let nodes = &props.fleet.0;
        let link = ctx.link();
        let around = self.cursor.saturating_sub(AROUND)..=self.cursor + AROUND;
        let options = around.filter_map(|position| {
            let node = nodes.get(position)?;
            let verdict = match self.verdict(props, position) {
                ("rejected", Some(why)) if why != words::REJECTED.get() => {
                    Some(words::labelled(words::REJECTED, why))
                }
                (_, verdict) => verdict,
            };
            let place = group(node, &props.group_by);
            let name = words::node_name(node, place, verdict.as_deref());
            Some(html! {
                <div
                    role="option"
                    id={option_id(position)}
                    key={position}
                    aria-selected={(position == self.cursor).to_string()}
                    aria-posinset={(position + 1).to_string()}
                    aria-setsize={nodes.len().to_string()}
                    data-node={node.name.clone()}
                >{ name }</div>
            })
        });
        html! {
            <div
                class="far__list"
                role="listbox"
                tabindex="0"
                aria-label={words::nodes(nodes.len())}
                aria-description={words::FAR_KEYS}
                aria-activedescendant={option_id(self.cursor)}
                onkeydown={link.callback(Event::Key)}
                onfocus={link.callback(|_| Event::Focus(true))}
                onblur={link.callback(|_| Event::Focus(false))}
            ><div class="visually-hidden" role="presentation">{ for options }</div></div>
        }
    }
}

fn option_id(position: usize) -> String {
    format!("far-node-{position}")
}
