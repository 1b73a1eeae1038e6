//! The line that a first visit begins with: what this is, and what to press.

use yew::{Html, html};

use crate::ui::store::{Opening, Store};
use crate::words;

/// The line, while the opening plays and until the visitor acts.
pub fn view(store: &Store) -> Html {
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
    html! {
        <p class="toast toast--opening" role="status" data-opening={(opening == Opening::Ended).to_string()}>
            <span>{ words::OPENING }</span>
            if opening == Opening::Ended && waiting > 0 {
                <span>{ words::opening_waits(waiting) }{ " " }{ words::PRESS }{ " " }<kbd>{ "→" }</kbd>{ " " }{ words::TO_PLACE_THE_NEXT }</span>
            }
        </p>
    }
}
