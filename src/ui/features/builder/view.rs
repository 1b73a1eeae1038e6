//! The level builder beside the stage: start, solution, goals, texts, wrong answers, locks, questions, and the rules.

mod fields;
mod rules;

use yew::{Callback, Html, MouseEvent, html};

use super::state::{Builder, BuilderAction, Change, List, Place, RecordingFor};
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::words;
use crate::words::builder as say;
use berth_protocol::draft::{DraftStep, DraftWrong};
use berth_protocol::lesson::Ask;
use fields::Fields;

/// The tab of the builder.
#[inline(never)]
pub fn tab(builder: &Builder, act: &Callback<Action>) -> Html {
    let onclick = on(act, BuilderAction::Show);
    html! { <button class="tab" role="tab" aria-selected={builder.shown.to_string()} data-source="builder" {onclick}>{ say::TAB }</button> }
}

/// The button that opens the builder.
#[inline(never)]
pub fn entry_button(store: &Store, act: &Callback<Action>) -> Html {
    let label = match store.builder {
        Some(_) => say::GO_ON_MAKING,
        None => say::MAKE_LESSON,
    };
    let onclick = on(act, BuilderAction::Show);
    html! { <button class="btn btn--line" data-action="make-lesson" {onclick}>{ label }</button> }
}

/// The builder in place of the manifests.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let Some(builder) = store.builder.as_deref() else {
        return html! {};
    };
    let fields = Fields { builder, act };
    let has_start = builder.draft.start.is_some();
    let waits = builder.recording_for == Some(RecordingFor::Solution);
    let has_end = has_start && !waits;
    html! {
        <>
            <div class="panel__body lesson__scroll" tabindex="0"><div class="lesson build" data-build="">
                { crumb(builder) }
                { start(&fields) }
                if has_start { { solution(&fields) } }
                if has_end { { goals(&fields) } { texts(&fields) } { hints(&fields) } { wrong(&fields) } { locks(&fields) } { questions(store, &fields) } }
                if has_end { { rules::view(&fields) } }
                { discard(builder, act) }
            </div></div>
            if has_end { { rules::take_away(builder, act) } }
        </>
    }
}

fn on(act: &Callback<Action>, action: BuilderAction) -> Callback<MouseEvent> {
    act.reform(move |_: MouseEvent| Action::Builder(action.clone()))
}

fn crumb(builder: &Builder) -> Html {
    let hold = builder.played.iter().filter(|own| own.broken.is_empty());
    let pips = builder.played.iter().map(|own| {
        let class = if own.broken.is_empty() { "on" } else { "now" };
        html! { <i {class} /> }
    });
    html! {
        <p class="lesson__crumb">
            <span>{ say::MAKE_LESSON }</span>
            if !builder.played.is_empty() { <span data-build="rules">{ say::rules_hold(hold.count(), builder.played.len()) }</span> }
            <span class="pips" aria-hidden="true">{ for pips }</span>
        </p>
    }
}

fn start(fields: &Fields<'_>) -> Html {
    let Fields { builder, act } = fields;
    let mark = on(act, BuilderAction::MarkStart);
    let Some(start) = &builder.draft.start else {
        return html! {
            <section class="build__part" aria-label={say::START}>
                <h3>{ say::START }</h3>
                <p>{ say::START_LEAD }</p>
                <p><button class="btn btn--primary" data-action="mark-start" onclick={mark}>{ say::MARK_START }</button></p>
            </section>
        };
    };
    let names = builder.written.iter().flat_map(|written| &written.objects);
    let objects: Vec<&String> = names.filter(|name| name.contains('/')).collect();
    let nodes = objects
        .iter()
        .filter(|name| name.starts_with("Node/"))
        .count();
    let made = say::start(nodes, objects.len() - nodes, start.before.len(), start.live);
    html! {
        <section class="build__part" aria-label={say::START}>
            <h3>{ icon("check") }{ say::START }</h3>
            if builder.written.is_some() { <p class="muted" data-build="start">{ made }</p> }
            <p><button class="link" data-action="mark-start" onclick={mark}>{ say::MARK_AGAIN }</button></p>
        </section>
    }
}

