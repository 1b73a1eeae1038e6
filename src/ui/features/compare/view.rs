//! Two runs side by side: both stages, what differs, and one timeline.

mod differences;
pub mod form;
mod move_arrow;
mod ruler;
mod settings;
mod side;
mod summary;

use yew::{Callback, Html, MouseEvent, classes, html};

use super::state::{Compare, CompareAction, Progress, Stages};
use crate::ui::features::stage;
use crate::ui::panels::DrawCache;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;
use crate::ui::store::{Action, Store};
use crate::words::compare as words;
use berth_protocol::compare::Which;

/// Emits an action of the comparison on a click.
fn send(act: &Callback<Action>, action: CompareAction) -> Callback<MouseEvent> {
    act.reform(move |_: MouseEvent| Action::Compare(action.clone()))
}

/// The button that opens the form.
pub fn button(act: &Callback<Action>) -> Html {
    html! { <button class="btn" data-action="compare" aria-haspopup="dialog" onclick={send(act, CompareAction::Choose(Default::default()))}>{ words::COMPARE }</button> }
}

/// What the top bar has while two runs are compared.
pub fn bar(act: &Callback<Action>) -> Html {
    html! {
        <>
            <span class="topbar__note">{ words::COMPARES }</span>
            <span class="push" />
            <button class="btn" data-action="compare" aria-haspopup="dialog" onclick={send(act, CompareAction::Choose(Default::default()))}>{ words::CHANGE_SIDES }</button>
            <button class="btn btn--line" data-action="leave-compare" onclick={send(act, CompareAction::Leave)}>{ icon("undo") }{ words::LEAVE }</button>
            <span class="topbar__sep" />
        </>
    }
}

/// The stage, the right panel and the timeline.
pub fn view(store: &Store, compare: &Compare, act: &Callback<Action>, cache: &DrawCache) -> Html {
    html! {
        <>
            { stages(store, compare, act, cache) }
            { differences::view(store, compare, act) }
            { ruler::view(compare, act, cache) }
        </>
    }
}

fn stages(store: &Store, compare: &Compare, act: &Callback<Action>, cache: &DrawCache) -> Html {
    let one = compare.stages == Stages::Differences;
    let label = if one {
        words::STAGE_DIFFERENCES
    } else {
        words::STAGES
    };
    let is_drawn = compare.is_done() && !compare.leaves_out_stages();
    let shown = |which: Which| is_drawn && (!one || which == Which::B);
    let side = |which: Which| {
        let on_side = act.reform(move |action: Action| {
            Action::Compare(CompareAction::Side(which, Box::new(action)))
        });
        let letter = which.letter();
        html! {
            <section class={classes!("side", format!("side--{}", letter.to_lowercase()))} data-side={letter} aria-labelledby={format!("side-{letter}")}>
                { side::head(store, compare, which, act, &on_side) }
                if shown(which) {
                    { stage::of_side(compare.side(which), &on_side, cache.side(which)) }
                }
            </section>
        }
    };
    html! {
        <main class="panel stage pairstage" aria-label={label} data-compare={state(&compare.progress)} data-different={compare.different.to_string()}
            data-position={store.view.head.position.to_string()} data-digest={store.view.head.digest.clone()}>
            { layout_buttons(compare, act) }
            <div class={classes!("sides", one.then_some("sides--one"))}>
                { side(Which::A) }
                { side(Which::B) }
                if compare.leaves_out_stages() {
                    <div class="pair__wait">
                        <p>{ summary::sentence(compare) }</p>
                        <button class="btn btn--line" data-action="show-stages" onclick={send(act, CompareAction::ShowSame)}>{ words::SHOW_STAGES }</button>
                    </div>
                } else if is_drawn {
                    <move_arrow::MoveArrow pod={compare.pod.clone()} {one} moment={compare.here()} />
                } else {
                    { progress(compare, act) }
                }
            </div>
            { key(&compare.side(Which::B).view.owners) }
        </main>
    }
}

/// What both sides are called.
pub fn names(compare: &Compare) -> String {
    let names = Which::BOTH.map(|which| {
        let name = settings::name(compare.pairing.side(which));
        words::event(which, &name)
    });
    names.join(" · ")
}

fn state(progress: &Progress) -> &'static str {
    match progress {
        Progress::Opening => "opening",
        Progress::Running { .. } => "running",
        Progress::Done => "done",
        Progress::Refused { .. } => "refused",
    }
}

/// The choice between two stages and one.
fn layout_buttons(compare: &Compare, act: &Callback<Action>) -> Html {
    let choice = |stages: Stages, name: &'static str, label: &'static str| {
        let checked = (compare.stages == stages).to_string();
        html! { <button role="radio" aria-checked={checked} data-stages={name} onclick={send(act, CompareAction::Show(stages))}>{ label }</button> }
    };
    html! {
        <header class="panel__head stage__head pair__head">
            <span class="seg seg--small" role="radiogroup" aria-label={words::WHAT_IS_DRAWN}>
                { choice(Stages::Both, "both", words::BOTH.get()) }
                { choice(Stages::Differences, "differences", words::DRAWN.get()) }
            </span>
            { for summary::kinds(compare) }
        </header>
    }
}

/// How far the runs are, with a way out; or why there is nothing to compare.
fn progress(compare: &Compare, act: &Callback<Action>) -> Html {
    let (text, share) = match &compare.progress {
        Progress::Opening | Progress::Done => (words::BEGINS.to_owned(), 0),
        Progress::Running { attempts, pods } => (
            words::running(*attempts, *pods),
            (attempts * 100 / (*pods).max(1)).min(100),
        ),
        Progress::Refused { side, message } => {
            return html! {
                <div class="pair__wait" role="alert">
                    <p>{ words::refused(*side, message) }</p>
                    <button class="btn btn--line" onclick={send(act, CompareAction::Choose(Default::default()))}>{ words::CHANGE_SIDES }</button>
                </div>
            };
        }
    };
    html! {
        <div class="pair__wait" role="status">
            <p>{ text }</p>
            <div class="lenbar" aria-hidden="true"><i class="lenbar__v" style={format!("--v:{share}%")} /></div>
            <button class="btn btn--line" data-action="cancel-compare" onclick={send(act, CompareAction::Leave)}>{ crate::words::CANCEL }</button>
        </div>
    }
}

fn key(owners: &Owners) -> Html {
    let legend = owners.legend().into_iter().take(12).map(|(name, flag)| {
        html! { <span><i class={classes!("flag", flag.class())} />{ name }</span> }
    });
    html! {
        <footer class="key"><div class="key__owners">{ for legend }</div><span class="push" />
            <span><i class="foldkey" />{ words::FOLDED }</span>
        </footer>
    }
}
