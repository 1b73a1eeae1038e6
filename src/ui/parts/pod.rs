//! A Pod as a block: its area is the request, its color the owner's.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::block_label::block_label;
use super::icon::icon;
use super::owner::Owners;
use crate::scene::label::{self, room};
use crate::ui::features::explain::ExplainAction;
use crate::ui::store::Action;
use crate::words;
use berth_protocol::frame::{PodFrame, PodState};

/// Request of the widest block of the queue, in milli-CPU.
const WIDEST: i64 = 2000;
/// The class of a Pod that is to be evicted.
pub const VICTIM: &str = "pod--victim";

/// Where a block is.
pub enum Kind {
    /// In a lane of the queue, where it is a tab stop.
    Queued,
    /// On a card, where the arrow keys reach it, with its style.
    Placed(String),
    /// The same for a Pod that takes no room, with its name.
    Chip(String),
}

/// A block for a Pod. `more`: an additional class such as `pod--left`; `note`: the end of its tooltip.
pub fn block_as(
    pod: &PodFrame,
    owners: &Owners,
    selected: bool,
    kind: Kind,
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
    let queued = matches!(kind, Kind::Queued);
    let (style, label) = match kind {
        Kind::Placed(style) => (Some(style), block_label(pod)),
        Kind::Chip(name) => (None, html! { <span class="clip">{ name }</span> }),
        Kind::Queued => {
            let (milli_cpu, name) = (pod.milli_cpu.clamp(50, WIDEST), label::name(pod));
            let (full, last) = (room(&name), room(&label::short(pod)));
            let style = format!("--m:{milli_cpu};--name:{full:.2}rem;--least:{last:.2}rem");
            (Some(style), block_label(pod))
        }
    };
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
        >{ for more.filter(|more| *more == VICTIM).map(|_| icon("victim")) }{ label }</button>
    }
}

/// The class by which terminating Pods and Pods that are not ready differ from ready ones.
fn status_class(status: &str) -> &'static str {
    match status {
        "Terminating" => "pod--going",
        _ => "pod--unready",
    }
}