/// What was done, while it is noted; then the steps of the solution.
fn solution(fields: &Fields<'_>) -> Html {
    let Fields { builder, act } = fields;
    if builder.recording_for == Some(RecordingFor::Solution) {
        return html! {
            <section class="build__part build__part--now" aria-label={say::STEPS}>
                <h3>{ say::STEPS }</h3>
                <p>{ say::SOLUTION_LEAD }</p>
                { steps_view(builder, say::THIS_IS_GOAL.get(), "this-is-goal", act) }
            </section>
        };
    }
    let steps = builder.draft.solution.iter().enumerate().map(|(at, step)| {
        let buttons = fields.order(List::Solution, at);
        let note = fields.area(
            Place::Note(at),
            &format!("solution[{at}].note"),
            say::NOTE,
            &step.note,
            1,
        );
        fields.step(
            Place::Step(at),
            &format!("solution[{at}]"),
            step,
            html! { <>{ note }</> },
            buttons,
        )
    });
    html! {
        <section class="build__part" aria-label={say::STEPS}>
            <h3>{ say::STEPS }</h3>
            <ol class="build__steps">{ for steps }</ol>
            <p class="build__row">
                <button class="link" data-action="take-solution" onclick={on(act, BuilderAction::Record(RecordingFor::Solution))}>{ say::DO_AGAIN }</button>
                { fields.add(List::Solution, say::ADD_STEP, "add-step") }
            </p>
        </section>
    }
}

/// What was done since the start.
fn steps_view(
    builder: &Builder,
    done: &'static str,
    name: &'static str,
    act: &Callback<Action>,
) -> Html {
    let steps = builder.steps.iter().map(done_step);
    let failed = builder.failed.as_ref().map(say::broken);
    let again = builder.recording_for.unwrap_or(RecordingFor::Solution);
    html! {
        <>
            <div aria-live="polite" data-build="noted">
                if builder.steps.is_empty() { <p class="muted">{ say::NOTHING_DONE }</p> }
                <ol class="build__noted">{ for steps }</ol>
                if builder.proposing { <p class="muted">{ say::LOOKING }</p> }
                if let Some(why) = failed { <p class="build__wrong" role="alert">{ icon("warn") }<span>{ why }</span></p> }
            </div>
            <p class="build__row">
                <button class="btn btn--primary" data-action={name} disabled={builder.steps.is_empty() || builder.proposing} onclick={on(act, BuilderAction::Done)}>{ done }</button>
                <button class="link" data-action="begin-again" onclick={on(act, BuilderAction::Record(again))}>{ say::BEGIN_AGAIN }</button>
                <button class="link" data-action="stop-noting" onclick={on(act, BuilderAction::Stop)}>{ say::STOP }</button>
            </p>
        </>
    }
}

fn done_step(step: &DraftStep) -> Html {
    match step.is_command {
        true => html! { <li><pre class="cmd"><code>{ &step.text }</code></pre></li> },
        false => {
            html! { <li><p class="muted">{ words::APPLY }</p><pre class="lesson__yaml" tabindex="0"><code>{ step.text.trim_end() }</code></pre></li> }
        }
    }
}

fn goals(fields: &Fields<'_>) -> Html {
    let Fields { builder, act } = fields;
    let derived = builder.written.as_ref().map(|written| &written.goals);
    let rows = builder.draft.goals.iter().enumerate().map(|(at, goal)| {
        let path = format!("expectations[{at}]");
        let derived = derived.and_then(|goals| goals.get(at)).map(words::remark);
        let words = fields.line(
            Place::Words(at),
            &format!("{path}.words"),
            say::GOAL_WORDS,
            &goal.words,
            &derived.unwrap_or_default(),
        );
        let rows = goal.text.lines().count().max(2);
        html! {
            <li class="build__item">
                <div class="build__line">{ words }{ fields.order(List::Goals, at) }</div>
                <details><summary>{ say::GOAL_TEXT }</summary>{ fields.code(Place::Goal(at), &path, say::GOAL_TEXT, &goal.text, rows) }</details>
                { fields.problem(&path) }
            </li>
        }
    });
    let offers = builder.offered.iter().enumerate().map(|(at, offered)| {
        let onclick = on(act, BuilderAction::Change(Change::Offer(at)));
        let words = say::goal(&offered.meaning).replace('`', "");
        html! { <li><button class="build__offer" data-offer={at.to_string()} title={offered.text.clone()} {onclick}>{ icon("plus") }<span>{ words }</span></button></li> }
    });
    let has_offers = !builder.offered.is_empty();
    html! {
        <section class="build__part" aria-label={words::GOALS}>
            <h3>{ words::GOALS }</h3>
            if builder.draft.goals.is_empty() && !builder.draft.solution.is_empty() { <p class="muted">{ say::NO_GOALS }</p> }
            <ol class="build__items">{ for rows }</ol>
            if has_offers { <details class="build__more"><summary>{ say::ALSO }</summary><ul>{ for offers }</ul></details> }
            <p>{ fields.add(List::Goals, say::OWN_GOAL, "add-goal") }</p>
        </section>
    }
}

