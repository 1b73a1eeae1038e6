//! The page's keyboard shortcuts: they apply unless the focused element handles the key.

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions, EventListenerPhase};
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};
use yew::Callback;

use super::features::compare::CompareAction;
use super::features::share::ShareAction;
use super::features::stage::StageAction;
use super::features::stage::shortcuts::{Place, Shortcut};
use super::features::time::TimeAction;
use super::parts::focus;
use super::store::progress::StepSize;
use super::store::{Action, Arrange, Dialog, EditAction, PageAction, Panel};

/// Listens until it is dropped.
pub struct Keys {
    carries: Rc<Cell<bool>>,
    /// Single characters do nothing outside fields.
    no_characters: Rc<Cell<bool>>,
    _listeners: [EventListener; 2],
}

impl Keys {
    /// Listens for keys and emits their actions. `no_characters`: as [`Keys::turn_off`].
    pub fn listen(act: Callback<Action>, no_characters: bool) -> Self {
        let carries = Rc::new(Cell::new(false));
        let is_carrying = Rc::clone(&carries);
        let first = listener(EventListenerPhase::Capture, act.clone(), move |event| {
            let action = Some(event)
                .filter(|_| is_carrying.get())
                .and_then(carrying)?;
            // Neither the stage nor the run may handle the key.
            event.stop_propagation();
            Some(action)
        });
        let no_characters = Rc::new(Cell::new(no_characters));
        let are_off = Rc::clone(&no_characters);
        let last = listener(EventListenerPhase::Bubble, act, move |event| {
            action_of(event, are_off.get())
        });
        Self {
            carries,
            no_characters,
            _listeners: [first, last],
        }
    }

    /// Sets whether nodes are carried by keyboard: the arrow keys, Enter and Esc then apply to them.
    pub fn carry(&self, carries: bool) {
        self.carries.set(carries);
    }

    /// Turns the shortcuts of a single character off or on (WCAG 2.1.4): speech input types characters, too.
    pub fn turn_off(&self, no_characters: bool) {
        self.no_characters.set(no_characters);
    }
}

fn listener(
    phase: EventListenerPhase,
    act: Callback<Action>,
    action: impl Fn(&KeyboardEvent) -> Option<Action> + 'static,
) -> EventListener {
    let options = EventListenerOptions {
        phase,
        passive: false,
    };
    let document = gloo::utils::document();
    EventListener::new_with_options(&document, "keydown", options, move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        if let Some(action) = action(event) {
            event.prevent_default();
            act.emit(action);
        }
    })
}

fn carrying(event: &KeyboardEvent) -> Option<Action> {
    let shortcut = match event.key().as_str() {
        "ArrowRight" | "ArrowDown" => Shortcut::Carry { forwards: true },
        "ArrowLeft" | "ArrowUp" => Shortcut::Carry { forwards: false },
        "Enter" => Shortcut::Drop,
        "Escape" => Shortcut::PutBack,
        _ => return None,
    };
    Some(Action::Shortcut(shortcut, Place::default()))
}

fn action_of(event: &KeyboardEvent, no_characters: bool) -> Option<Action> {
    // F6 also works in text fields, where it has no other meaning.
    if event.key() == "F6" && !event.ctrl_key() && !event.meta_key() && !event.alt_key() {
        if focus::to_region(!event.shift_key()) {
            event.prevent_default();
        }
        return None;
    }
    let focused = event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let tag = focused
        .as_ref()
        .map(|element| element.tag_name())
        .unwrap_or_default();
    // Checkboxes and selects have no undo of their own.
    let is_switch = tag == "SELECT"
        || focused
            .as_ref()
            .and_then(|element| element.dyn_ref::<HtmlInputElement>())
            .is_some_and(|input| input.type_() == "checkbox");
    if event.key() == "Escape" && focus::has_popover() {
        // The browser closes it.
        return None;
    }
    let writes = focus::writes(focused.as_deref());
    if event.ctrl_key() || event.meta_key() {
        // Text fields have no meaning of their own for it, and the browser would save the page's code.
        let is_save =
            event.key().eq_ignore_ascii_case("s") && !event.shift_key() && !event.alt_key();
        if is_save {
            return Some(Action::Share(ShareAction::Open));
        }
        if !writes && event.key().eq_ignore_ascii_case("v") {
            // The browser pastes where the focus is.
            focus::to_command_line(focused.as_deref());
        }
        return if writes && !is_switch {
            None
        } else {
            with_control(event)
        };
    }
    // Escape also works in the fields of a form; dialogs close themselves.
    let leaves_form = writes
        && event.key() == "Escape"
        && focused
            .as_ref()
            .is_some_and(|field| near(field, "[data-form]").is_some());
    if leaves_form {
        return Some(Action::Page(PageAction::Escape));
    }
    if writes || event.alt_key() {
        return None;
    }
    let key = event.key();
    if let Some(element) = &focused
        && key != "Escape"
        && near(element, "[role=dialog]").is_some()
    {
        // Keys in a dialog do not reach the page below.
        return None;
    }
    if is_character(&key) && (focus::to_command_line(focused.as_deref()) || no_characters) {
        // The browser types it where the focus is now.
        return None;
    }
    on_the_page(&key, &tag, focused.as_deref())
}

