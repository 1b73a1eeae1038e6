//! The terminal: the transcript, and the input line.

use std::rc::Rc;

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlTextAreaElement};
use yew::{
    Callback, Html, InputEvent, KeyboardEvent, MouseEvent, NodeRef, Properties, TargetCast,
    function_component, html, use_effect_with, use_mut_ref, use_node_ref,
};

use super::state::{Entry, Terminal as State, TerminalAction};
use crate::ui::engine::pasted;
use crate::ui::features::lesson;
use crate::ui::parts::focus::Focused;
use crate::ui::store::{Action, Store};
use crate::words;
use berth_protocol::due::passed;

/// Maximum number of completions listed; typing narrows them down.
const LISTED: usize = 40;

#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    pub terminal: State,
    /// What stands above the command line.
    pub strip: Html,
    pub act: Callback<Action>,
}

/// The position in the history, and the text typed before.
#[derive(Default)]
struct Place {
    /// Lines back from the end; 0: the typed text.
    back: usize,
    typed: String,
}

/// The terminal.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let strip = lesson::strip(store);
    html! { <Terminal terminal={store.terminal.clone()} {strip} act={act.clone()} /> }
}

#[function_component]
fn Terminal(props: &Props) -> Html {
    let (log, line) = (use_node_ref(), use_node_ref());
    let place = use_mut_ref(Place::default);
    let Props { terminal, act, .. } = props;
    {
        let log = log.clone();
        let last = terminal.entries.last().map(Rc::as_ptr);
        use_effect_with(last, move |_| {
            if let Some(log) = log.cast::<Element>() {
                log.set_scroll_top(log.scroll_height());
            }
        });
    }
    {
        let line = line.clone();
        use_effect_with(Rc::clone(&terminal.input), move |input| {
            if let Some(area) = line.cast::<HtmlTextAreaElement>() {
                if input.version > 0 {
                    put(&area, &input.text, Some(input.cursor));
                }
                // If a browser cannot move the focus, it stays where it is.
                let _ = area.focus();
            }
        });
    }
    let onkeydown = {
        let (terminal, act, place) = (terminal.clone(), act.clone(), Rc::clone(&place));
        Callback::from(move |event: KeyboardEvent| {
            if let Some(area) = event.target_dyn_into::<HtmlTextAreaElement>()
                && let Ok(mut place) = place.try_borrow_mut()
                && key(&event, &area, &terminal, &mut place, &act)
            {
                event.prevent_default();
            }
        })
    };
    let oninput = {
        let (act, continues) = (act.clone(), !terminal.pending.is_empty());
        Callback::from(move |event: InputEvent| {
            let Some(area) = event.target_dyn_into::<HtmlTextAreaElement>() else {
                return;
            };
            let text = area.value().replace('\r', "");
            if !text.contains('\n') {
                return;
            }
            let text = if continues { text } else { pasted(&text) };
            // Several lines were pasted: all but the last are complete.
            if let Some((lines, rest)) = text.rsplit_once('\n') {
                act.emit(Action::Terminal(TerminalAction::Run(lines.to_owned())));
                put(&area, rest, None);
            }
        })
    };
    let sign = if terminal.pending.is_empty() {
        "$"
    } else {
        ">"
    };
    html! {
        <div class="terminal" data-terminal={if terminal.is_busy() { "busy" } else { "ready" }}>
            <div class="term" role="log" aria-label={words::TERMINAL_OUTPUT} tabindex="0" ref={log} onclick={to_line(&line)}>
                if terminal.entries.is_empty() { <p class="muted">{ words::TERMINAL_HINT }</p> }
                { for terminal.entries.iter().map(|entry| entry_view(entry)) }
            </div>
            { choices(terminal, act) }
            { props.strip.clone() }
            <div class="prompt">
                <span aria-hidden="true">{ sign }</span>
                <textarea
                    rows="1" wrap="off" spellcheck="false" autocomplete="off" autocapitalize="off"
                    aria-label={words::TERMINAL_LINE} data-field="terminal" ref={line} {onkeydown} {oninput}
                />
            </div>
        </div>
    }
}

/// A click beside the text focuses the input line, unless it selected text.
fn to_line(line: &NodeRef) -> Callback<MouseEvent> {
    let line = line.clone();
    Callback::from(move |event: MouseEvent| {
        let is_text = event
            .target_dyn_into::<Element>()
            .is_some_and(|element| element.class_name() != "term");
        if !is_text && let Some(line) = line.cast::<HtmlElement>() {
            let _ = line.focus();
        }
    })
}

fn entry_view(entry: &Entry) -> Html {
    match entry {
        Entry::Note(text) => html! { <p class="term__note">{ &**text }</p> },
        Entry::Printed(printed) => html! {
            <div data-printed={printed.line.clone()} data-code={printed.code.to_string()}>
                if !printed.line.is_empty() { <b>{ &printed.line }</b> }
                { for printed.parts.iter().map(|part| html! {
                    <div class={if part.is_error { "term__err" } else { "term__out" }}>{ &part.text }</div>
                }) }
                if !printed.waits && printed.passed_ms > 0 {
                    <small class="term__passed" data-passed={printed.passed_ms.to_string()} title={words::PASSED}>{ passed(printed.passed_ms) }</small>
                }
            </div>
        },
    }
}

