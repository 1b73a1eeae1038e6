//! A Pod as a block: its area is the request, its color the owner's.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::owner::{Owners, label};
use crate::ui::store::{Action, ExplainAction};
use crate::ui::words;
use berth_protocol::frame::{PodFrame, PodState};

/// CPU of a quay's row in milli-CPU; keep in sync with the style sheet (`--row-milli`).
const ROW_MILLI_CPU: i64 = 2000;

/// A block for a Pod; `queued`: in a lane of the queue, where blocks have a minimum width and are tab stops (on the
/// stage, the arrow keys reach them); `more`: an additional class such as `pod--left`.
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
    let onclick = Callback::from(move |event: MouseEvent| {
        // A click must not choose the card beneath.
        event.stop_propagation();
        act.emit(Action::Explain(ExplainAction::Pod(key.clone())));
    });
    // A row of a quay is 2000 milli-CPU; larger requests span several rows.
    let rows = if queued {
        1
    } else {
        (pod.milli_cpu.max(1) + ROW_MILLI_CPU - 1) / ROW_MILLI_CPU
    };
    let milli_cpu = (pod.milli_cpu / rows).clamp(50, ROW_MILLI_CPU);
    let style = if rows > 1 {
        format!("--m:{milli_cpu};--rows:{rows}")
    } else {
        format!("--m:{milli_cpu}")
    };
    let mut title = format!(
        "{name}: {}m CPU, {}{} memory",
        pod.milli_cpu,
        words::amount("memory", pod.memory_bytes),
        words::unit("memory"),
    );
    if let Some(status) = &pod.status {
        title.push_str(", ");
        title.push_str(status);
    }
    html! {
        <button
            class={classes!(
                "pod",
                owners.class(pod),
                queued.then_some("pod--queued"),
                (rows > 1).then_some("pod--tall"),
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
        ><span class="clip">{ label(pod) }</span></button>
    }
}

/// The class by which terminating Pods and Pods that are not ready differ from ready ones.
fn status_class(status: &str) -> &'static str {
    match status {
        "Terminating" => "pod--going",
        _ => "pod--unready",
    }
}
