//! "Why not node X?": the question can be asked about any other node if the Pod was placed.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::{emphasised, shows_outcome, text};
use crate::ui::features::explain::ExplainAction;
use crate::ui::parts::icon::icon;
use crate::ui::store::progress::Revealed;
use crate::ui::store::{Action, Store};
use crate::words;
use berth_protocol::cycle::Cycle;
use berth_protocol::frame::NodeFrame;
use berth_protocol::why_not::WhyNot;

/// Maximum number of names offered; typing narrows them down.
const OFFERED: usize = 50;

/// Whether the question can be asked: the Pod is placed, and there are other nodes.
pub fn is_asked(cycle: &Cycle, revealed: &Revealed) -> bool {
    cycle.selected.is_some() && cycle.search.nodes > 1 && shows_outcome(revealed)
}

/// The question and its answer. For a waiting Pod the matrix is the answer, so only a shortcut asks.
pub fn view(store: &Store, cycle: &Cycle, revealed: &Revealed, act: &Callback<Action>) -> Html {
    let asked = store.explain.why_not.as_ref();
    let is_asked = is_asked(cycle, revealed);
    if !is_asked && (asked.is_none() || !shows_outcome(revealed)) {
        return html! {};
    }
    let answer = asked.map(|(node, why)| answer(words::short(&cycle.pod), node, why));
    let nodes = Rc::new(store.view.nodes.clone());
    let asked = asked.map(|(node, _)| AttrValue::from(node.clone()));
    html! {
        <div class="whynot">
            if is_asked { <Question {nodes} {asked} act={act.clone()} /> }
            <div role="status">{ answer.unwrap_or_default() }</div>
        </div>
    }
}

/// Cold: kept out of the first download.
#[inline(never)]
fn answer(pod: &str, node: &str, why: &WhyNot) -> Html {
    let mark = match why {
        WhyNot::Chosen => icon("chosen"),
        WhyNot::Outscored { .. } | WhyNot::Tied { .. } => icon("feasible"),
        WhyNot::Rejected { .. } | WhyNot::RejectedEarly { .. } | WhyNot::Failed { .. } => {
            icon("rejected")
        }
        WhyNot::Excluded { .. } | WhyNot::Nominated { .. } | WhyNot::NotExamined { .. } => {
            html! { <i class="dash" /> }
        }
    };
    let text = text::why_not(pod, node, why);
    html! {
        <p class="whynot__answer" data-why-not-answer={node.to_owned()}>
            { mark }<span>{ emphasised(&text, &[node, pod]) }</span>
        </p>
    }
}

#[derive(Properties)]
struct QuestionProps {
    nodes: Rc<Vec<Rc<NodeFrame>>>,
    /// The node whose answer is shown.
    asked: Option<AttrValue>,
    act: Callback<Action>,
}

impl PartialEq for QuestionProps {
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.nodes.iter().zip(other.nodes.iter());
        self.asked == other.asked
            && self.nodes.len() == other.nodes.len()
            && pairs.into_iter().all(|(one, two)| Rc::ptr_eq(one, two))
    }
}

/// A field that offers the nodes' names. It submits as soon as the text is a node's name.
#[function_component]
fn Question(props: &QuestionProps) -> Html {
    let typed = use_state(|| None::<String>);
    {
        let typed = typed.clone();
        // The field also shows a node that was asked about elsewhere.
        use_effect_with(props.asked.clone(), move |_| typed.set(None));
    }
    let asked = props.asked.as_deref().unwrap_or_default();
    let value = typed.as_deref().unwrap_or(asked).to_owned();
    let oninput = {
        let (act, nodes, typed) = (props.act.clone(), Rc::clone(&props.nodes), typed.clone());
        Callback::from(move |event: InputEvent| {
            let Some(field) = event.target_dyn_into::<HtmlInputElement>() else {
                return;
            };
            let text = field.value();
            if nodes.iter().any(|node| node.name == text) {
                act.emit(Action::Explain(ExplainAction::WhyNot(text.clone())));
            }
            typed.set(Some(text));
        })
    };
    let onsubmit = {
        let (act, nodes, typed) = (props.act.clone(), Rc::clone(&props.nodes), typed.clone());
        let value = value.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            // The first offered name, if the text is not a node's name.
            let exact = nodes.iter().find(|node| node.name == value);
            let node = exact.or_else(|| offered(&nodes, &value).next());
            let name = node.map_or(value.clone(), |node| node.name.clone());
            if !value.trim().is_empty() {
                typed.set(None);
                act.emit(Action::Explain(ExplainAction::WhyNot(name)));
            }
        })
    };
    let wanted = typed.as_deref().unwrap_or_default();
    let names = offered(&props.nodes, wanted)
        .take(OFFERED)
        .map(|node| html! { <option value={node.name.clone()} /> });
    html! {
        <form class="whynot__form" {onsubmit}>
            <label for="why-not">{ text::WHY_NOT }</label>
            <input class="field field--mono" id="why-not" list="why-not-nodes" data-field="why-not" placeholder={text::ANY_NODE} autocomplete="off" spellcheck="false" {value} {oninput} />
            <datalist id="why-not-nodes">{ for names }</datalist>
            <button class="btn btn--line btn--small" data-action="ask-why-not">{ text::ASK }</button>
        </form>
    }
}

/// The nodes whose names contain the text, in order.
fn offered<'a>(
    nodes: &'a [Rc<NodeFrame>],
    text: &str,
) -> impl Iterator<Item = &'a Rc<NodeFrame>> + use<'a> {
    let text = text.trim().to_lowercase();
    let holds = move |node: &&Rc<NodeFrame>| node.name.to_lowercase().contains(&text);
    nodes.iter().filter(holds)
}

#[cfg(test)]
mod tests {
    use super::{is_asked, offered};
    use crate::ui::store::progress::{Point, Revealed, Stop};
    use berth_protocol::cycle::{Cycle, SearchReport};
    use berth_protocol::frame::NodeFrame;

    #[test]
    fn only_a_placed_pod_with_other_nodes_can_be_asked_about() {
        let cycle = |selected: Option<&str>, nodes| Cycle {
            selected: selected.map(str::to_owned),
            search: SearchReport {
                nodes,
                ..SearchReport::default()
            },
            ..Cycle::default()
        };
        let all = Revealed::all();
        assert!(is_asked(&cycle(Some("a"), 2), &all));
        assert!(!is_asked(&cycle(Some("a"), 1), &all));
        assert!(!is_asked(&cycle(None, 2), &all));
        let at = |point| Revealed {
            stop: Some(Stop {
                point,
                plugin: None,
            }),
        };
        assert!(!is_asked(&cycle(Some("a"), 2), &at(Point::Score)));
        assert!(is_asked(&cycle(Some("a"), 2), &at(Point::Select)));
    }

    #[test]
    fn names_are_offered_by_any_part_of_them() {
        let node = |name: &str| {
            std::rc::Rc::new(NodeFrame {
                name: name.into(),
                ..NodeFrame::default()
            })
        };
        let nodes = ["cp-1", "node-a1", "node-b1"].map(node);
        let found = |text: &str| {
            let found = offered(&nodes, text).map(|node| node.name.clone());
            found.collect::<Vec<_>>()
        };
        assert_eq!(found(" B1"), ["node-b1"]);
        assert_eq!(found("").len(), 3);
        assert!(found("x").is_empty());
    }
}
