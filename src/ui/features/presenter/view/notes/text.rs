//! The notes themselves: what is wrong, the goals, the questions, the hints, the solution and the wrong answers.

use yew::{Html, classes, html};

use super::super::plain;
use crate::ui::features::presenter::{Notes, Upcoming};
use crate::ui::parts::changes::changes;
use crate::ui::parts::icon::icon;
use crate::ui::parts::markdown::{blocks, inline};
use crate::words;
use crate::words::Text;
use berth_protocol::lesson::{
    Answer, Ask, GoalFrame, LessonFrame, QuestionFrame, StepFrame, WrongFrame,
};

/// All notes on the moment.
pub fn view(notes: &Notes) -> Html {
    let Some(lesson) = &notes.lesson else {
        return about(notes);
    };
    html! {
        <>
            { section(words::NOTES_SYMPTOM, markdown(&lesson.description)) }
            { section(words::NOTES_TASK, markdown(&lesson.task)) }
            { questions(lesson, &notes.answers) }
            { section(words::GOALS, html! { <ul class="goals">{ for lesson.goals.iter().map(goal) }</ul> }) }
            { solution(lesson, notes.steps) }
            { hints(&lesson.hints) }
            { wrong_answers(&lesson.wrong_answers) }
            { next_lesson(notes) }
        </>
    }
}

/// What the next-step key does.
pub fn upcoming(notes: &Notes) -> Html {
    let next = match notes.upcoming {
        Upcoming::Step => words::NEXT_STEP,
        Upcoming::Settle => words::NEXT_SETTLE,
        Upcoming::Present => words::NEXT_PRESENT,
        Upcoming::Nothing => words::NEXT_NOTHING,
        Upcoming::Lesson => return next_lesson(notes),
        Upcoming::Solution => {
            let all = notes
                .lesson
                .as_ref()
                .map_or(0, |lesson| lesson.solution.len());
            let step = notes.lesson.as_ref();
            let step = step.and_then(|lesson| lesson.solution.get(notes.steps));
            return html! {
                <>
                    <p class="hint__head">{ words::next_solution(notes.steps + 1, all) }</p>
                    { for step.map(|step| html! { <>{ step_text(step) }{ markdown(&step.note) }</> }) }
                </>
            };
        }
    };
    html! { <p>{ next }</p> }
}

/// A command, or manifests that are applied.
pub fn step_text(step: &StepFrame) -> Html {
    match step.is_command {
        true => html! { <pre class="cmd"><code>{ &step.text }</code></pre> },
        false => {
            html! { <><p class="muted">{ words::APPLY }</p>{ changes(&step.lines) }</> }
        }
    }
}

fn markdown(text: &str) -> Html {
    blocks(text, &plain)
}

fn section(title: Text, body: Html) -> Html {
    html! { <section><h2>{ title }</h2>{ body }</section> }
}

fn about(notes: &Notes) -> Html {
    html! {
        <>
            if !notes.about.description.trim().is_empty() {
                { section(words::NOTES_ABOUT, markdown(&notes.about.description)) }
            }
            { hints(&notes.about.hints) }
        </>
    }
}

fn goal(goal: &GoalFrame) -> Html {
    let class = classes!("goal", if goal.met { "goal--done" } else { "goal--now" });
    let state = match goal.met {
        true => words::LESSON_DONE,
        false => words::LESSON_TODO,
    };
    html! {
        <li {class} data-goal={goal.met.to_string()}>
            <span class="box">{ if goal.met { icon("check") } else { html! {} } }</span>
            <span>{ inline(&words::remark(&goal.words), &plain) }<span class="visually-hidden">{ words::in_parentheses(state) }</span></span>
        </li>
    }
}

fn hints(hints: &[String]) -> Html {
    if hints.is_empty() {
        return html! {};
    }
    let all = hints
        .iter()
        .map(|hint| html! { <li>{ blocks(hint, &plain) }</li> });
    section(
        words::NOTES_HINTS,
        html! { <ol class="notes__list">{ for all }</ol> },
    )
}

/// The steps of the solution: played, next, later.
fn solution(lesson: &LessonFrame, taken: usize) -> Html {
    let steps = lesson.solution.iter().enumerate().map(|(index, step)| {
        let (state, word) = match index {
            index if index < taken => ("played", words::NOTES_PLAYED),
            index if index == taken => ("next", words::NOTES_COMES),
            _ => ("later", words::NOTES_LATER),
        };
        html! {
            <li class={format!("notes__step notes__step--{state}")} data-solution={state}>
                <p class="notes__state">{ if state == "played" { icon("check") } else { html! {} } }{ word }</p>
                { step_text(step) }{ markdown(&step.note) }
            </li>
        }
    });
    section(
        words::SOLUTION,
        html! { <ol class="notes__list">{ for steps }</ol> },
    )
}

fn wrong_answers(answers: &[WrongFrame]) -> Html {
    if answers.is_empty() {
        return html! {};
    }
    let all = answers.iter().map(|answer| {
        let steps = answer.steps.iter().map(step_text);
        html! { <li>{ for steps }<div class="lesson__wrong">{ blocks(&answer.say, &plain) }</div></li> }
    });
    section(
        words::NOTES_WRONG,
        html! { <ol class="notes__list">{ for all }</ol> },
    )
}

fn questions(lesson: &LessonFrame, answers: &[Option<String>]) -> Html {
    if lesson.questions.is_empty() {
        return html! {};
    }
    let all = lesson
        .questions
        .iter()
        .enumerate()
        .map(|(index, question)| {
            let given = answers.get(index).and_then(Option::as_deref);
            html! { <li>{ question_text(question, given) }</li> }
        });
    section(
        words::NOTES_QUESTIONS,
        html! { <ol class="notes__list">{ for all }</ol> },
    )
}

fn question_text(question: &QuestionFrame, given: Option<&str>) -> Html {
    let pod = words::short(&question.pod);
    let ask = match question.ask {
        Ask::Node => words::which_node(pod),
        Ask::Victims => words::which_victims(pod),
        Ask::Why => words::which_plugin(pod),
    };
    let was = question.answer.as_ref().map(|answer| match answer {
        Answer::Node(node) => node.clone(),
        Answer::Victims(names) | Answer::Plugins(names) => {
            let names: Vec<&str> = names.iter().map(|name| words::short(name)).collect();
            names.join(", ")
        }
    });
    let wrong = question.wrong.iter().map(|(answer, say)| {
        html! { <div class="lesson__wrong"><b>{ answer }</b>{ blocks(say, &plain) }</div> }
    });
    html! {
        <>
            <p class="predict__ask">{ ask }</p>
            { for given.map(|given| html! { <p>{ words::you_said(given) }</p> }) }
            { for was.map(|was| html! { <p>{ words::it_was(&was) }</p> }) }
            { markdown(&question.say) }
            { for wrong }
        </>
    }
}

fn next_lesson(notes: &Notes) -> Html {
    match &notes.next {
        Some((number, title)) => section(
            words::NEXT_LESSON,
            html! { <p data-next-lesson="">{ words::next_lesson(*number, title) }</p> },
        ),
        None => html! {},
    }
}
