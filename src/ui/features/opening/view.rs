//! The line that a first visit begins with: what this is, and what to press.

use yew::{Callback, Html, MouseEvent, html};

use super::state::Opening;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Dialog, PageAction, Store};
use crate::words;

/// The line, while the opening plays and until the visitor acts.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let opening = store.page.opening;
    if !opening.is_shown() || store.page.notice.is_some() {
        return html! {};
    }
    let placed = store
        .view
        .pods
        .iter()
        .filter(|pod| pod.node.is_some())
        .count();
    let waiting = store.view.pods.len() - placed;
    let learn = act.reform(|_: MouseEvent| Action::Page(PageAction::Show(Some(Dialog::Course))));
    html! {
        <p class="toast toast--opening" role="status" data-opening={(opening == Opening::Ended).to_string()}>
            <span>{ words::OPENING }</span>
            if opening == Opening::Ended && waiting > 0 {
                <span>
                    { words::opening_waits(waiting) }{ " " }
                    <span class="by-key">{ words::PRESS }{ " " }<kbd>{ "→" }</kbd></span><span class="by-touch">{ words::TAP }{ " " }{ icon("next") }</span>
                    { " " }{ words::TO_PLACE_THE_NEXT }{ " " }<button class="link" data-action="learn" onclick={learn}>{ words::learn_it() }</button>{ words::language::full_stop() }
                </span>
            }
        </p>
    }
}
