//! Work of the engine that lasts longer than a second: what it is, how far it is, and the button that stops it.

use yew::{Callback, Html, MouseEvent, html};

use super::state::Working;
use crate::ui::store::{Action, PageAction, Store};
use crate::words::work as words;
use berth_protocol::work::{Amount, Work};

/// The strip, and what screen readers announce.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    match store.working.as_deref() {
        Some(working) => toast(working, act),
        // A live region must be there before it has a text.
        None => html! { <p class="visually-hidden" aria-live="polite" /> },
    }
}

/// Cold: kept out of the first download.
#[inline(never)]
fn toast(working: &Working, act: &Callback<Action>) -> Html {
    html! {
        <>
            <p class="visually-hidden" aria-live="polite" data-announced="">{ announced(working) }</p>
            if let Working::GoesOn(work) = working { { strip(work, act) } }
        </>
    }
}

/// It changes at every quarter only: a screen reader would read each change.
fn announced(working: &Working) -> String {
    match *working {
        Working::GoesOn(Work { task, amount }) => {
            let quarter = amount.percent().map(|percent| percent / 25 * 25);
            words::goes_on(words::what(task, amount), quarter)
        }
        Working::Ended(task) => words::ended(words::what(task, Amount::Unknown), false),
        Working::Stopped(task) => words::ended(words::what(task, Amount::Unknown), true),
    }
}

fn strip(work: &Work, act: &Callback<Action>) -> Html {
    let Work { task, amount } = *work;
    let (what, far) = (words::what(task, amount), words::far(amount));
    let percent = amount.percent().map(|percent| percent.to_string());
    let style = percent.as_ref().map(|percent| format!("--v:{percent}%"));
    let onclick = act.reform(|_: MouseEvent| Action::Page(PageAction::StopWork));
    html! {
        <div class="toast work" data-work={format!("{task:?}").to_lowercase()}>
            <span>{ what }</span>
            <span
                class="lenbar work__bar" role="progressbar" aria-label={what} aria-valuemin="0" aria-valuemax="100"
                aria-valuenow={percent} aria-valuetext={(!far.is_empty()).then(|| far.clone())}
            ><i class="lenbar__v" {style} /></span>
            if !far.is_empty() { <span class="work__far" data-far="">{ far }</span> }
            if task.can_stop() { <button class="btn" data-action="stop-work" {onclick}>{ words::STOP }<kbd aria-hidden="true">{ "Esc" }</kbd></button> }
        </div>
    }
}
