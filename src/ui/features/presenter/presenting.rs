//! Presentation size: cards fill the stage, and pressed keys are shown.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use web_sys::wasm_bindgen::JsCast;
use web_sys::wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, KeyboardEvent, ResizeObserver};
use yew::{Component, Context, Html, NodeRef, Properties, html};

use crate::ui::parts::focus;
use crate::words;

/// Maximum scale of the cards, beyond presentation size.
const LARGEST: f64 = 2.5;
/// Steps of the search for the scale: the result is within 2 %.
const HALVINGS: usize = 6;
/// How long a pressed key is shown, in milliseconds.
const SHOWN_MS: u32 = 1500;

#[derive(Properties, PartialEq)]
pub struct FitProps {
    pub active: bool,
    /// Changes with what the size of the cards depends on.
    pub nodes: usize,
    pub labels_version: u32,
    pub group_by: String,
}

/// Scales the cards of the stage's body until they fill it.
pub struct Fit {
    place: NodeRef,
    observer: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
}

impl Component for Fit {
    /// The body's size changed.
    type Message = ();
    type Properties = FitProps;

    fn create(_: &Context<Self>) -> Self {
        Self {
            place: NodeRef::default(),
            observer: None,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, (): ()) -> bool {
        self.fit(ctx.props().active);
        false
    }

    fn view(&self, _: &Context<Self>) -> Html {
        html! { <span hidden=true ref={self.place.clone()} /> }
    }

    fn rendered(&mut self, ctx: &Context<Self>, is_first: bool) {
        if is_first {
            let link = ctx.link().clone();
            let resized = Closure::<dyn FnMut()>::new(move || link.send_message(()));
            let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok();
            let body = self.body();
            if let (Some(observer), Some(body)) = (&observer, &body) {
                observer.observe(body);
            }
            self.observer = observer.map(|observer| (observer, resized));
        }
        self.fit(ctx.props().active);
    }

    fn destroy(&mut self, _: &Context<Self>) {
        if let Some((observer, _)) = &self.observer {
            observer.disconnect();
        }
    }
}

impl Fit {
    fn body(&self) -> Option<HtmlElement> {
        let place = self.place.cast::<Element>()?;
        place.closest(".stage__body").ok()??.dyn_into().ok()
    }

    /// Finds the largest scale at which nothing is cut.
    fn fit(&self, active: bool) {
        let Some(body) = self.body() else {
            return;
        };
        let set = |scale: f64| {
            let _ = body.style().set_property("--fit", &format!("{scale:.3}"));
        };
        if !active {
            let _ = body.style().remove_property("--fit");
            return;
        }
        let (mut fits, mut cuts) = (1.0, LARGEST);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(fits, cuts);
            set(middle);
            let is_cut = body.scroll_height() > body.client_height()
                || body.scroll_width() > body.client_width();
            if is_cut {
                cuts = middle;
            } else {
                fits = middle;
            }
        }
        set(fits);
    }
}

/// Shows the key that was pressed last, outside text fields.
pub struct PressedKey {
    shown: Option<String>,
    _listener: EventListener,
    ends: Option<Timeout>,
}

impl Component for PressedKey {
    /// The key's name; `None`: it is no longer shown.
    type Message = Option<String>;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link().clone();
        let options = EventListenerOptions::run_in_capture_phase();
        let document = gloo::utils::document();
        let listener =
            EventListener::new_with_options(&document, "keydown", options, move |event| {
                if let Some(name) = event.dyn_ref().and_then(name) {
                    link.send_message(Some(name));
                }
            });
        Self {
            shown: None,
            _listener: listener,
            ends: None,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, key: Self::Message) -> bool {
        if key.is_some() {
            let link = ctx.link().clone();
            self.ends = Some(Timeout::new(SHOWN_MS, move || link.send_message(None)));
        }
        self.shown = key;
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        html! {
            if let Some(key) = &self.shown {
                <kbd class="pressed" aria-hidden="true" data-pressed="">{ key }</kbd>
            }
        }
    }
}

/// The name of a pressed key; none for typed text and for modifiers alone.
fn name(event: &KeyboardEvent) -> Option<String> {
    let target = event.target();
    let target = target.as_ref().and_then(|target| target.dyn_ref());
    let has_command = event.ctrl_key() || event.meta_key();
    if focus::writes(target) && !has_command {
        return None;
    }
    words::presenting::key(&event.key(), has_command, event.shift_key())
}
