//! The timeline at the bottom: transport, step size, speed, the last event, and the log as a ruler.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::{
    Callback, Event, Html, InputEvent, KeyboardEvent, MouseEvent, TargetCast, classes, html,
};

use super::clock;
use super::state::TimeAction;
use crate::scene::owner::label_of;
use crate::scene::ruler::Ruler;
use crate::ui::features::fork::first_run;
use crate::ui::features::terminal::TerminalAction;
use crate::ui::panels::DrawCache;
use crate::ui::parts::icon::{action, icon};
use crate::ui::store::progress::StepSize;
use crate::ui::store::view::View;
use crate::ui::store::{Action, Arrange, PageAction, Store};
use crate::words;
use berth_protocol::frame::{Mark, MarkKind};
use berth_protocol::happening::What;

/// Maximum number of marks before they overlap. Beyond it the ruler shows their density; failures are always drawn.
const MARKS: usize = 300;
/// Maximum number of printed lines.
const PRINTED: usize = 300;
/// Steps per second.
const SPEEDS: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// The timeline.
pub fn view(store: &Store, act: &Callback<Action>, cache: &DrawCache) -> Html {
    let view = &store.view;
    let ruler = Ruler::new(&view.head, &view.timeline);
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
                    { action("reset", words::RESET.get(), "first", at_start, act, Action::Time(TimeAction::Reset)) }
                    { action("step-back", words::STEP_BACK.get(), "prev", at_start, act, Action::Time(TimeAction::StepBack)) }
                    { play(store, act, at_end) }
                    { action("step", words::STEP.get(), "next", at_end, act, Action::Time(TimeAction::Step)) }
                    { action("run", run_label.get(), run_mark, at_end && !store.time.is_running(), act, Action::Time(TimeAction::Run)) }
                </span>
                { sizes(store.time.step, act) }
                { speed(store.time.speed, act) }
                { clock::view(store, act) }
                <span class="muted" data-position={view.head.position.to_string()} data-digest={view.head.digest.clone()}>{ progress(view, &ruler) }</span>
                { latest(store, act) }
                <p class="timeline__event">{ event(store) }</p>
                { fold(store, act) }
            </div>
            { ruler_view(store, &ruler, act, cache) }
            if store.page.prints { { ruler_in_print(&store.view) } }
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

/// The sizes of a step.
pub fn sizes(step: StepSize, act: &Callback<Action>) -> Html {
    let sizes = [
        (StepSize::Pod, words::POD, words::POD),
        (StepSize::Point, words::EXTENSION_POINT, words::POINT),
        (StepSize::Plugin, words::PLUGIN, words::PLUGIN),
    ];
    let buttons = sizes.map(|(size, name, short)| {
        let act = act.clone();
        let onclick = Callback::from(move |_: MouseEvent| act.emit(Action::Time(TimeAction::StepSize(size))));
        let chosen = step == size;
        html! { <button role="radio" aria-checked={chosen.to_string()} aria-label={name} data-step={name} {onclick}><span class="seg__long">{ name }</span><span class="seg__short">{ short }</span></button> }
    });
    html! {
        <>
            <span class="muted timeline__wide">{ words::STEP_BY }</span>
            <span class="seg" role="radiogroup" aria-label={words::STEP_BY}>{ for buttons }</span>
        </>
    }
}

// Compared exactly: it is one of the listed speeds.
pub fn speed(chosen: f64, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        if let Some(speed) = select.and_then(|select| select.value().parse().ok()) {
            act.emit(Action::Time(TimeAction::Speed(speed)));
        }
    });
    let options = SPEEDS.map(|speed| {
        html! { <option value={speed.to_string()} selected={chosen == speed}>{ format!("{speed}×") }</option> }
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

/// The attempts so far, of those that are known; with a clock, the clock says it.
fn progress(view: &View, ruler: &Ruler) -> String {
    if view.head.now_ms.is_some() {
        return String::new();
    }
    attempts_so_far(view, ruler.length())
}

/// The attempts before the position, of those that are known; edits are entries of the log, and no attempts.
fn attempts_so_far(view: &View, known: i64) -> String {
    let known = attempts_at(view, known);
    words::ruler::so_far(view.attempts_before(view.head.position), known)
}

/// The attempts among so many entries, of which those to come are attempts.
fn attempts_at(view: &View, entries: i64) -> i64 {
    let known = view.timeline.len();
    if known == 0 && view.pods.is_empty() {
        // The ruler has a length nevertheless.
        return 0;
    }
    let entries = usize::try_from(entries).unwrap_or(usize::MAX);
    let attempts = view.attempts_before(entries) + entries.saturating_sub(known);
    i64::try_from(attempts).unwrap_or(i64::MAX)
}

/// The current or the last event.
fn event(store: &Store) -> Html {
    if let (Some(stop), Some(cycle)) = (store.stop(), store.cycle()) {
        let pod = label_of(&store.view, &cycle.pod);
        let text = words::at_stop(cycle, &stop);
        return html! { <>{ icon("active") }<span class="clip" title={words::labelled(&pod, &text)}><b>{ pod }</b>{ words::language::colon() }{ text }</span></> };
    }
    if let Some(fork) = store.view.head.fork.as_ref() {
        let text = words::fork(fork, store.view.attempts_before(fork.at));
        return html! { <>{ icon("fork") }<span class="clip" title={text.clone()}>{ text }</span></> };
    }
    // A finished lesson does not ask for another step.
    let rests = store.rests_until().filter(|_| !store.lesson.is_done());
    if let Some(due) = rests {
        let text = words::rests_until(due);
        return html! { <>{ icon("waiting") }<span class="clip" data-quiet={due.at_ms.to_string()} title={text.clone()}>{ text }</span></> };
    }
    let Some(mark) = store.view.last_mark() else {
        return html! {};
    };
    let (mut sign, mut text) = described(&store.view, mark);
    if mark.pod.is_empty()
        && let Some(last) = store.view.head.happened.last()
    {
        // kube-scheduler's message is in the explanation and in the list of happenings.
        (sign, text) = match &last.what {
            What::Attempt(attempted) if attempted.is_rejected() => (
                "rejected",
                words::fits_nowhere(&label_of(&store.view, &attempted.pod)),
            ),
            what => (sign, words::happening(what)),
        };
    }
    html! { <>{ icon(sign) }<span class="clip" title={text.clone()}>{ text }</span></> }
}

/// The icon and the sentence of a mark.
pub fn described(view: &View, mark: &Mark) -> (&'static str, String) {
    let pod = &label_of(view, &mark.pod);
    let node = mark.node.as_deref().unwrap_or_default();
    match mark.kind {
        MarkKind::Bound => ("chosen", words::bound(pod, node)),
        MarkKind::Failed => ("rejected", words::fits_nowhere(pod)),
        MarkKind::Preempted => ("waiting", words::makes_room(pod, node)),
        MarkKind::Error => ("warn", words::labelled(pod, words::explain::ERROR)),
        MarkKind::Edited => {
            let change = mark.change.as_deref();
            let text = change.map_or_else(|| words::EDITED.to_owned(), words::change_in_words);
            ("edit", text)
        }
        MarkKind::Moment => ("backoff", words::MOMENT.to_owned()),
    }
}

/// The ruler as lines of text for print, which has no tooltips.
fn ruler_in_print(view: &View) -> Html {
    let done = view.timeline.iter().take(view.head.position).enumerate();
    let line = |(at, mark): (usize, &Mark)| html! { <li value={(at + 1).to_string()}>{ described(view, mark).1 }</li> };
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

/// The ruler: what has happened, what is known to come, and the moment that is shown.
fn ruler_view(store: &Store, ruler: &Ruler, act: &Callback<Action>, cache: &DrawCache) -> Html {
    let view = &store.view;
    let here = view
        .head
        .now_ms
        .unwrap_or_else(|| entries(view.head.position));
    let place = ruler.percent(here);
    let at = format!("--at:{place:.2}");
    let near_end = place >= 95.0;
    let fork = view.head.fork.as_ref();
    let fork = fork.map(|fork| first_run::view(fork, ruler, place));
    let version = [
        view.timeline_version as usize,
        view.head.position,
        ruler.version(),
    ];
    html! {
        <div class="ruler ruler--log">
            { for labels(view, ruler) }
            <i class="ruler__axis" />
            <i class="ruler__done" style={at.clone()} />
            if view.head.now_ms.is_some() { { breaks(ruler) } }
            { cache.marks.of(version, &|_| marks(view, ruler)) }
            { for fork }
            <span class={classes!("playhead", near_end.then_some("playhead--end"))} style={at}><output>{ moment(view, here) }</output></span>
            { scrubber(view, ruler, here, act) }
            if view.head.due.is_some() { { for due(store, ruler, act) } }
        </div>
    }
}

/// The long times without an event, each with its length; in short on a narrow screen.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn breaks(ruler: &Ruler) -> Html {
    let breaks = ruler.breaks().into_iter().map(|(gap, place, width)| {
        let length = words::ruler::length(gap.to_ms - gap.from_ms);
        let short = words::ruler::length_in_short(gap.to_ms - gap.from_ms);
        let style = format!("--at:{place:.2};width:{width:.2}%");
        html! { <span class="ruler__break" data-break={length.clone()} {style} aria-hidden="true"><span class="seg__long">{ length }</span><span class="seg__short">{ short }</span></span> }
    });
    breaks.collect()
}

/// What happens next, at its time or at the end of the ruler: a button that goes there.
/// Cold: kept out of the first download.
#[inline(never)]
fn due(store: &Store, ruler: &Ruler, act: &Callback<Action>) -> Option<Html> {
    let due = store.rests_until()?;
    let text = words::rests_until(due);
    let line = store.line_to(due.at_ms);
    let onclick =
        act.reform(move |_: MouseEvent| Action::Terminal(TerminalAction::Run(line.clone())));
    let at = format!("--at:{:.2}", ruler.percent(due.at_ms));
    let label = words::go_to(due.at_ms);
    Some(html! {
        <button class="due" style={at} data-action="go-to-due" data-due={due.at_ms.to_string()} title={text} {onclick}>{ label }{ icon("next") }</button>
    })
}

/// A number of entries as the ruler counts them.
fn entries(position: usize) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}

/// An amount on the ruler: a time, or a number of attempts.
pub fn moment(view: &View, amount: i64) -> String {
    match view.head.now_ms {
        Some(_) => words::ruler::moment(amount),
        None => attempts_at(view, amount).to_string(),
    }
}

pub fn labels(view: &View, ruler: &Ruler) -> Vec<Html> {
    let amounts = ruler.labels();
    let mut nexts = amounts.iter().skip(1);
    let draw = |amount: &i64| {
        let (amount, next) = (*amount, nexts.next());
        // Over an edit the number stays, and is said once.
        let is_repeated = next.is_some_and(|next| moment(view, amount) == moment(view, *next));
        if is_repeated && amount > 0 {
            return html! {};
        }
        let end = match amount {
            0 => Some("ruler__t--start"),
            _ => (amount == ruler.end()).then_some("ruler__t--end"),
        };
        let at = format!("--at:{:.2}", ruler.percent(amount));
        html! { <span class={classes!("ruler__t", end)} style={at} aria-hidden="true">{ moment(view, amount) }</span> }
    };
    amounts.iter().map(draw).collect()
}

/// The transparent range over the ruler, in units of its length. With a clock, the arrows step instead.
fn scrubber(view: &View, ruler: &Ruler, here: i64, act: &Callback<Action>) -> Html {
    let scale = ruler.clone();
    let oninput = act.reform(move |event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let amount = input.and_then(|input| input.value().parse().ok());
        Action::Time(TimeAction::Seek(scale.position_at(amount.unwrap_or(0))))
    });
    let (has_clock, steps) = (view.head.now_ms.is_some(), act.clone());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => TimeAction::Step,
            "ArrowLeft" | "ArrowDown" => TimeAction::StepBack,
            _ => return,
        };
        if has_clock {
            event.prevent_default();
            event.stop_propagation();
            steps.emit(Action::Time(step));
        }
    });
    let last = view
        .last_mark()
        .map(|mark| described(view, mark).1)
        .unwrap_or_default();
    let spoken = match view.head.now_ms {
        Some(now) => words::ruler::moment(now),
        None => attempts_so_far(view, ruler.length()),
    };
    html! {
        <input
            class="ruler__scrub" type="range" min="0" max={ruler.length().to_string()} value={ruler.place(here).to_string()}
            aria-label={words::TIMELINE} aria-valuetext={words::labelled(&spoken, last)} {oninput} {onkeydown}
        />
    }
}

