//! The solution of a lesson, and what the page says of the learner's own: goals above the command line, and a card.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::{goals, next_button, term};
use crate::ui::features::lesson::{LessonAction, Lessons};
use crate::ui::parts::changes::changes;
use crate::ui::parts::icon::icon;
use crate::ui::parts::markdown::blocks;
use crate::ui::store::{Action, Store};
use crate::words;
use berth_protocol::lesson::{LessonFrame, StepFrame};

/// The solution with its notes, and the button that plays its next step.
pub fn solution(
    lesson: &Lessons,
    frame: &LessonFrame,
    act: &Callback<Action>,
    link: &dyn Fn(&str, &str) -> Html,
) -> Html {
    let all = frame.solution.len();
    if all == 0 {
        return html! {};
    }
    if !lesson.saw_solution() {
        let onclick = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::ShowSolution));
        return html! {
            <div class="lesson__solution" aria-live="polite"><p><button class="link" data-action="show-solution" {onclick}>{ words::SHOW_SOLUTION }</button></p></div>
        };
    }
    let onclick = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::Solve));
    // A room sees each step when it is played.
    let shown = if lesson.shows_solution {
        all
    } else {
        lesson.steps
    };
    let steps = frame.solution.iter().take(shown).enumerate().map(|(number, it)| {
        let is_taken = number < lesson.steps;
        html! { <div data-step={is_taken.then_some("")} class={classes!("lesson__step", is_taken.then_some("lesson__step--taken"))}>{ step(it, link) }</div> }
    });
    html! {
        <div class="lesson__solution" aria-live="polite">
            <p class="hint__head">{ words::SOLUTION }</p>
            if lesson.shows_solution { <p class="muted">{ words::SOLUTION_IS_SEEN }</p> }
            { for steps }
            if lesson.steps < all {
                <p><button class="btn btn--line btn--small" data-action="solve" {onclick}>{ words::NEXT_OF_SOLUTION }</button></p>
            } else {
                <p class="muted">{ words::SOLUTION_ENDS }</p>
            }
        </div>
    }
}

/// What a solved lesson shows: what the learner did, and how the solution does it, with its notes.
pub fn learnt(frame: &LessonFrame, link: &dyn Fn(&str, &str) -> Html) -> Html {
    let did = frame.did.iter().map(|it| step(it, link));
    let solution = frame.solution.iter();
    let is_same = frame.did_as_solved();
    let model = solution.map(|it| match is_same {
        true => html! { <div>{ blocks(&it.note, link) }</div> },
        false => html! { <div>{ step(it, link) }</div> },
    });
    html! {
        <>
            if !frame.did.is_empty() { <p class="hint__head">{ words::YOU_DID }</p>{ for did } }
            <p class="hint__head">{ if is_same { words::AS_SOLVED } else { words::SOLVED_SO } }</p>
            { for model }
        </>
    }
}

/// The goals above the command line, and feedback on the state.
#[inline(never)]
pub fn strip(store: &Store) -> Html {
    let lesson = &store.lesson;
    let Some(frame) = &lesson.frame else {
        return html! {};
    };
    let link = |label: &str, _: &str| html! { { label } };
    html! {
        <section class="goalstrip" aria-label={words::GOALS} lang={lesson.language.clone()}>
            <ul class="goals">{ goals(&frame.goals, &link) }</ul>
            if lesson.is_mispredicted() { <p class="lesson__wrong">{ words::MISPREDICTED }</p> }
            if let Some(wrong) = &frame.wrong {
                <div class="lesson__wrong" data-strip="wrong"><b>{ words::NOT_QUITE }</b>{ blocks(wrong, &link) }</div>
            }
        </section>
    }
}

/// What a screen reader hears when a goal is met, or a wrong answer is recognised, wherever the learner types.
#[inline(never)]
pub fn status(store: &Store) -> Html {
    let lesson = &store.lesson;
    let Some(frame) = &lesson.frame else {
        return html! {};
    };
    let (met, all) = lesson.goals_met();
    let said = match &frame.wrong {
        _ if lesson.is_done() => words::ALL_MET.to_owned(),
        // The lesson's tab says it itself.
        Some(wrong) if !lesson.shown => words::not_yet(wrong),
        _ => words::goals_met(met, all),
    };
    html! { <p class="visually-hidden" role="status" data-lesson="status">{ said }</p> }
}

/// The card about the lesson that was just solved; nothing otherwise.
pub fn card(store: &Store, act: &Callback<Action>) -> Html {
    match store.lesson.card {
        true => solved(store, act),
        false => html! {},
    }
}

#[inline(never)]
fn solved(store: &Store, act: &Callback<Action>) -> Html {
    let lesson = &store.lesson;
    let Some(frame) = &lesson.frame else {
        return html! {};
    };
    let link = |label: &str, target: &str| term(lesson, label, target);
    let close = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::CloseCard));
    html! {
        <section class="solved" aria-label={words::ALL_MET} data-lesson="card" lang={lesson.language.clone()}>
            <header class="panel__head">
                <h2 class="panel__title">{ icon("check") }{ words::solved(&frame.title) }</h2><span class="push" />
                <button class="btn btn--icon" data-action="close-card" aria-label={words::CLOSE} title={words::CLOSE} onclick={close}>{ icon("close") }</button>
            </header>
            <div class="lesson solved__body" tabindex="0">
                <p class="lesson__done">{ words::ALL_MET }</p>
                <div class="lesson__solution">{ learnt(frame, &link) }</div>
            </div>
            <footer class="lesson__nav"><span class="push" />{ for next_button(store, "btn--primary", act) }</footer>
        </section>
    }
}

/// A step, and why it is taken.
fn step(step: &StepFrame, link: &dyn Fn(&str, &str) -> Html) -> Html {
    let text = match step.is_command {
        true => html! { <pre class="cmd"><code>{ &step.text }</code></pre> },
        false => {
            html! { <><p class="muted">{ words::APPLY }</p>{ changes(&step.lines) }</> }
        }
    };
    html! { <>{ text }{ blocks(&step.note, link) }</> }
}
