//! Watches the canvas's size and the page's color scheme.

use gloo::events::EventListener;
use web_sys::wasm_bindgen::JsCast;
use web_sys::wasm_bindgen::closure::Closure;
use web_sys::{Element, MutationObserver, MutationObserverInit, ResizeObserver};
use yew::Callback;

/// Watches until it is dropped.
pub(super) struct Watch {
    size: ResizeObserver,
    attribute: MutationObserver,
    _system: Option<EventListener>,
    _closures: [Closure<dyn FnMut()>; 2],
}

impl Watch {
    /// `None` if the browser lacks the observers.
    pub(super) fn new(body: &Element, resized: Callback<()>, themed: Callback<()>) -> Option<Self> {
        let on_size = Closure::<dyn FnMut()>::new(move || resized.emit(()));
        let size = ResizeObserver::new(on_size.as_ref().unchecked_ref()).ok()?;
        size.observe(body);
        let on_theme = themed.clone();
        let on_attribute = Closure::<dyn FnMut()>::new(move || on_theme.emit(()));
        let attribute = MutationObserver::new(on_attribute.as_ref().unchecked_ref()).ok()?;
        let what = MutationObserverInit::new();
        what.set_attributes(true);
        let root = gloo::utils::document_element();
        attribute.observe_with_options(&root, &what).ok()?;
        let query = gloo::utils::window().match_media("(prefers-color-scheme: dark)");
        let system = query
            .ok()
            .flatten()
            .map(|query| EventListener::new(&query, "change", move |_| themed.emit(())));
        Some(Self {
            size,
            attribute,
            _system: system,
            _closures: [on_size, on_attribute],
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.size.disconnect();
        self.attribute.disconnect();
    }
}