/// The class of a mark in the style sheet.
pub fn class_of_mark(kind: MarkKind) -> &'static str {
    match kind {
        MarkKind::Bound => "tm--bound",
        MarkKind::Failed | MarkKind::Error => "tm--failed",
        MarkKind::Preempted => "tm--preempted",
        MarkKind::Edited => "tm--edit",
        MarkKind::Moment => "tm--moment",
    }
}

pub fn marks(view: &View, ruler: &Ruler) -> Html {
    let has_clock = view.head.now_ms.is_some();
    let unit = if has_clock { 1000 } else { 1 };
    let is_dense = view.timeline.len() > MARKS;
    let is_drawn = |(_, mark): &(usize, &Mark)| {
        !is_dense || !matches!(mark.kind, MarkKind::Bound | MarkKind::Moment)
    };
    let marks = view.timeline.iter().enumerate().filter(is_drawn);
    let marks = marks.take(2 * MARKS).map(|(position, mark)| {
        let kind = class_of_mark(mark.kind);
        let future = (position >= view.head.position).then_some("tm--future");
        // A mark's style is constant as the log grows: the container's width scales with the ruler's length.
        let style = format!("--n:{}", in_units(ruler.place(ruler.entry(position)), unit));
        html! { <i key={position} class={classes!("tm", kind, future)} {style} /> }
    });
    let width = format!(
        "width:{:.3}%",
        1000.0 * 100.0 / in_units(ruler.length(), unit).max(1e-3)
    );
    html! {
        <>
            if is_dense { { density(&ruler.density(view.timeline.len())) } }
            <div class="ruler__marks" style={width}>{ for marks }</div>
        </>
    }
}

