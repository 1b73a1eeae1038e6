//! The lesson beside the stage: what is wrong, goals with their state, questions, hints and the solution.

mod solution;

use std::collections::BTreeSet;

use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, MouseEvent, TargetCast, classes, html};

use super::state::{LessonAction, Lessons};
use crate::export::prose::web_address;
use crate::ui::features::course::Course;
use crate::ui::features::handout;
use crate::ui::parts::icon::icon;
use crate::ui::parts::markdown::{blocks, blocks_with, inline};
use crate::ui::parts::remark::remark;
use crate::ui::store::{Action, Dialog, PageAction, Store};
use crate::words;
use berth_protocol::lesson::{Answer, Ask, GoalFrame, LessonFrame, QuestionFrame};
use solution::{learnt, solution};

pub use solution::{card, status, strip};

/// Filter plugins, for questions of why a Pod waits; tidy compares them with the registry.
const FILTER_PLUGINS: [&str; 14] = [
    "NodeResourcesFit",
    "NodeAffinity",
    "NodeName",
    "NodePorts",
    "NodeUnschedulable",
    "TaintToleration",
    "InterPodAffinity",
    "PodTopologySpread",
    "VolumeBinding",
    "VolumeRestrictions",
    "VolumeZone",
    "NodeVolumeLimits",
    "DynamicResources",
    "NodeDeclaredFeatures",
];

/// The tab of the lesson; nothing without one.
#[inline(never)]
pub fn tab(store: &Store, act: &Callback<Action>) -> Html {
    let chosen = store.lesson.shown;
    let onclick = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::Show));
    html! { <button class="tab" role="tab" aria-selected={chosen.to_string()} data-source="lesson" {onclick}>{ words::LESSON }</button> }
}

/// The lesson in place of the manifests.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let lesson = &store.lesson;
    let Some(frame) = &lesson.frame else {
        return html! {};
    };
    let link = |label: &str, target: &str| term(lesson, label, target);
    let done = lesson.is_done();
    html! {
        <>
            <div class="panel__body lesson__scroll" tabindex="0"><div class="lesson" lang={lesson.language.clone()} data-slug={frame.slug.clone()}>
                { crumb(lesson, frame) }
                <h2>{ &frame.title }</h2>
                <div class="lesson__text">{ blocks(&frame.description, &link) }</div>
                <div class="lesson__task">{ blocks(&frame.task, &link) }</div>
                { for frame.questions.iter().enumerate().map(|(number, it)| question(store, number, it, act, &link)) }
                <ul class="goals" aria-label={words::GOALS}>{ goals(&frame.goals, &link) }</ul>
                <div aria-live="polite" data-lesson="feedback">
                    if done { <p class="lesson__done" data-lesson="done">{ icon("check") }{ words::ALL_MET }</p> }
                    if lesson.is_mispredicted() { <div class="lesson__wrong" data-lesson="mispredicted"><p>{ words::MISPREDICTED }</p></div> }
                    if let Some(wrong) = &frame.wrong {
                        <div class="lesson__wrong" data-lesson="wrong"><b>{ words::NOT_QUITE }</b>{ blocks(wrong, &link) }</div>
                    }
                </div>
                if done && !lesson.saw_solution() { <div class="lesson__solution" data-lesson="learnt">{ learnt(frame, &link) }</div> }
                { hints(lesson, frame, act, &link) }
                { solution(lesson, frame, act, &link) }
                { locked(frame) }
                { handout::of_lesson(&frame.slug, act) }
            </div></div>
            { nav(store, done, act) }
        </>
    }
}

/// A link to the glossary, or to a page.
fn term(lesson: &Lessons, label: &str, target: &str) -> Html {
    let glossary = lesson.course.as_deref().map(|course| &course.glossary);
    if let Some(address) = web_address(target) {
        return html! { <a class="link" href={address.to_owned()} rel="noreferrer" target="_blank">{ label }</a> };
    }
    let name = target.strip_prefix('#').unwrap_or_default();
    let own = glossary.and_then(|terms| terms.iter().find(|term| term.term == name));
    let Some(own) = own else {
        return html! { { label } };
    };
    let text = own.text.of(&lesson.language);
    let also = own.also.of(&lesson.language);
    // The explanation opens in place, and needs no pointer.
    html! {
        <details class="glossary"><summary>{ label }</summary><span class="glossary__text">
            { inline(text, &|label, _| html! { { label } }) }
            if !also.is_empty() { <span class="glossary__also" translate="no">{ words::also_called(also) }</span> }
        </span></details>
    }
}

fn crumb(lesson: &Lessons, frame: &LessonFrame) -> Html {
    let course = lesson.course.as_deref();
    let slug = lesson.slug();
    let place = course.and_then(|course| {
        let number = course.number(slug)?;
        Some(words::lesson_of(number, course.lessons().count()))
    });
    let chapter = course.and_then(|course| chapter_of(course, slug, &lesson.language));
    let now = now(&frame.goals);
    let pips = frame.goals.iter().enumerate().map(|(index, goal)| {
        let class = classes!(
            goal.met.then_some("on"),
            (now == Some(index)).then_some("now")
        );
        html! { <i {class} /> }
    });
    html! {
        <p class="lesson__crumb">
            <span>{ for place }{ for chapter.map(|chapter| format!(" · {chapter}")) }</span>
            <span class="pips" aria-hidden="true">{ for pips }</span>
        </p>
    }
}

