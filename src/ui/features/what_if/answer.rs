//! What the last question has come to, in place of the groups.

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, Properties, classes, function_component, html};

use super::state::{Asked, MOST, TrialAction, answered};
use super::view::on_trial;
use crate::export::what_if::{Listing, told};
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::words;
use crate::words::language::{self, Language};
use berth_protocol::page::WhatIfAnswer;
use berth_protocol::what_if::{Answered, Asking};

/// Maximum number of rows of an answer that are drawn; the rest is counted.
const ROWS: usize = 200;

/// The answer, or the play that goes on.
pub fn asked(store: &Store, asked: &Asked, act: &Callback<Action>) -> Html {
    let on = |action: TrialAction| on_trial(act).reform(move |_: MouseEvent| action.clone());
    let body = match asked {
        Asked::Playing(_) => html! {
            <div class="answer__wait">
                <p role="status">{ words::PLAYS_A_COPY }</p>
                <button class="btn btn--line btn--small" data-action="stop-what-if" onclick={on(TrialAction::Stop)}>{ words::work::STOP }</button>
            </div>
        },
        Asked::Answered(answer) => match &answer.answer {
            Err(refused) => html! { <p role="alert">{ words::remark(refused) }</p> },
            Ok(_) => html! {
                <AnswerView answer={Rc::clone(answer)} language={language::current()} domain={store.view.node_domain().to_owned()} act={act.clone()} />
            },
        },
    };
    let is_answered = matches!(asked, Asked::Answered(answer) if answer.answer.is_ok());
    html! {
        <section class="answer" aria-label={words::WHAT_IF} data-answer={if is_answered { "done" } else { "open" }}>
            { body }
            <div class="answer__row">
                <button class="btn btn--line btn--small" data-action="close-what-if" onclick={on(TrialAction::Close)}>{ icon("undo") }{ words::BACK_TO_PENDING }</button>
                if is_answered {
                    <button class="btn btn--small" data-action="copy-what-if" onclick={on(TrialAction::Copy)}>{ words::COPY_MARKDOWN }</button>
                    <button class="btn btn--small" data-action="save-what-if" onclick={on(TrialAction::Download)}>{ words::SAVE_JSON }</button>
                }
            </div>
        </section>
    }
}

#[derive(Properties)]
struct AnswerProps {
    answer: Rc<WhatIfAnswer>,
    language: Language,
    /// What the names of all nodes end with; it is left out.
    domain: String,
    act: Callback<Action>,
}

impl PartialEq for AnswerProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.answer, &other.answer)
            && (self.language, &self.domain) == (other.language, &other.domain)
    }
}

/// Tables of many rows, told again only for another answer.
#[function_component]
fn AnswerView(props: &AnswerProps) -> Html {
    let domain = props.domain.as_str();
    let Some(answered) = answered(&props.answer) else {
        return html! {};
    };
    let told = told(&answered);
    let brief = |text: &str| match domain {
        "" => text.to_owned(),
        domain => text.replace(domain, ""),
    };
    let tables = told.tables.iter();
    let tables = tables.map(|listing| table(&answered, listing, &brief, &props.act));
    html! {
        <>
            <p class="answer__sentence" role="status">{ brief(&told.sentence) }</p>
            { for tables }
            { for told.notes.iter().map(|note| html! { <p class="note">{ note.clone() }</p> }) }
        </>
    }
}

fn table(
    answered: &Answered,
    listing: &Listing,
    brief: &dyn Fn(&str) -> String,
    act: &Callback<Action>,
) -> Html {
    let class_of = |at: usize| {
        let is_number = listing.numbers.get(at).copied().unwrap_or_default();
        is_number.then_some("num")
    };
    let headings = listing.headings.iter().enumerate().map(
        |(at, heading)| html! { <th scope="col" class={classes!(class_of(at))}>{ *heading }</th> },
    );
    let rows = listing.rows.iter().take(ROWS).enumerate();
    let rows = rows.map(|(number, row)| {
        let cells = row.iter().enumerate().map(|(at, text)| match at {
            0 => html! { <th scope="row">{ first_cell(answered, number, &brief(text), act) }</th> },
            _ => html! { <td class={classes!(class_of(at))}>{ brief(text) }</td> },
        });
        html! { <tr>{ for cells }</tr> }
    });
    let more = listing.rows.len().saturating_sub(ROWS);
    html! {
        <>
            <div class="answer__table" tabindex="0" aria-label={words::WHAT_IF}>
                <table><thead><tr>{ for headings }</tr></thead><tbody>{ for rows }</tbody></table>
            </div>
            if more > 0 { <p class="note">{ words::and_more(more) }</p> }
        </>
    }
}

/// What a row is about; a button where it can be asked about alone.
fn first_cell(answered: &Answered, row: usize, text: &str, act: &Callback<Action>) -> Html {
    let next = match answered {
        Answered::Losses(losses) => losses.losses.get(row).map(|loss| {
            let what = match &losses.label {
                None => loss.name.clone(),
                Some(label) => format!("{label}={}", loss.name),
            };
            match loss.drains {
                None => Asking::Lose { what },
                Some(_) => Asking::Drain { what },
            }
        }),
        Answered::Need(need) => need.pools.get(row).map(|of| Asking::Add {
            like: of.like.clone(),
            count: u32::try_from(of.nodes).unwrap_or(MOST).clamp(1, MOST),
        }),
        Answered::Answer(_) => None,
    };
    let Some(next) = next else {
        return html! { { text.to_owned() } };
    };
    let onclick = on_trial(act).reform(move |_: MouseEvent| TrialAction::AskThis(next.clone()));
    html! { <button class="link" data-action="ask-this" title={words::ask_alone(text)} {onclick}>{ text.to_owned() }</button> }
}