fn texts(fields: &Fields<'_>) -> Html {
    let draft = &fields.builder.draft;
    let minutes = match draft.minutes {
        0 => String::new(),
        minutes => minutes.to_string(),
    };
    html! {
        <section class="build__part" aria-label={say::TEXTS}>
            <h3>{ say::TEXTS }</h3>
            { fields.line(Place::Title, "title", say::TITLE, &draft.title, "") }
            { fields.problem("title") }
            { fields.area(Place::Description, "description", say::DESCRIPTION, &draft.description, 4) }
            { fields.problem("description") }
            { fields.area(Place::Task, "task", say::TASK, &draft.task, 2) }
            { fields.problem("task") }
            <div class="build__short">{ fields.line(Place::Minutes, "minutes", say::MINUTES_FIELD, &minutes, "") }</div>
        </section>
    }
}

fn hints(fields: &Fields<'_>) -> Html {
    let all = fields.builder.draft.hints.len();
    let rows = fields.builder.draft.hints.iter().enumerate().map(|(at, hint)| {
        let label = words::hint(at + 1, all);
        html! {
            <li class="build__item"><div class="build__line">{ fields.labelled(Place::Hint(at), &format!("hints[{at}]"), &label, hint, 2) }{ fields.order(List::Hints, at) }</div></li>
        }
    });
    html! {
        <section class="build__part" aria-label={say::HINTS}>
            <h3>{ say::with_count(say::HINTS, all) }</h3>
            <ol class="build__items">{ for rows }</ol>
            <p>{ fields.add(List::Hints, say::ADD_HINT, "add-hint") }</p>
        </section>
    }
}

fn wrong(fields: &Fields<'_>) -> Html {
    let Fields { builder, act } = fields;
    let all = builder.draft.wrong.len();
    let rows = builder
        .draft
        .wrong
        .iter()
        .enumerate()
        .map(|(at, wrong)| one_wrong(fields, at, wrong));
    let body = match builder.recording_for {
        Some(RecordingFor::Wrong) => html! {
            <div class="build__part--now">
                <p>{ say::WRONG_NOW }</p>
                { steps_view(builder, say::THIS_IS_WRONG.get(), "this-is-wrong", act) }
            </div>
        },
        _ => {
            html! { <p><button class="link" data-action="take-wrong" onclick={on(act, BuilderAction::Record(RecordingFor::Wrong))}>{ say::DO_WRONG }</button></p> }
        }
    };
    html! {
        <section class="build__part" aria-label={say::WRONG}>
            <h3>{ say::with_count(say::WRONG, all) }</h3>
            <p class="muted">{ say::WRONG_LEAD }</p>
            <ol class="build__items">{ for rows }</ol>
            { body }
        </section>
    }
}

