//! The page's keys: they work wherever the focus does not need them itself.

use gloo::events::{EventListener, EventListenerOptions};
use web_sys::wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::Callback;

use super::store::progress::StepSize;
use super::store::{Action, Dialog};

/// Listens as long as it is held.
pub struct Keys {
    _listener: EventListener,
}

impl Keys {
    /// Turns keys into actions.
    pub fn listen(act: Callback<Action>) -> Self {
        let options = EventListenerOptions::enable_prevent_default();
        let document = gloo::utils::document();
        let listener =
            EventListener::new_with_options(&document, "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                    return;
                };
                if let Some(action) = action_of(event) {
                    event.prevent_default();
                    act.emit(action);
                }
            });
        Self {
            _listener: listener,
        }
    }
}

fn action_of(event: &KeyboardEvent) -> Option<Action> {
    let focused = event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let tag = focused
        .as_ref()
        .map(|element| element.tag_name())
        .unwrap_or_default();
    // Switches and choices hold no text that could be undone by itself.
    let is_switch = tag == "SELECT"
        || focused
            .as_ref()
            .and_then(|element| element.dyn_ref::<HtmlInputElement>())
            .is_some_and(|input| input.type_() == "checkbox");
    let writes = matches!(tag.as_str(), "TEXTAREA" | "INPUT" | "SELECT")
        || focused.is_some_and(|element| element.is_content_editable());
    if event.ctrl_key() || event.meta_key() {
        let writes = writes && !is_switch;
        return match (event.key().to_lowercase().as_str(), event.shift_key()) {
            ("z", false) if !writes => Some(Action::Undo),
            ("z", true) | ("y", false) if !writes => Some(Action::Redo),
            _ => None,
        };
    }
    if writes || event.alt_key() {
        return None;
    }
    match event.key().as_str() {
        "ArrowRight" => Some(Action::Step),
        "ArrowLeft" => Some(Action::StepBack),
        "Home" => Some(Action::Reset),
        "End" => Some(Action::Run),
        " " if tag != "BUTTON" && tag != "SUMMARY" => Some(Action::Play),
        "?" => Some(Action::Show(Some(Dialog::Help))),
        "Escape" => Some(Action::Escape),
        "a" => Some(Action::Adding(true)),
        "1" => Some(Action::StepSize(StepSize::Pod)),
        "2" => Some(Action::StepSize(StepSize::Point)),
        "3" => Some(Action::StepSize(StepSize::Plugin)),
        _ => None,
    }
}