fn in_units(amount: i64, unit: i64) -> f64 {
    amount as f64 / unit as f64
}

/// The number of entries along the ruler, where marks would overlap.
fn density(shares: &[f64]) -> Html {
    let mut path = "M0 20".to_owned();
    for (bin, share) in shares.iter().enumerate() {
        path.push_str(&format!("V{:.1}H{}", 20.0 - 20.0 * share, bin + 1));
    }
    path.push_str("V20Z");
    let size = format!("0 0 {} 20", shares.len());
    html! { <svg class="ruler__density" viewBox={size} preserveAspectRatio="none" aria-hidden="true"><path d={path} /></svg> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use berth_protocol::frame::ForkChange;

    #[test]
    fn an_edit_of_one_thing_says_which() {
        let view = View::default();
        let mut mark = Mark::edited();
        assert_eq!(described(&view, &mark).1, words::EDITED.get());
        mark.change = Some(Box::new(ForkChange::Command {
            line: "kubectl cordon node-a".to_owned(),
        }));
        assert_eq!(described(&view, &mark).1, "kubectl cordon node-a");
    }

    #[test]
    fn an_edit_is_no_attempt() {
        let bound = || Mark {
            pod: "default/web".to_owned(),
            ..Mark::plain(MarkKind::Bound)
        };
        let mut view = View::default();
        view.timeline = vec![bound(), Mark::edited(), bound()];
        for (position, count) in [(1, "1 of 11"), (2, "1 of 11"), (3, "2 of 11")] {
            view.head.position = position;
            assert_eq!(attempts_so_far(&view, 12), count);
        }
        // The ruler counts as the text does.
        let labels: Vec<String> = (0..5).map(|at| moment(&view, at)).collect();
        assert_eq!(labels, ["0", "1", "1", "2", "3"]);
        assert_eq!(attempts_so_far(&View::default(), 1), "0 of 0");
    }
}