fn one_wrong(fields: &Fields<'_>, at: usize, wrong: &DraftWrong) -> Html {
    let path = format!("wrong[{at}]");
    let steps = wrong.steps.iter().enumerate().map(|(number, step)| {
        let buttons = fields.remove(List::Steps(at), number);
        let path = format!("{path}.steps[{number}]");
        fields.step(Place::WrongStep(at, number), &path, step, html! {}, buttons)
    });
    let when = wrong.when.iter().enumerate().map(|(number, text)| {
        let path = format!("{path}.when[{number}]");
        let rows = text.lines().count().max(2);
        html! {
            <li class="build__item">
                <div class="build__line">{ fields.code(Place::When(at, number), &path, say::WHEN_FIELD, text, rows) }{ fields.remove(List::When(at), number) }</div>
                { fields.problem(&path) }
            </li>
        }
    });
    html! {
        <li class="build__item build__item--wrong" data-wrong={at.to_string()}>
            <div class="build__line">
                { fields.labelled(Place::Say(at), &format!("{path}.say"), &say::place(&format!("{path}.say")), &wrong.say, 3) }
                { fields.order(List::Wrong, at) }
            </div>
            { fields.problem(&format!("{path}.say")) }
            <details>
                <summary>{ say::steps(wrong.steps.len()) }</summary>
                <ol class="build__steps">{ for steps }</ol>
                <p>{ fields.add(List::Steps(at), say::ADD_STEP, "add-wrong-step") }</p>
                <p>{ say::WHEN }</p>
                <ul class="build__items">{ for when }</ul>
                <p>{ fields.add(List::When(at), say::ADD_WHEN, "add-when") }</p>
            </details>
        </li>
    }
}

fn locks(fields: &Fields<'_>) -> Html {
    let builder = fields.builder;
    let rows = builder.draft.locked.iter().enumerate().map(|(at, lock)| {
        let path = format!("locked[{at}]");
        html! {
            <li class="build__item">
                <div class="build__line">{ fields.line(Place::Lock(at), &path, say::LOCK, lock, "Pod/db.spec.tolerations") }{ fields.remove(List::Locks, at) }</div>
                { fields.problem(&path) }
            </li>
        }
    });
    let objects = builder
        .written
        .iter()
        .flat_map(|written| &written.objects)
        .filter(|name| !builder.draft.locked.contains(name));
    html! {
        <section class="build__part" aria-label={say::LOCKS}>
            <h3>{ say::with_count(say::LOCKS, builder.draft.locked.len()) }</h3>
            <p class="muted">{ say::LOCKS_LEAD }</p>
            <ol class="build__items">{ for rows }</ol>
            <p class="build__row">{ fields.choose_lock(objects) }{ fields.add(List::Locks, say::OTHER_LOCK, "add-lock") }</p>
        </section>
    }
}

fn questions(store: &Store, fields: &Fields<'_>) -> Html {
    let all = fields.builder.draft.predict.len();
    let pods: Vec<&str> = store
        .view
        .pods
        .iter()
        .map(|pod| words::short(&pod.key))
        .collect();
    let rows = fields.builder.draft.predict.iter().enumerate().map(|(at, question)| {
        let path = format!("predict[{at}]");
        let asks = [
            (Ask::Node, say::ASK_NODE),
            (Ask::Victims, say::ASK_VICTIMS),
            (Ask::Why, say::ASK_WHY),
        ];
        html! {
            <li class="build__item">
                <div class="build__line">{ fields.line(Place::Pod(at), &format!("{path}.pod"), say::QUESTION_POD, &question.pod, pods.first().copied().unwrap_or_default()) }{ fields.order(List::Questions, at) }</div>
                { fields.choose_ask(at, question.ask, &asks) }
                { fields.area(Place::Why(at), &format!("{path}.say"), say::QUESTION_SAY, &question.say, 2) }
                { fields.problem(&path) }
            </li>
        }
    });
    html! {
        <section class="build__part" aria-label={say::QUESTIONS}>
            <h3>{ say::with_count(say::QUESTIONS, all) }</h3>
            <p class="muted">{ say::QUESTIONS_LEAD }</p>
            <ol class="build__items">{ for rows }</ol>
            <p>{ fields.add(List::Questions, say::ADD_QUESTION, "add-question") }</p>
        </section>
    }
}

fn discard(builder: &Builder, act: &Callback<Action>) -> Html {
    let label = match builder.discards {
        true => say::DISCARD_ALL,
        false => say::DISCARD,
    };
    html! { <p class="build__discard"><button class="link" data-action="discard-lesson" onclick={on(act, BuilderAction::Discard)}>{ label }</button></p> }
}
