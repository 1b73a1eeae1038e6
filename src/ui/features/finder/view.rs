//! Finds a node or a Pod by name, and moves there.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::features::explain::ExplainAction;
use crate::ui::features::stage::StageAction;
use crate::ui::parts::focus;
use crate::ui::store::{Action, PageAction, Panel, Store};
use crate::words;
use berth_protocol::frame::{NodeFrame, PodFrame};

/// Maximum number of names shown.
const SHOWN: usize = 12;

/// An object whose name matches.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Hit {
    Node(String),
    /// `namespace/name`.
    Pod(String),
}

/// The search field and its results.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let (nodes, pods) = (store.view.nodes.clone(), store.view.pods.clone());
    html! { <Finder {nodes} {pods} act={act.clone()} /> }
}

#[derive(Properties)]
struct Props {
    nodes: Vec<Rc<NodeFrame>>,
    pods: Vec<Rc<PodFrame>>,
    act: Callback<Action>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        fn same<T>(one: &[Rc<T>], two: &[Rc<T>]) -> bool {
            let mut pairs = one.iter().zip(two);
            one.len() == two.len() && pairs.all(|(one, two)| Rc::ptr_eq(one, two))
        }
        same(&self.nodes, &other.nodes) && same(&self.pods, &other.pods)
    }
}

#[function_component]
fn Finder(props: &Props) -> Html {
    let typed = use_state(String::new);
    let at = use_state(|| 0_usize);
    let hits = find(&props.nodes, &props.pods, &typed);
    let here = (*at).min(hits.len().saturating_sub(1));
    let oninput = {
        let (typed, at) = (typed.clone(), at.clone());
        Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                typed.set(field.value());
                at.set(0);
            }
        })
    };
    let onkeydown = {
        let (hits, pods, act) = (hits.clone(), props.pods.clone(), props.act.clone());
        Callback::from(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "ArrowDown" => at.set((here + 1).min(hits.len().saturating_sub(1))),
                "ArrowUp" => at.set(here.saturating_sub(1)),
                "Enter" => {
                    if let Some(hit) = hits.get(here) {
                        go(hit, node_of(hit, &pods), &act);
                    }
                }
                _ => return,
            }
            event.prevent_default();
        })
    };
    let rows = hits.iter().enumerate().map(|(number, hit)| {
        let (kind, name) = match hit {
            Hit::Node(name) => (words::explain::NODE, name.as_str()),
            Hit::Pod(key) => (words::POD, words::short(key)),
        };
        let (act, chosen, pods) = (props.act.clone(), hit.clone(), props.pods.clone());
        let onclick = Callback::from(move |_: MouseEvent| go(&chosen, node_of(&chosen, &pods), &act));
        html! {
            <li role="option" id={format!("found-{number}")} aria-selected={(number == here).to_string()} data-found={name.to_owned()} {onclick}>
                <span class="muted">{ kind }</span><span class="clip">{ name }</span>
            </li>
        }
    });
    let active = (!hits.is_empty()).then(|| format!("found-{here}"));
    html! {
        <div class="find">
            <input
                class="field" data-first="" data-field="find" role="combobox" aria-expanded="true" aria-controls="found"
                aria-activedescendant={active} aria-label={words::FIND_WHAT} placeholder={words::FIND_WHAT}
                autocomplete="off" spellcheck="false" value={(*typed).clone()} {oninput} {onkeydown}
            />
            <ul id="found" class="find__list" role="listbox" aria-label={words::FIND}>{ for rows }</ul>
            <p class="note" role="status">{ if hits.is_empty() { words::NOTHING_FOUND.get() } else { "" } }</p>
        </div>
    }
}

/// Nodes and Pods whose names contain the text: prefix matches first, nodes before Pods.
fn find(nodes: &[Rc<NodeFrame>], pods: &[Rc<PodFrame>], text: &str) -> Vec<Hit> {
    let text = text.trim().to_lowercase();
    let (mut first, mut more) = (Vec::new(), Vec::new());
    let mut take = |name: &str, hit: &dyn Fn() -> Hit| match name.to_lowercase().find(&text) {
        Some(0) => first.push(hit()),
        Some(_) if more.len() < SHOWN => more.push(hit()),
        _ => {}
    };
    for node in nodes {
        take(&node.name, &|| Hit::Node(node.name.clone()));
    }
    for pod in pods {
        take(words::short(&pod.key), &|| Hit::Pod(pod.key.clone()));
    }
    first.truncate(SHOWN);
    first.extend(more);
    first.truncate(SHOWN);
    first
}

/// The node of a Pod among the results.
fn node_of<'p>(hit: &Hit, pods: &'p [Rc<PodFrame>]) -> Option<&'p str> {
    let Hit::Pod(key) = hit else {
        return None;
    };
    pods.iter().find(|pod| pod.key == *key)?.node.as_deref()
}

/// Selects a result, and moves the focus to it; `node`: the node of a Pod.
fn go(hit: &Hit, node: Option<&str>, act: &Callback<Action>) {
    act.emit(Action::Page(PageAction::Show(None)));
    let places = match hit {
        Hit::Node(name) => {
            act.emit(Action::Page(PageAction::Panel(Panel::Stage)));
            act.emit(Action::Stage(StageAction::Focus(name.clone())));
            [named("data-node", name), String::new()]
        }
        Hit::Pod(key) => {
            act.emit(Action::Explain(ExplainAction::Find(key.clone())));
            // In the far view, where Pods are not drawn, the node comes into view.
            if let Some(node) = node {
                act.emit(Action::Stage(StageAction::Focus(node.to_owned())));
            }
            [named("data-pod", key), ".explain .panel__body".to_owned()]
        }
    };
    focus::move_to(places, true);
}

/// Moves the focus to a node that was moved, because its card is now another element.
pub fn follow(node: &str) {
    focus::move_to([place_of(node), String::new()], false);
}

/// The selector of a node on the stage.
pub fn place_of(node: &str) -> String {
    named("data-node", node)
}

fn named(attribute: &str, name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!(".stage [{attribute}=\"{name}\"]")
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Hit, SHOWN, find};
    use berth_protocol::frame::{NodeFrame, PodFrame};

    #[test]
    fn prefix_matches_come_first() {
        let node = |name: &str| {
            Rc::new(NodeFrame {
                name: name.into(),
                ..NodeFrame::default()
            })
        };
        let pod = |key: &str| {
            Rc::new(PodFrame {
                key: key.into(),
                ..PodFrame::default()
            })
        };
        let nodes = ["my-web", "web-node"].map(node);
        let pods = ["default/web-1", "other/web-2"].map(pod);
        let node = |name: &str| Hit::Node(name.into());
        let pod = |key: &str| Hit::Pod(key.into());
        assert_eq!(
            find(&nodes, &pods, " WEB"),
            [
                node("web-node"),
                pod("default/web-1"),
                node("my-web"),
                pod("other/web-2"),
            ]
        );
        assert_eq!(find(&nodes, &pods, "default/"), []);
        let many: Vec<_> = (0..40)
            .map(|number| {
                Rc::new(NodeFrame {
                    name: format!("n{number}"),
                    ..NodeFrame::default()
                })
            })
            .collect();
        assert_eq!(find(&many, &pods, "").len(), SHOWN);
    }
}
