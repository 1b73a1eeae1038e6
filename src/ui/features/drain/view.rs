//! What draining the node would do, and the buttons that ask and do it.

use yew::{Callback, Html, MouseEvent, html};

use crate::ui::features::stage::StageAction;
use crate::ui::store::{Action, Store};
use crate::words;
use berth_protocol::drain::DrainPlan;

fn plan<'s>(store: &'s Store, node: &str) -> Option<&'s DrainPlan> {
    let plan = store.stage.drain.as_deref();
    plan.filter(|plan| plan.node == node)
}

/// The button that asks for the plan.
pub fn button(store: &Store, node: &str, act: &Callback<Action>) -> Html {
    let asked = node.to_owned();
    let ask = act.reform(move |_: MouseEvent| Action::Stage(StageAction::AskDrain(asked.clone())));
    let is_open = plan(store, node).is_some();
    html! { <button class="btn btn--line" data-action="drain" aria-expanded={is_open.to_string()} onclick={ask}>{ words::DRAIN }</button> }
}

/// The plan, once it is known.
pub fn view(store: &Store, node: &str, act: &Callback<Action>) -> Html {
    plan(store, node).map_or_else(|| html! {}, |plan| plan_view(store, plan, act))
}

fn plan_view(store: &Store, plan: &DrainPlan, act: &Callback<Action>) -> Html {
    let moves_none = plan.replaced.is_empty() && plan.lost.is_empty() && plan.blocked.is_empty();
    let now = act.reform(|_: MouseEvent| Action::Stage(StageAction::DrainNow));
    let lives = store.view.head.now_ms.is_some();
    html! {
        <section class="nodeform__group drain" role="status" data-plan={plan.node.clone()}>
            <p>{ if moves_none { words::DRAIN_NOTHING.to_owned() } else { words::drain_title(plan) } }</p>
            <ul>{ parts(plan) }</ul>
            if lives {
                <p class="muted">{ words::DRAIN_LIVING }{ " " }<code>{ &plan.command }</code></p>
            } else if !plan.blocked.is_empty() {
                <p class="muted">{ words::DRAIN_ONCE }</p>
            }
            <div class="nodeform__row"><button class="btn btn--line" data-action="drain-now" onclick={now}>{ words::DRAIN_NOW }</button></div>
        </section>
    }
}

/// What becomes of the node's Pods, an item of a list each.
pub fn parts(plan: &DrainPlan) -> Html {
    let parts = [
        ("replaced", words::drain_replaced(&plan.replaced)),
        ("lost", words::drain_lost(&plan.lost)),
        ("blocked", words::drain_blocked(&plan.blocked)),
        ("staying", words::drain_staying(&plan.staying)),
    ];
    let parts = parts.into_iter().filter_map(|(part, texts)| {
        let (title, pods) = texts?;
        if part == "staying" {
            return Some(html! { <li data-drain={part}><details><summary>{ title }</summary><span class="muted">{ pods }</span></details></li> });
        }
        Some(html! { <li data-drain={part}><b>{ title }</b><br /><span class="muted">{ pods }</span></li> })
    });
    let unbudgeted = words::drain_unbudgeted(plan);
    html! { <>{ for parts }if let Some(text) = unbudgeted { <li data-drain="unbudgeted">{ text }</li> }</> }
}
