//! The timeline at the bottom: transport, step size, speed, the last event, and the log as a ruler.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Event, Html, InputEvent, MouseEvent, TargetCast, classes, html};

use super::{Before, living};
use crate::ui::parts::icon::{action, icon};
use crate::ui::store::progress::StepSize;
use crate::ui::store::view::View;
use crate::ui::store::{Action, Arrange, PageAction, Store, TimeAction};
use crate::ui::words;
use berth_protocol::frame::{Mark, MarkKind};

/// Maximum number of marks before they overlap. Failures are always drawn, up to as many again.
const MARKS: usize = 300;
/// Maximum number of printed lines.
const PRINTED: usize = 300;
/// Steps per second.
const SPEEDS: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// The timeline.
pub fn view(store: &Store, act: &Callback<Action>, before: &Before) -> Html {
    let view = &store.view;
    let at_start = view.head.position == 0 && store.time.progress.is_none();
    let at_end = view.head.finished && store.time.progress.is_none();
    let (run_label, run_mark) = if store.time.is_running() {
        (words::PAUSE, "pause")
    } else {
        (words::RUN, "last")
    };
    html! {
        <footer class="timeline" aria-label={words::TIMELINE}>
            <div class="timeline__bar">
                <span class="transport">
                    { action("reset", words::RESET, "first", at_start, act, Action::Time(TimeAction::Reset)) }
                    { action("step-back", words::STEP_BACK, "prev", at_start, act, Action::Time(TimeAction::StepBack)) }
                    { play(store, act, at_end) }
                    { action("step", words::STEP, "next", at_end, act, Action::Time(TimeAction::Step)) }
                    { action("run", run_label, run_mark, at_end && !store.time.is_running(), act, Action::Time(TimeAction::Run)) }
                </span>
                { sizes(store, act) }
                { speed(store, act) }
                { living::view(store, act) }
                <span class="muted" data-position={view.head.position.to_string()} data-digest={view.head.digest.clone()}>{ progress(store) }</span>
                { latest(store, act) }
                <p class="timeline__event">{ event(store) }</p>
                { fold(store, act) }
            </div>
            { ruler(store, act, before) }
            if store.page.prints { { printed(&store.view) } }
        </footer>
    }
}

/// The button that folds the ruler; the bar stays.
fn fold(store: &Store, act: &Callback<Action>) -> Html {
    let folded = store.page.layout.ruler_folded;
    let label = if folded {
        words::UNFOLD_RULER
    } else {
        words::FOLD_RULER
    };
    let onclick = act.reform(|_: MouseEvent| Action::Page(PageAction::Arrange(Arrange::FoldRuler)));
    html! {
        <button class="btn btn--icon btn--small fold--ruler" data-fold="ruler" aria-expanded={(!folded).to_string()} aria-label={label} title={label} {onclick}>{ icon("caret") }</button>
    }
}

fn play(store: &Store, act: &Callback<Action>, at_end: bool) -> Html {
    let act = act.clone();
    let onclick = Callback::from(move |_: MouseEvent| act.emit(Action::Time(TimeAction::Play)));
    let (label, mark) = if store.time.is_playing() {
        (words::PAUSE, "pause")
    } else {
        (words::PLAY, "play")
    };
    html! {
        <button class="btn btn--primary" data-action="play" aria-label={label} title={label} disabled={at_end} {onclick}>{ icon(mark) }</button>
    }
}

fn sizes(store: &Store, act: &Callback<Action>) -> Html {
    let sizes = [
        (StepSize::Pod, words::POD, words::POD),
        (StepSize::Point, words::EXTENSION_POINT, words::POINT),
        (StepSize::Plugin, words::PLUGIN, words::PLUGIN),
    ];
    let buttons = sizes.map(|(size, name, short)| {
        let act = act.clone();
        let onclick = Callback::from(move |_: MouseEvent| act.emit(Action::Time(TimeAction::StepSize(size))));
        let chosen = store.time.step == size;
        html! { <button role="radio" aria-checked={chosen.to_string()} aria-label={name} data-step={name} {onclick}><span class="seg__long">{ name }</span><span class="seg__short">{ short }</span></button> }
    });
    html! {
        <>
            <span class="muted timeline__wide">{ words::STEP_BY }</span>
            <span class="seg" role="radiogroup" aria-label={words::STEP_BY}>{ for buttons }</span>
        </>
    }
}

#[allow(
    clippy::float_cmp,
    reason = "one of the listed speeds, compared with itself"
)]
fn speed(store: &Store, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        if let Some(speed) = select.and_then(|select| select.value().parse().ok()) {
            act.emit(Action::Time(TimeAction::Speed(speed)));
        }
    });
    let options = SPEEDS.map(|speed| {
        html! { <option value={speed.to_string()} selected={store.time.speed == speed}>{ format!("{speed}×") }</option> }
    });
    html! { <select class="btn btn--line timeline__speed" aria-label={words::SPEED} title={words::SPEED} {onchange}>{ for options }</select> }
}

fn latest(store: &Store, act: &Callback<Action>) -> Html {
    let end = store.view.head.log_length;
    if store.view.head.position >= end {
        return html! {};
    }
    let act = act.clone();
    let onclick =
        Callback::from(move |_: MouseEvent| act.emit(Action::Time(TimeAction::Seek(end))));
    html! { <button class="link" data-action="latest" {onclick}>{ words::BACK_TO_LATEST }</button> }
}

fn progress(store: &Store) -> String {
    let view = &store.view;
    let more = if view.head.finished { "" } else { "+" };
    format!("{} / {}{more}", view.head.position, view.head.log_length)
}

