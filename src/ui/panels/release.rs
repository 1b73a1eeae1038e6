//! The choice of the Kubernetes release in the bar at the top.

use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, TargetCast, html};

use crate::ui::features::compare::{CompareAction, Topic};
use crate::ui::store::{Action, EditAction, Store};
use crate::words;

/// The option that opens the comparison of versions.
const COMPARES: &str = "compare";

/// The release that is followed; choosing another runs everything again.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let release = &store.view.head.release;
    let (act, minor) = (act.clone(), release.minor.clone());
    let onchange = Callback::from(move |event: Event| {
        let Some(select) = event.target_dyn_into::<HtmlSelectElement>() else {
            return;
        };
        let chosen = select.value();
        // The selection changes once the engine confirms the release; a lesson may refuse it.
        select.set_value(&minor);
        act.emit(match chosen.as_str() {
            COMPARES => Action::Compare(CompareAction::Choose(Topic::Versions)),
            _ => Action::Edit(EditAction::Kubernetes(chosen)),
        });
    });
    let options = release.known.iter().map(|known| {
        let selected = known.minor == release.minor;
        html! { <option value={known.minor.clone()} {selected}>{ words::known_release(known) }</option> }
    });
    html! {
        <select class="btn btn--line topbar__release" data-action="kubernetes" aria-label={words::RELEASE} title={words::follows(&release.full)} {onchange}>
            { for options }
            <option value={COMPARES}>{ words::compare::COMPARE_VERSIONS }</option>
        </select>
    }
}