/// Whether a key types a character, or an input method takes it. A space does not begin a command line; it plays.
fn is_character(key: &str) -> bool {
    key == "Process" || (key != " " && key.chars().count() == 1)
}

/// The action of a key that no element handles.
fn on_the_page(key: &str, tag: &str, focused: Option<&Element>) -> Option<Action> {
    let scrolls = matches!(key, "ArrowRight" | "ArrowLeft" | "Home" | "End");
    if scrolls && focused.is_some_and(|element| element.class_name() == "term") {
        // The terminal's output scrolls in both directions.
        return None;
    }
    let shortcut = |shortcut: Shortcut| Some(Action::Shortcut(shortcut, focused.map(place)?));
    match key {
        "ArrowRight" => Some(Action::Time(TimeAction::Step)),
        "ArrowLeft" => Some(Action::Time(TimeAction::StepBack)),
        "Home" => Some(Action::Time(TimeAction::Reset)),
        "End" => Some(Action::Time(TimeAction::Run)),
        " " if tag != "BUTTON" && tag != "SUMMARY" => Some(Action::Time(TimeAction::Play)),
        "?" => Some(Action::Page(PageAction::Show(Some(Dialog::Help)))),
        "/" => Some(Action::Page(PageAction::Show(Some(Dialog::Find)))),
        "Escape" => Some(Action::Page(PageAction::Escape)),
        "[" => Some(Action::Page(PageAction::Arrange(Arrange::Fold(
            Panel::Sources,
        )))),
        "]" => Some(Action::Page(PageAction::Arrange(Arrange::Fold(
            Panel::Explain,
        )))),
        "p" => Some(Action::Page(PageAction::Arrange(Arrange::Presentation))),
        "a" => Some(Action::Stage(StageAction::Adding(true))),
        "b" => Some(Action::Compare(CompareAction::Choose(Default::default()))),
        "c" => shortcut(Shortcut::Cordon),
        "d" => shortcut(Shortcut::Drain),
        "e" => shortcut(Shortcut::Explain),
        "m" => shortcut(Shortcut::PickUp),
        "x" => shortcut(Shortcut::Choose),
        "Delete" => shortcut(Shortcut::Delete),
        "1" => Some(Action::Time(TimeAction::StepSize(StepSize::Pod))),
        "2" => Some(Action::Time(TimeAction::StepSize(StepSize::Point))),
        "3" => Some(Action::Time(TimeAction::StepSize(StepSize::Plugin))),
        _ => None,
    }
}

fn with_control(event: &KeyboardEvent) -> Option<Action> {
    match (event.key().to_lowercase().as_str(), event.shift_key()) {
        ("z", false) => Some(Action::Edit(EditAction::Undo)),
        ("z", true) | ("y", false) => Some(Action::Edit(EditAction::Redo)),
        _ => None,
    }
}

/// The node and the Pod that an element represents or is part of.
fn place(element: &Element) -> Place {
    let of = |what: &str| near(element, &format!("[{what}]"))?.get_attribute(what);
    // The far view is one element for all nodes.
    let current = || {
        let option = element.query_selector("[aria-selected=true][data-node]");
        option.ok()??.get_attribute("data-node")
    };
    Place {
        node: of("data-node").or_else(current),
        pod: of("data-pod"),
    }
}

fn near(element: &Element, what: &str) -> Option<Element> {
    element.closest(what).ok().flatten()
}