/// The current or the last event.
fn event(store: &Store) -> Html {
    if let (Some(stop), Some(cycle)) = (store.stop(), store.cycle()) {
        let pod = words::short(&cycle.pod);
        let text = words::at_stop(cycle, &stop);
        return html! { <>{ icon("active") }<span class="clip"><b>{ pod }</b>{ ": " }{ text }</span></> };
    }
    if let Some(fork) = store.view.head.fork.as_ref() {
        let text = words::fork(fork);
        return html! { <>{ icon("fork") }<span class="clip">{ text }</span></> };
    }
    if let Some(next) = store.rests_until() {
        let text = words::quiet_until(next);
        return html! { <>{ icon("waiting") }<span class="clip" data-quiet={next.to_string()}>{ text }</span></> };
    }
    let Some(mark) = store.view.last_mark() else {
        return html! {};
    };
    let (sign, mut text) = described(mark);
    if mark.pod.is_empty()
        && let Some(last) = store.view.head.happened.last()
    {
        text = words::happening(&last.what);
    }
    html! { <>{ icon(sign) }<span class="clip">{ text }</span></> }
}

fn described(mark: &Mark) -> (&'static str, String) {
    let pod = words::short(&mark.pod);
    let node = mark.node.as_deref().unwrap_or_default();
    match mark.kind {
        MarkKind::Bound => ("chosen", format!("{pod} to {node}")),
        MarkKind::Failed => ("rejected", format!("{pod} fits nowhere")),
        MarkKind::Preempted => ("waiting", format!("{pod} makes room on {node}")),
        MarkKind::Error => ("warn", format!("{pod}: error")),
        MarkKind::Edited => ("edit", words::EDITED.to_owned()),
        MarkKind::Moment => ("backoff", words::MOMENT.to_owned()),
    }
}

/// The ruler as lines of text for print, which has no tooltips.
fn printed(view: &View) -> Html {
    let done = view.timeline.iter().take(view.head.position).enumerate();
    let line = |(at, mark): (usize, &Mark)| html! { <li value={(at + 1).to_string()}>{ described(mark).1 }</li> };
    let is_listed = |(_, mark): &(usize, &Mark)| mark.kind != MarkKind::Moment;
    let lines = done.clone().filter(is_listed).take(PRINTED).map(line);
    let more = done.filter(is_listed).count().saturating_sub(PRINTED);
    html! {
        <div class="printed">
            <h2>{ words::TIMELINE }</h2>
            <ol>{ for lines }</ol>
            if more > 0 { <p>{ words::and_more(more) }</p> }
        </div>
    }
}

#[allow(clippy::cast_precision_loss, reason = "a position on screen")]
fn share(position: usize, length: usize) -> f64 {
    100.0 * position as f64 / length.max(1) as f64
}

fn ruler(store: &Store, act: &Callback<Action>, before: &Before) -> Html {
    let view = &store.view;
    let length = view.head.log_length.max(1);
    let act = act.clone();
    let onscrub = Callback::from(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        if let Some(position) = input.and_then(|input| input.value().parse().ok()) {
            act.emit(Action::Time(TimeAction::Seek(position)));
        }
    });
    let text = view
        .last_mark()
        .map(|mark| described(mark).1)
        .unwrap_or_default();
    let text = format!("{}: {text}", progress(store));
    let at = format!("--at:{:.2}", share(view.head.position, length));
    let near_end = view.head.position * 20 >= length * 19;
    let fork = view.head.fork.as_ref().map(|fork| {
        let at = format!("--at:{:.2}", share(fork.at, length));
        html! { <i class="tm tm--edit" style={at} title={words::FORKED_HERE} /> }
    });
    html! {
        <div class="ruler ruler--log">
            <i class="ruler__axis" />
            <i class="ruler__done" style={at.clone()} />
            { before.marks.of([view.timeline_version as usize, view.head.position, 0], &|_| marks(view)) }
            { for fork }
            <span class={classes!("playhead", near_end.then_some("playhead--end"))} style={at}><output>{ view.head.position }</output></span>
            <input
                class="ruler__scrub" type="range" min="0" max={view.head.log_length.to_string()}
                value={view.head.position.to_string()} aria-label={words::TIMELINE} aria-valuetext={text}
                oninput={onscrub} disabled={view.head.log_length == 0}
            />
        </div>
    }
}

fn marks(view: &View) -> Html {
    let length = view.timeline.len();
    let every = length.div_ceil(MARKS).max(1);
    let is_drawn = |(position, mark): &(usize, &Mark)| {
        position.is_multiple_of(every) || !matches!(mark.kind, MarkKind::Bound | MarkKind::Moment)
    };
    let marks = view.timeline.iter().enumerate().filter(is_drawn);
    let marks = marks.take(2 * MARKS).map(|(position, mark)| {
        let kind = match mark.kind {
            MarkKind::Bound => "tm--bound",
            MarkKind::Failed | MarkKind::Error => "tm--failed",
            MarkKind::Preempted => "tm--preempted",
            MarkKind::Edited => "tm--edit",
            MarkKind::Moment => "tm--moment",
        };
        let future = (position >= view.head.position).then_some("tm--future");
        // A mark's style is constant as the log grows: the container's width scales with the log's length.
        let style = format!("--n:{}", position + 1);
        html! { <i key={position} class={classes!("tm", kind, future)} {style} /> }
    });
    let width = format!("width:{:.3}%", share(1000, length));
    html! { <div class="ruler__marks" style={width}>{ for marks }</div> }
}