fn choices(terminal: &State, act: &Callback<Action>) -> Html {
    let all = &terminal.choices;
    let listed = all.iter().take(LISTED).map(|word| {
        let (act, chosen) = (act.clone(), word.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            act.emit(Action::Terminal(TerminalAction::Choose(chosen.clone())));
        });
        html! { <li translate="no"><button class="link" {onclick}>{ word }</button></li> }
    });
    html! {
        <ul class="choices" aria-label={words::CHOICES} aria-live="polite" data-choices={all.len().to_string()}>
            { for listed }
            if all.len() > LISTED { <li class="muted">{ words::more(all.len() - LISTED) }</li> }
        </ul>
    }
}

/// Handles a key; returns whether the terminal uses it.
fn key(
    event: &KeyboardEvent,
    area: &HtmlTextAreaElement,
    terminal: &State,
    place: &mut Place,
    act: &Callback<Action>,
) -> bool {
    let emit = |action: TerminalAction| act.emit(Action::Terminal(action));
    let line = area.value();
    let has_selection =
        area.selection_start().ok().flatten() != area.selection_end().ok().flatten();
    let with_control = event.ctrl_key() && !event.meta_key() && !event.alt_key();
    match event.key().as_str() {
        "Enter" if !event.is_composing() => {
            put(area, "", None);
            *place = Place::default();
            emit(TerminalAction::Run(line));
        }
        "l" if with_control => emit(TerminalAction::Clear),
        "c" if with_control && !has_selection => {
            put(area, "", None);
            *place = Place::default();
            emit(TerminalAction::Abort);
        }
        "Escape" if terminal.is_busy() => emit(TerminalAction::Abort),
        "ArrowUp" => recall(area, terminal, place, place.back + 1),
        "ArrowDown" if place.back > 0 => recall(area, terminal, place, place.back - 1),
        // On an empty line Tab moves the focus, as everywhere else.
        "Tab" if !event.shift_key() && !line.trim().is_empty() => {
            let cursor = cursor(area, &line);
            emit(TerminalAction::Complete { line, cursor });
        }
        _ => return false,
    }
    true
}

/// Shows a line of the history, or the typed text.
fn recall(area: &HtmlTextAreaElement, terminal: &State, place: &mut Place, back: usize) {
    if place.back == 0 {
        place.typed = area.value();
    }
    if back == 0 {
        place.back = 0;
        put(area, &place.typed, None);
        return;
    }
    let at = terminal.history.len().checked_sub(back);
    if let Some(line) = at.and_then(|at| terminal.history.get(at)) {
        place.back = back;
        put(area, line, None);
    }
}

/// The cursor's byte offset; the browser counts in UTF-16 code units.
fn cursor(area: &HtmlTextAreaElement, line: &str) -> usize {
    let units = area.selection_end().ok().flatten().unwrap_or(u32::MAX);
    let mut seen = 0;
    for (at, letter) in line.char_indices() {
        if seen >= units {
            return at;
        }
        seen += if letter.len_utf16() == 1 { 1 } else { 2 };
    }
    line.len()
}

/// Sets the line's text, and the cursor to this byte offset or to the end.
fn put(area: &HtmlTextAreaElement, text: &str, cursor: Option<usize>) {
    area.set_value(text);
    let before = cursor.and_then(|cursor| text.get(..cursor)).unwrap_or(text);
    let units = u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX);
    let _ = area.set_selection_range(units, units);
}

/// The dialog for a text that a command opened for editing; empty if there is none.
pub fn editing(store: &Store, act: &Callback<Action>) -> Html {
    if store.terminal.asked.is_none() {
        return html! {};
    }
    editor(store, act)
}

#[inline(never)]
fn editor(store: &Store, act: &Callback<Action>) -> Html {
    let Some(asked) = &store.terminal.asked else {
        return html! {};
    };
    let title = words::edit_text(&asked.title());
    let cancel = act.reform(|_: MouseEvent| Action::Terminal(TerminalAction::Cancel));
    let save = {
        let act = act.clone();
        Callback::from(move |event: MouseEvent| {
            let button = event.target_dyn_into::<Element>();
            let dialog = button.and_then(|button| button.closest("[role=dialog]").ok().flatten());
            let area = dialog.and_then(|dialog| dialog.query_selector("textarea").ok().flatten());
            if let Some(area) = area.and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok()) {
                act.emit(Action::Terminal(TerminalAction::Save(area.value())));
            }
        })
    };
    let onkeydown = {
        let act = act.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                act.emit(Action::Terminal(TerminalAction::Cancel));
            }
        })
    };
    html! {
        <div class="veil" {onkeydown}>
            <Focused keeps=true><section class="dialog" role="dialog" aria-modal="true" aria-label={title.clone()} data-dialog="edit">
                <header class="panel__head"><h2 class="panel__title">{ title }</h2></header>
                <textarea
                    class="dialog__text" data-first="" spellcheck="false" autocomplete="off" wrap="off"
                    aria-label={asked.title()} data-field="edited" defaultvalue={asked.text().to_owned()}
                />
                <footer class="dialog__foot">
                    <button class="btn" data-action="cancel-edit" onclick={cancel}>{ words::CANCEL }</button>
                    <button class="btn btn--primary" data-action="save-edit" onclick={save}>{ words::SAVE }</button>
                </footer>
            </section></Focused>
        </div>
    }
}