fn chapter_of(course: &Course, slug: &str, language: &str) -> Option<String> {
    let mut chapters = course.chapters.iter();
    let own = chapters.find(|chapter| chapter.lessons.iter().any(|it| it.slug == slug))?;
    Some(own.title.of(language).to_owned())
}

/// The goals; the first unmet one is highlighted.
fn goals(goals: &[GoalFrame], link: &dyn Fn(&str, &str) -> Html) -> Html {
    let now = now(goals);
    let goals = goals.iter().enumerate();
    html! { <>{ for goals.map(|(index, it)| goal(it, now == Some(index), link)) }</> }
}

/// The first goal that is not met.
fn now(goals: &[GoalFrame]) -> Option<usize> {
    goals.iter().position(|goal| !goal.met)
}

fn goal(goal: &GoalFrame, is_now: bool, link: &dyn Fn(&str, &str) -> Html) -> Html {
    let class = classes!(
        "goal",
        goal.met.then_some("goal--done"),
        is_now.then_some("goal--now")
    );
    let state = if goal.met {
        words::LESSON_DONE
    } else {
        words::LESSON_TODO
    };
    html! {
        <li {class} data-goal={goal.met.to_string()}>
            <span class="box">{ if goal.met { icon("check") } else { html! {} } }</span>
            <span>{ inline(&words::remark(&goal.words), link) }<span class="visually-hidden">{ words::in_parentheses(state) }</span></span>
            if let Some(value) = &goal.value { <small>{ words::goal_value(value) }</small> }
            if !goal.met && !goal.why.is_empty() {
                // Explain quotes the message.
                <p class="why">{ icon("waiting") }<span>{ remark(&goal.why.without_messages()) }
                    if goal.is_lost { { words::GOAL_IS_LOST } }
                </span></p>
            }
        </li>
    }
}

fn hints(
    lesson: &Lessons,
    frame: &LessonFrame,
    act: &Callback<Action>,
    link: &dyn Fn(&str, &str) -> Html,
) -> Html {
    if frame.hints.is_empty() {
        return html! {};
    }
    let all = frame.hints.len();
    let onclick = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::Hint));
    let shown = frame.hints.iter().take(lesson.hints).enumerate();
    let code = |text: &str| html! { <><code>{ text }</code>{ for run(frame, text, act) }</> };
    let shown = shown.map(|(index, hint)| {
        html! {
            <div class="lesson__hint" data-hint={(index + 1).to_string()}>
                <p class="hint__head">{ words::hint(index + 1, all) }</p>
                { blocks_with(hint, link, &code) }
            </div>
        }
    });
    let more = if lesson.hints == 0 {
        words::FIRST_HINT
    } else {
        words::NEXT_HINT
    };
    html! {
        <div aria-live="polite">
            { for shown }
            if lesson.hints < all {
                <p><button class="link" data-action="hint" {onclick}>{ more }</button></p>
            }
        </div>
    }
}

/// The button that runs a hint's command in the terminal.
fn run(frame: &LessonFrame, line: &str, act: &Callback<Action>) -> Option<Html> {
    if !frame.can_run(line) {
        return None;
    }
    let run = Action::Lesson(LessonAction::Run(line.to_owned()));
    let onclick = act.reform(move |_: MouseEvent| run.clone());
    Some(html! {
        <>{ " " }<button class="link" data-action="run-hint" {onclick}>{ words::RUN_HINT }</button></>
    })
}

fn locked(frame: &LessonFrame) -> Html {
    if frame.locked.is_empty() {
        return html! {};
    }
    let names = frame.locked.iter().enumerate().map(|(index, lock)| {
        let comma = if index == 0 {
            ""
        } else {
            words::language::comma()
        };
        html! { <>{ comma }<code>{ lock }</code></> }
    });
    html! { <p class="lesson__locked">{ words::LOCKED }{ words::language::space() }{ for names }</p> }
}

fn question(
    store: &Store,
    number: usize,
    question: &QuestionFrame,
    act: &Callback<Action>,
    link: &dyn Fn(&str, &str) -> Html,
) -> Html {
    let asked = words::asked(question);
    let body = match &question.answer {
        None => choice(store, number, question, act),
        Some(answer) => answer_view(&store.lesson, number, question, answer, link),
    };
    html! {
        <div class="predict" role="group" aria-label={asked.clone()} data-question={number.to_string()}>
            <p class="predict__ask">{ asked }</p>
            { body }
        </div>
    }
}

