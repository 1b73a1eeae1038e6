//! The panel of the smallest case, and the button that opens it.

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, Properties, function_component, html};

use super::state::{CASE_FILE, CaseAction, CasePanel, Found};
use crate::export::case::{Told, told};
use crate::ui::panels::regions;
use crate::ui::parts::icon::{action, icon};
use crate::ui::store::{Action, Panel, Store};
use crate::ui::styles;
use crate::words::language::{self, Language};
use crate::words::{self, case as text};
use berth_protocol::reduce::ReducedCase;
use berth_protocol::work::Task;

/// The button that reduces the explained attempt.
pub fn entry(store: &Store, act: &Callback<Action>) -> Html {
    if !store.can_reduce() {
        return html! {};
    }
    let onclick = on(act, CaseAction::Reduce);
    html! {
        <p class="smallest">
            <button class="btn btn--line btn--small" data-action="reduce" data-place="reduce" {onclick}>{ text::SMALLEST_CASE }</button>
            <span class="muted">{ text::SMALLEST_CASE_MEANS }</span>
        </p>
    }
}

/// The panel, in place of Explain.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, panel: &CasePanel, act: &Callback<Action>) -> Html {
    styles::load(styles::BOARD);
    let close = Action::Case(CaseAction::Close);
    let (state, body) = match &panel.found {
        Found::Reduces => ("open", reduces(store, act)),
        Found::None(why) => ("none", html! { <p role="alert">{ text::refused(why) }</p> }),
        Found::Case(case) => {
            let has_draft = store.builder.is_some();
            let body = html! {
                <CaseView case={Rc::clone(case)} language={language::current()} {has_draft} act={act.clone()} />
            };
            ("done", body)
        }
    };
    let is_linked = panel.link.is_some().to_string();
    html! {
        <aside class="panel explain board" aria-label={text::SMALLEST_CASE}>
            <header class="panel__head">
                <h2 class="panel__title">{ text::SMALLEST_CASE }</h2><span class="push" />
                { action("close-case", words::CLOSE.get(), "close", false, act, close) }
            </header>
            <div class="panel__body" tabindex="0" data-place="case" aria-label={text::SMALLEST_CASE}>
                <section class="answer" aria-label={text::SMALLEST_CASE} data-case={state} data-linked={is_linked}>
                    { body }
                    <div class="answer__row">
                        <button class="btn btn--line btn--small" data-action="back-to-explanation" onclick={on(act, CaseAction::Close)}>{ icon("undo") }{ text::BACK_TO_EXPLANATION }</button>
                    </div>
                </section>
            </div>
            { regions::edges(Panel::Explain, text::SMALLEST_CASE.get(), store, act) }
        </aside>
    }
}

/// While the engine leaves out what can go.
fn reduces(store: &Store, act: &Callback<Action>) -> Html {
    let work = store.work().filter(|work| work.task == Task::Reduce);
    let reached = work.map(|work| words::work::far(work.amount));
    html! {
        <>
            <p role="status">{ text::TRIES_WITHOUT }</p>
            <div class="answer__wait">
                <button class="btn btn--line btn--small" data-action="stop-case" onclick={on(act, CaseAction::Stop)}>{ words::work::STOP }</button>
                <span class="muted" data-reached="">{ reached.unwrap_or_default() }</span>
            </div>
        </>
    }
}

#[derive(Properties)]
struct CaseProps {
    case: Rc<ReducedCase>,
    language: Language,
    /// A lesson is being made, whose start stays as it is.
    has_draft: bool,
    act: Callback<Action>,
}

impl PartialEq for CaseProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.case, &other.case)
            && (self.language, self.has_draft) == (other.language, other.has_draft)
    }
}

/// A case, told again only if it is another one.
#[function_component]
fn CaseView(props: &CaseProps) -> Html {
    let CaseProps { case, act, .. } = props;
    let Told {
        sizes,
        claim,
        otherwise,
        lands_after,
        lacks,
    } = told(case);
    let is_whole = lacks.is_empty();
    let lines = case.text.lines();
    let lines =
        lines.map(|line| html! { <span class="case__line">{ line.to_owned() }{ "\n" }</span> });
    html! {
        <>
            <p class="answer__sentence" role="status" data-sizes="">{ sizes }</p>
            <p class="case__claim" data-claim="">{ claim }</p>
            if let Some(otherwise) = otherwise { <p class="case__claim" data-otherwise="">{ otherwise }</p> }
            if let Some(lands_after) = lands_after { <p data-lands-after="">{ lands_after }</p> }
            { for lacks.into_iter().map(|lack| html! { <p class="note" data-lacks="">{ lack }</p> }) }
            <div class="answer__row">
                <button class="btn btn--primary btn--small" data-action="open-case" onclick={on(act, CaseAction::Open)}>{ text::OPEN_CASE }</button>
                <button class="btn btn--line btn--small" data-action="copy-case" onclick={on(act, CaseAction::Copy)}>{ text::COPY_FOR_ISSUE }</button>
                <button class="btn btn--line btn--small" data-action="save-case" onclick={on(act, CaseAction::Download)}>{ text::DOWNLOAD_CASE }</button>
                if !props.has_draft { <button class="btn btn--line btn--small" data-action="lesson-of-case" onclick={on(act, CaseAction::MakeLesson)}>{ text::LESSON_OF_CASE }</button> }
            </div>
            <pre class="case__yaml" tabindex="0" aria-label={CASE_FILE} translate="no"><code>{ for lines }</code></pre>
            <p class="note">if is_whole { { text::NOTHING_TO_SPARE }{ language::space() } }{ text::NEW_NAMES }</p>
        </>
    }
}

fn on(act: &Callback<Action>, action: CaseAction) -> Callback<MouseEvent> {
    act.reform(move |_: MouseEvent| Action::Case(action.clone()))
}
