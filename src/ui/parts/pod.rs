//! A Pod as a block: its area is its request, its color its owner's.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::owner::{Owners, label};
use crate::protocol::frame::{PodFrame, PodState};
use crate::ui::store::Action;
use crate::ui::words;

/// A block for a Pod; `queued`: in a lane of the queue, where blocks have a least width and are
/// tab stops (on the stage the arrows go to them); `more`: a class that
/// says more, as `pod--left`.
pub fn block_as(
    pod: &PodFrame,
    owners: &Owners,
    selected: bool,
    queued: bool,
    more: Option<&'static str>,
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
    let onclick = Callback::from(move |_: MouseEvent| act.emit(Action::Pod(key.clone())));
    let milli_cpu = pod.milli_cpu.max(50);
    let title = format!(
        "{name}: {}m CPU, {}{} memory",
        pod.milli_cpu,
        words::amount("memory", pod.memory_bytes),
        words::unit("memory"),
    );
    html! {
        <button
            class={classes!(
                "pod",
                owners.class(pod),
                queued.then_some("pod--queued"),
                selected.then_some("pod--selected"),
                more,
            )}
            style={format!("--m:{milli_cpu}")}
            data-pod={pod.key.clone()}
            data-state={state}
            tabindex={(!queued).then_some("-1")}
            {title}
            {onclick}
        ><span class="clip">{ label(pod) }</span></button>
    }
}