/// The possible answers.
fn choice(store: &Store, number: usize, question: &QuestionFrame, act: &Callback<Action>) -> Html {
    let given = store.lesson.answer(number).unwrap_or_default();
    // Otherwise the task creates the Pod, or makes the scheduler try it.
    let is_due = !store.view.head.finished;
    let answer = move |text: String| Action::Lesson(LessonAction::Answer(number, text));
    if question.ask == Ask::Why {
        let act = act.clone();
        let onchange = Callback::from(move |event: Event| {
            if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
                act.emit(answer(select.value()));
            }
        });
        let options = FILTER_PLUGINS
            .map(|name| html! { <option value={name} selected={given == name}>{ name }</option> });
        return html! {
            <>
                <select class="field" data-field="predict" aria-label={words::asked(question)} {onchange}><option value="" selected={given.is_empty()}>{ words::A_PLUGIN }</option>{ for options }</select>
                <p class="muted">{ words::predict_first(false, is_due) }</p>
            </>
        };
    }
    let is_many = question.ask == Ask::Victims;
    let chosen: BTreeSet<&str> = given.split(',').filter(|it| !it.is_empty()).collect();
    let names: Vec<String> = match is_many {
        false => store
            .view
            .nodes
            .iter()
            .map(|node| node.name.clone())
            .collect(),
        true => {
            let placed = store.view.pods.iter().filter(|pod| pod.node.is_some());
            placed
                .map(|pod| words::short(&pod.key).to_owned())
                .collect()
        }
    };
    let buttons = names.iter().map(|name| {
        let is_chosen = chosen.contains(name.as_str());
        let text = match is_many {
            false => name.clone(),
            true => store.lesson.toggled(number, name),
        };
        let choose = answer(text);
        let onclick = act.reform(move |_: MouseEvent| choose.clone());
        html! { <button class="btn btn--line btn--small" aria-pressed={is_chosen.to_string()} data-predict={name.clone()} {onclick}>{ name }</button> }
    });
    html! { <><div class="predict__choice">{ for buttons }</div><p class="muted">{ words::predict_first(true, is_due) }</p></> }
}

/// The prediction beside the answer, and why.
fn answer_view(
    lesson: &Lessons,
    number: usize,
    question: &QuestionFrame,
    answer: &Answer,
    link: &dyn Fn(&str, &str) -> Html,
) -> Html {
    let list = |names: &BTreeSet<String>| {
        let names: Vec<&str> = names.iter().map(|name| words::short(name)).collect();
        names.join(words::language::comma())
    };
    let was = match answer {
        Answer::Node(node) => node.clone(),
        Answer::Victims(names) | Answer::Plugins(names) => list(names),
    };
    let right = lesson.is_right(number) == Some(true);
    let verdict = match (lesson.answer(number), right) {
        (None, _) => {
            html! { <p>{ words::it_was(&was) }{ words::language::space() }{ words::NOT_PREDICTED }</p> }
        }
        (Some(_), true) => {
            html! { <p class="predict__right"><b>{ words::PREDICTED_RIGHT }</b>{ words::language::colon() }{ words::it_was(&was) }</p> }
        }
        (Some(given), false) => {
            let feedback = question.feedback(given);
            html! {
                <>
                    <p class="predict__wrong"><b>{ words::PREDICTED_WRONG }</b>{ words::language::colon() }{ words::you_said(given) }{ words::language::space() }{ words::it_was(&was) }</p>
                    { for feedback.map(|feedback| blocks(feedback, link)) }
                </>
            }
        }
    };
    html! { <div aria-live="polite" data-right={right.to_string()}>{ verdict }{ blocks(&question.say, link) }</div> }
}

/// The button that opens the next lesson.
fn next_button(store: &Store, class: &'static str, act: &Callback<Action>) -> Option<Html> {
    let slug = store.lesson.next()?.1.slug.clone();
    let onclick = act.reform(move |_: MouseEvent| Action::Lesson(LessonAction::Open(slug.clone())));
    Some(
        html! { <button class={classes!("btn", class)} data-action="next-lesson" {onclick}>{ words::NEXT_LESSON }</button> },
    )
}

fn nav(store: &Store, done: bool, act: &Callback<Action>) -> Html {
    let lesson = &store.lesson;
    let start_over = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::StartOver));
    let settle = act.reform(|_: MouseEvent| Action::Lesson(LessonAction::Settle));
    let course = act.reform(|_: MouseEvent| Action::Page(PageAction::Show(Some(Dialog::Course))));
    let go_on = |class: &'static str| next_button(store, class, act);
    html! {
        <footer class="lesson__nav">
            <button class="btn btn--line" data-action="course" onclick={course}>{ icon("left") }{ words::COURSE }</button>
            <button class="btn" data-action="start-over" onclick={start_over}>{ words::START_OVER }</button>
            <span class="push" />
            if done {
                { for go_on("btn--primary") }
            } else if lesson.is_mispredicted() {
                { for go_on("btn--line") }
            } else {
                <button class="btn btn--line" data-action="settle" title={words::LET_IT_RUN_TITLE} disabled={store.view.head.finished} onclick={settle}>{ words::LET_IT_RUN }</button>
            }
        </footer>
    }
}
