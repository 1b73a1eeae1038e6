//! The strip at the bottom: transport, what happened last, and the log as a ruler.

use web_sys::HtmlInputElement;
use yew::{Callback, Html, InputEvent, MouseEvent, TargetCast, classes, html};

use crate::protocol::frame::{Mark, MarkKind};
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::ui::words;

/// Marks drawn; more would lie on each other.
const MARKS: usize = 600;

/// The strip.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let frame = &store.view;
    let does = |action: Action| {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(action.clone()))
    };
    let onrun = does(Action::Run);
    let scrub = act.clone();
    let onscrub = Callback::from(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        if let Some(position) = input.and_then(|input| input.value().parse().ok()) {
            scrub.emit(Action::Seek(position));
        }
    });
    let button = |action: &'static str,
                  label: &'static str,
                  mark: &str,
                  disabled: bool,
                  onclick: Callback<MouseEvent>| {
        html! {
            <button class="btn btn--icon" data-action={action} aria-label={label} title={label} {disabled} {onclick}>{ icon(mark) }</button>
        }
    };
    let at_start = frame.position == 0;
    let (run_label, run_mark) = if store.running {
        (words::PAUSE, "pause")
    } else {
        (words::RUN, "play")
    };
    html! {
        <footer class="timeline" aria-label={words::TIMELINE}>
            <div class="timeline__bar">
                <span class="transport">
                    { button("reset", words::RESET, "first", at_start, does(Action::Reset)) }
                    { button("step-back", words::STEP_BACK, "prev", at_start, does(Action::StepBack)) }
                    <button class="btn btn--primary" data-action="run" aria-label={run_label} title={run_label} disabled={frame.finished} onclick={onrun}>{ icon(run_mark) }</button>
                    { button("step", words::STEP, "next", frame.finished, does(Action::Step)) }
                </span>
                <span class="muted" data-position={frame.position.to_string()} data-digest={frame.digest.clone()}>{ progress(store) }</span>
                <p class="timeline__event">{ last_event(store) }</p>
            </div>
            <div class="ruler ruler--log">
                <i class="ruler__axis" />
                { for marks(store) }
                <input
                    class="ruler__scrub" type="range" min="0" max={frame.log_length.to_string()}
                    value={frame.position.to_string()} aria-label={words::TIMELINE} oninput={onscrub}
                    disabled={frame.log_length == 0}
                />
            </div>
        </footer>
    }
}

fn progress(store: &Store) -> String {
    let frame = &store.view;
    let more = if frame.finished { "" } else { "+" };
    format!("{} / {}{more}", frame.position, frame.log_length)
}

fn last_event(store: &Store) -> Html {
    let frame = &store.view;
    let last = frame
        .position
        .checked_sub(1)
        .and_then(|position| frame.timeline.get(position));
    let Some(mark) = last else {
        return html! {};
    };
    let (sign, text) = told(mark);
    html! { <>{ icon(sign) }<span class="clip">{ text }</span></> }
}

fn told(mark: &Mark) -> (&'static str, String) {
    let pod = words::short(&mark.pod);
    let node = mark.node.as_deref().unwrap_or_default();
    match mark.kind {
        MarkKind::Bound => ("chosen", format!("{pod} to {node}")),
        MarkKind::Failed => ("rejected", format!("{pod} fits nowhere")),
        MarkKind::Preempted => ("waiting", format!("{pod} makes room on {node}")),
        MarkKind::Error => ("warn", format!("{pod}: error")),
        MarkKind::Edited => ("edit", words::EDITED.to_owned()),
    }
}

#[allow(clippy::cast_precision_loss, reason = "a position on screen")]
fn marks(store: &Store) -> Vec<Html> {
    let frame = &store.view;
    let length = frame.timeline.len();
    let every = length.div_ceil(MARKS).max(1);
    let marks = frame.timeline.iter().enumerate().step_by(every).map(|(position, mark)| {
        let at = 100.0 * (position + 1) as f64 / length as f64;
        let kind = match mark.kind {
            MarkKind::Bound => "tm--bound",
            MarkKind::Failed | MarkKind::Error => "tm--failed",
            MarkKind::Preempted => "tm--preempted",
            MarkKind::Edited => "tm--edit",
        };
        let future = (position >= frame.position).then_some("tm--future");
        html! { <i class={classes!("tm", kind, future)} style={format!("--at:{at:.2}")} title={told(mark).1} /> }
    });
    marks.collect()
}
