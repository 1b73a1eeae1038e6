//! The choice of the Kubernetes release in the bar at the top.

use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, TargetCast, html};

use crate::ui::store::{Action, EditAction, Store};
use crate::ui::words;

/// The release that is followed; choosing another runs everything again.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let release = &store.view.head.release;
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
            act.emit(Action::Edit(EditAction::Kubernetes(select.value())));
        }
    });
    let options = release.known.iter().map(|minor| {
        let selected = *minor == release.minor;
        html! { <option value={minor.clone()} {selected}>{ words::kubernetes(minor) }</option> }
    });
    html! {
        <select class="btn btn--line topbar__release" data-action="kubernetes" aria-label={words::RELEASE} title={words::follows(&release.full)} {onchange}>
            { for options }
        </select>
    }
}
