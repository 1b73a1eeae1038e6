//! The timeline of both runs: one playhead over two tracks of one scale.

use web_sys::HtmlInputElement;
use yew::{Callback, Html, InputEvent, KeyboardEvent, TargetCast, classes, html};

use crate::scene::ruler::Ruler;
use crate::ui::features::compare::Compare;
use crate::ui::features::time::{
    TimeAction, breaks, described, labels, marks, moment, sizes, speed,
};
use crate::ui::panels::DrawCache;
use crate::ui::parts::icon::action;
use crate::ui::store::{Action, Store};
use crate::words as all;
use crate::words::compare as words;
use berth_protocol::compare::Which;

pub fn view(compare: &Compare, act: &Callback<Action>, cache: &DrawCache) -> Html {
    let is_idle = !compare.is_done();
    let (at_start, at_end) = (
        is_idle || compare.is_at(false),
        is_idle || compare.is_at(true),
    );
    let (label, mark) = if compare.clock.plays {
        (all::PAUSE, "pause")
    } else {
        (all::PLAY, "play")
    };
    let play = act.reform(|_: yew::MouseEvent| Action::Time(TimeAction::Play));
    html! {
        <footer class="timeline" aria-label={words::TIMELINE_OF_BOTH}>
            <div class="timeline__bar">
                <span class="transport">
                    { action("reset", all::RESET.get(), "first", at_start, act, Action::Time(TimeAction::Reset)) }
                    { action("step-back", all::STEP_BACK.get(), "prev", at_start, act, Action::Time(TimeAction::StepBack)) }
                    <button class="btn btn--primary" data-action="play" aria-label={label} title={label} disabled={is_idle} onclick={play}>{ crate::ui::parts::icon::icon(mark) }</button>
                    { action("step", all::STEP.get(), "next", at_end, act, Action::Time(TimeAction::Step)) }
                    { action("run", all::RUN.get(), "last", at_end, act, Action::Time(TimeAction::Run)) }
                </span>
                { sizes(compare.clock.step, act) }
                { speed(compare.clock.speed, act) }
                <span class="muted timeline__wide">{ words::TOGETHER }</span>
                <p class="timeline__event"><span class="clip" title={event(compare)}>{ event(compare) }</span></p>
            </div>
            { tracks(compare, act, cache) }
        </footer>
    }
}

/// The last event of each side.
fn event(compare: &Compare) -> String {
    let of = |which: Which| {
        let view = &compare.side(which).view;
        let mark = view.last_mark()?;
        let text = described(view, mark).1;
        let is_over = view.head.position == view.head.log_length;
        let text = if is_over { words::at_end(&text) } else { text };
        Some(words::event(which, &text))
    };
    let events: Vec<String> = Which::BOTH.into_iter().filter_map(of).collect();
    events.join(" · ")
}

fn tracks(compare: &Compare, act: &Callback<Action>, cache: &DrawCache) -> Html {
    let rulers = compare.rulers();
    let here = compare.here();
    let [ruler, _] = &rulers;
    let at = format!("--at:{:.2}", ruler.percent(here));
    let near_end = ruler.percent(here) >= 95.0;
    let tracks = Which::BOTH.map(|which| {
        let view = &compare.side(which).view;
        let ruler = &rulers[which as usize];
        let version = [view.timeline_version as usize, view.head.position, ruler.version()];
        let done = match view.head.position.checked_sub(1) {
            Some(last) => ruler.percent(ruler.entry(last)),
            None => 0.0,
        };
        html! {
            <div class="track" data-track={which.letter()} data-entries={view.head.position.to_string()}>
                <b aria-hidden="true">{ which.letter() }</b>
                <i class="ruler__done" style={format!("--at:{done:.2}")} />
                { cache.side(which).marks.of(version, &|_| marks(view, ruler)) }
            </div>
        }
    });
    let view = &compare.side(Which::A).view;
    html! {
        <div class="ruler ruler--pair">
            { for tracks }
            <i class="ruler__axis" />
            { breaks(ruler) }
            { for labels(view, ruler) }
            <span class={classes!("playhead", near_end.then_some("playhead--end"))} style={at}><output>{ moment(view, here) }</output></span>
            { scrubber(compare, ruler, act) }
        </div>
    }
}

fn scrubber(compare: &Compare, ruler: &Ruler, act: &Callback<Action>) -> Html {
    let here = compare.here();
    let oninput = act.reform(|event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        let amount = input.and_then(|input| input.value().parse().ok());
        Action::Time(TimeAction::Seek(amount.unwrap_or(0)))
    });
    let steps = act.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => TimeAction::Step,
            "ArrowLeft" | "ArrowDown" => TimeAction::StepBack,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        steps.emit(Action::Time(step));
    });
    let side: &Store = compare.side(Which::A);
    let spoken = all::followed(moment(&side.view, here), event(compare));
    html! {
        <input
            class="ruler__scrub" type="range" min="0" max={ruler.length().to_string()} value={ruler.place(here).to_string()}
            aria-label={words::TIMELINE_OF_BOTH} aria-valuetext={spoken} {oninput} {onkeydown}
        />
    }
}
