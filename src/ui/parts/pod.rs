//! A Pod as a block: its area is the request, its color the owner's.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::block_label::block_label;
use super::icon::icon;
use super::owner::Owners;
use crate::scene::label::{self, width};
use crate::ui::store::{Action, ExplainAction};
use crate::words;
use berth_protocol::frame::{PodFrame, PodState};

/// Request of the widest block of the queue, in milli-CPU.
const WIDEST: i64 = 2000;
/// The class of a Pod that is to be evicted.
pub const VICTIM: &str = "pod--victim";

/// A block for a Pod. `place`: its style on a card, where the arrow keys reach it; in a lane of the queue it has none,
/// and is a tab stop. `more`: an additional class such as `pod--left`; `note`: the end of its tooltip.
pub fn block_as(
    pod: &PodFrame,
    owners: &Owners,
    selected: bool,
    place: Option<String>,
    more: Option<&'static str>,
    note: Option<&str>,
    act: &Callback<Action>,
) -> Html {
    let name = words::short(&pod.key).to_owned();
    let state = match pod.state {
        PodState::Bound => "bound",
        PodState::Pending => "pending",
        PodState::Gated => "gated",
    };
    let key = pod.key.clone();
    let act = act.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        // A click must not choose the card beneath.
        event.stop_propagation();
        act.emit(Action::Explain(ExplainAction::Pod(key.clone())));
    });
    let queued = place.is_none();
    let style = place.unwrap_or_else(|| {
        let (milli_cpu, name) = (pod.milli_cpu.clamp(50, WIDEST), label::name(pod));
        let (full, last) = (width(&name), width(label::last_segment(&name)));
        format!("--m:{milli_cpu};--name:{full:.2}rem;--least:{last:.2}rem")
    });
    let mut title = words::pod_title(&name, pod.milli_cpu, pod.memory_bytes);
    if let Some(status) = &pod.status {
        title = words::followed(title, status);
    }
    if let Some(note) = note {
        title = words::followed(title, note);
    }
    html! {
        <button
            class={classes!(
                "pod",
                owners.class(pod),
                queued.then_some("pod--queued"),
                selected.then_some("pod--selected"),
                more,
                pod.status.as_deref().map(status_class),
            )}
            {style}
            data-pod={pod.key.clone()}
            data-state={state}
            data-status={pod.status.clone()}
            tabindex={(!queued).then_some("-1")}
            {title}
            {onclick}
        >{ for more.filter(|more| *more == VICTIM).map(|_| icon("victim")) }{ block_label(pod) }</button>
    }
}

/// The class by which terminating Pods and Pods that are not ready differ from ready ones.
fn status_class(status: &str) -> &'static str {
    match status {
        "Terminating" => "pod--going",
        _ => "pod--unready",
    }
}
